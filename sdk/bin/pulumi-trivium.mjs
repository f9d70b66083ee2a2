#!/usr/bin/env node
// Not the compiled file itself: npm links a command when it installs, and in a clone nothing is compiled then.
try {
  await import("../dist/command-line/main.js");
} catch (error) {
  if (!/MODULE_NOT_FOUND$/.test(error?.code ?? "")) {
    throw error;
  }
  const [problem] = String(error.message).split("\n");
  const [, missing] = /'((?:@[^/']+\/)?[^/'.]+)/.exec(problem) ?? [];
  const remedy =
    missing === undefined
      ? "Run npm install where you run this command (in a clone: npm run build)"
      : `Run npm install ${missing} where you run this command`;
  console.error(`pulumi-trivium cannot start: ${problem}. ${remedy}.`);
  process.exitCode = 1;
}
