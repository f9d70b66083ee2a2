#!/usr/bin/env node
// Not the compiled file itself: npm links a command when it installs, and in a clone nothing is compiled then.
try {
  await import("../dist/command-line/main.js");
} catch (error) {
  if (!/MODULE_NOT_FOUND$/.test(error?.code ?? "")) {
    throw error;
  }
  const [problem] = String(error.message).split("\n");
  console.error(
    `pulumi-trivium cannot start: ${problem}. Run npm install where you run this command (in a clone: npm run build).`,
  );
  process.exitCode = 1;
}
