import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeBlocksOf } from "../../scripts/docs/code-blocks";
import * as library from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import { testCli } from "../engine/support/cli";
import { runProgram } from "../engine/support/run-program";
import { repository, temporaryDirectory } from "../support/packed-library";
import { casesIn } from "../cases";

/**
 * The commands are run as they stand. Packages are found in the repository, where the library is not published, and
 * nobody is there to answer questions.
 */
const preparation = `
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

/** What a reader does at one place of a document. */
interface Step {
  /** For the shell. */
  readonly script: string;
  /** The lines that the document shows of what it prints. */
  readonly shown: readonly string[];
}

/** Does what a document says, in a new directory and a shell of its own. @returns what each step has printed */
async function walk(steps: readonly Step[]): Promise<readonly string[]> {
  const directory = temporaryDirectory("walk");
  try {
    const cli = await testCli();
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(?:TRIVIUM|PROVISIONING|SECRETS|SCHEDULER|TFE|VAULT|NOMAD|npm)_/.test(name),
    );
    const script = steps.map((step, index) => `echo '=== step ${index}'\n${step.script}`).join("\n");
    const { succeeded, text } = await runProgram(["bash", "-c", preparation + script], directory, {
      ...Object.fromEntries(own),
      ...cli.environment({ PULUMI_HOME: join(directory, "home"), TS_NODE_TRANSPILE_ONLY: "true" }),
    });
    assert.ok(succeeded, text);
    const printed = text.split(/^=== step \d+$/m).slice(1);
    assert.equal(printed.length, steps.length);
    return printed;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What runs in a terminal of its own is there when it has printed its last line. */
const scriptOf = (commands: string): string =>
  commands.startsWith("npx pulumi-trivium emulator")
    ? `( exec ${repository}/node_modules/.bin/${commands.replace(/^npx /, "").trimEnd()} ) &
until grep -q SCHEDULER_TOKEN emulator.env 2>/dev/null; do kill -0 $!; sleep 0.1; done`
    : commands;

/**
 * The steps of a document, in order. A block of commands is one; a block of another language is the content of the file
 * that the line before it names last; a block of text shows what the commands before it print. What follows
 * `<!-- not run -->` is left out.
 */
function stepsOf(document: string): readonly Step[] {
  const [text = ""] = readFileSync(join(repository, document), "utf8").split("<!-- not run -->");
  const steps: Step[] = [];
  for (const block of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const [, language = "", content = ""] = block;
    if (language === "sh") {
      steps.push({ script: scriptOf(content), shown: [] });
    } else if (language === "text") {
      const { script } = steps.pop() ?? assert.fail(`${document}: nothing prints this:\n${content}`);
      steps.push({ script, shown: content.trimEnd().split("\n") });
    } else {
      const line = text.slice(0, block.index).trimEnd().split("\n").at(-1) ?? "";
      const name =
        /`([\w.-]+)`[^`]*:$/.exec(line)?.[1] ?? assert.fail(`${document}: no file is named: ${line}`);
      const redirection = /\bAdd (?:this )?to `[\w.]+`:$/.test(line) ? ">>" : ">";
      steps.push({ script: `cat ${redirection} ${name} <<'END'\n${content}END`, shown: [] });
    }
  }
  return steps;
}

const guide = "docs/getting-started.md";

/** What {@link guide} does before it starts the emulator, which other guides refer to. */
function projectSteps(): readonly Step[] {
  const steps = stepsOf(guide);
  return steps.slice(
    0,
    steps.findIndex(({ script }) => script.includes("pulumi-trivium emulator")),
  );
}

describe("the guides", function () {
  this.timeout(300_000);

  for (const document of [guide, "docs/dialects.md", "docs/import.md", "docs/migrating.md"]) {
    it(`the guide ${document} leads to the results that it promises, command by command`, async () => {
      const steps =
        document === "docs/dialects.md" ? [...projectSteps(), ...stepsOf(document)] : stepsOf(document);
      for (const [index, printed] of (await walk(steps)).entries()) {
        const lines = printed.split("\n").map(comparable);
        for (const line of steps[index]?.shown ?? []) {
          assert.ok(lines.includes(comparable(line)), `${line}\nis not in\n${printed}`);
        }
      }
    });
  }

  it(`${guide} begins with the program of README.md and of the site's front page`, () => {
    const [first, ...others] = ["README.md", "docs/index.md", guide].map(
      (document) => codeBlocksOf(document)[0]?.code,
    );
    assert.match(first ?? "", /^import \* as trivium/);
    assert.deepEqual(others, [first, first]);
  });

  it("docs/testing.md contains tests that pass with the program from docs/getting-started.md", async () => {
    await walk([...projectSteps(), ...stepsOf("docs/testing.md")]);
  });

  it("docs/emulator.md creates one resource of every class in the documented dialect with a seed, without test code", async () => {
    const printed = (await walk(stepsOf("docs/emulator.md"))).at(-1) ?? "";
    const documented = casesIn("documented");
    const definitions = [...collectClasses(library).values()]
      .map(({ definition }) => definition)
      .filter(({ type }) => documented.has(type));
    const made = definitions.filter(({ type }) =>
      new RegExp(`dynamic/trivium/${type} \\S+ created`).test(printed),
    );
    assert.deepEqual(made.map(className), definitions.map(className), printed);
    // The stack is one more.
    assert.ok(printed.includes(`- ${definitions.length + 1} deleted`), printed);
  });
});

/** A line without ids, times and the escape sequences of the terminal. */
function comparable(line: string): string {
  return line
    .trim()
    .replace(/prj-\w+/, "prj-...")
    .replace(/\s+/g, " ");
}
