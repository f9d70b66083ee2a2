import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { repository, temporaryDirectory } from "../../support/packed-library";
import type { Step } from "./walkthrough";

/**
 * The commands are run as they stand. Packages are found in the repository, where the library is not published, and
 * nobody is there to answer questions.
 */
const surroundings = `
set -e
exec 2>&1
npm() {
  if [ "$1" != install ]; then command npm "$@"; return; fi
  for name in "\${@:2}"; do case "$name" in -*) ;; *) ls -d "${repository}/node_modules/\${name%@[0-9]*}" ;; esac; done
}
npx() { "${repository}/node_modules/.bin/$1" "\${@:2}"; }
pulumi() { case "$1" in up|refresh|destroy|import) command pulumi "$@" --yes --skip-preview ;; *) command pulumi "$@" ;; esac; }
trap 'jobs -p | xargs --no-run-if-empty kill' EXIT
`;

/**
 * Does what a document says, in a new directory and a shell of its own.
 *
 * @returns what each step has printed
 * @throws AssertionError when a command fails
 */
export async function walk(steps: readonly Step[]): Promise<readonly string[]> {
  const directory = temporaryDirectory("walk");
  try {
    const { environment } = await ensurePulumiCli();
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(?:TRIVIUM|PROVISIONING|SECRETS|SCHEDULER|TFE|VAULT|NOMAD|npm)_/.test(name),
    );
    const shell = spawn("bash", ["-c", surroundings + steps.map(scriptOf).join("\n")], {
      cwd: directory,
      env: { ...Object.fromEntries(own), ...environment({ PULUMI_HOME: join(directory, "home") }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    const [code] = (await once(shell, "close")) as [number | null];
    assert.equal(code, 0, text);
    const printed = text.split(/^=== step \d+$/m).slice(1);
    assert.equal(printed.length, steps.length);
    return printed;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function scriptOf(step: Step, index: number): string {
  const heading = `echo '=== step ${index}'`;
  if (step.kind === "file") {
    return `${heading}\ncat ${step.added ? ">>" : ">"} ${step.name} <<'END'\n${step.text}END`;
  }
  // What runs in a terminal of its own is there when it has printed its last line.
  return step.text.startsWith("npx pulumi-trivium emulator")
    ? `${heading}\n( exec ${repository}/node_modules/.bin/${step.text.replace(/^npx /, "").trimEnd()} ) &
until grep -q SCHEDULER_TOKEN emulator.env 2>/dev/null; do kill -0 $!; sleep 0.1; done`
    : `${heading}\n${step.text}`;
}
