import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = join(__dirname, "..", "..", "scripts", "text-check.mjs");
const long = `It ${"goes on and ".repeat(20)}on.`;

interface Passage {
  readonly line: number;
  readonly text: string;
}

/** The script, which is a module of another kind. */
interface TextCheck {
  markdownPassages(text: string): readonly Passage[];
  sourcePassages(file: string, text: string): readonly Passage[];
  titlePassages(file: string, text: string): readonly Passage[];
  problemsIn(file: string, passages: readonly Passage[], kind: string, excepted?: object[]): string[];
}

describe("the text check", () => {
  let check: TextCheck;

  before(async () => (check = (await import(script)) as TextCheck));

  function problemsOf(file: string, lines: readonly string[], excepted?: object[]): string[] {
    const text = lines.join("\n");
    const passages = file.endsWith(".md") ? check.markdownPassages(text) : check.sourcePassages(file, text);
    return check.problemsIn(file, passages, "document", excepted);
  }

  function placesOf(file: string, lines: readonly string[]): string[] {
    return problemsOf(file, lines).map((problem) => problem.split(": ")[0] ?? "");
  }

  it("finds a phrase of the old style in headings, paragraphs, items and cells", () => {
    assert.deepEqual(
      placesOf("page.md", ["# Read anew", "", "It is read", "anew.", "", "- anew", "", "| a | anew |"]),
      ["page.md:1", "page.md:3", "page.md:6", "page.md:8"],
    );
  });

  it("finds long sentences, and counts code in them as one word", () => {
    assert.match(problemsOf("page.md", [`Short. ${long}`]).join("\n"), /words, at most .*: It goes on/);
    assert.deepEqual(problemsOf("page.md", [`It is \`${long} Yes. ${long}\`.`]), []);
  });

  it("skips blocks of code", () => {
    assert.deepEqual(problemsOf("page.md", ["```text", long, "", "anew", "```"]), []);
    assert.deepEqual(placesOf("page.md", ["```text", "anew", "```", "anew"]), ["page.md:4"]);
  });

  it("finds both in comments and strings of a program", () => {
    assert.deepEqual(
      placesOf("program.ts", [
        "/**",
        " * Reads the file",
        " * anew.",
        " * @param anew whether to read it anew",
        " */",
        "export const text = `It is read ${1 + 1} times anew.`;",
        "// Read",
        "// anew.",
        "export const anew = 1;",
        `// ${long}`,
      ]),
      ["program.ts:2", "program.ts:4", "program.ts:6", "program.ts:7", "program.ts:10"],
    );
  });

  it("finds both in titles of tests, but not in their code", () => {
    const program = [
      'describe("reads anew", () => it(`${long}`, () => say("anew")));',
      'it("is read anew");',
    ];
    const problems = check.problemsIn(
      "a.test.ts",
      check.titlePassages("a.test.ts", program.join("\n")),
      "title",
    );
    assert.deepEqual(
      problems.map((problem) => problem.split(": ")[0]),
      ["a.test.ts:1", "a.test.ts:2"],
    );
  });

  it("accepts exceptions, each in its file only", () => {
    const exceptions = [{ file: "page.md", text: "Read anew", reason: "an example" }];
    assert.deepEqual(problemsOf("page.md", ["Read anew."], exceptions), []);
    assert.equal(problemsOf("other.md", ["Read anew."], exceptions).length, 1);
  });

  it("fails when a file has a problem", function () {
    this.timeout(20_000);
    const directory = mkdtempSync(join(tmpdir(), "text-check-"));
    try {
      const statuses = ["Read again.", "Read anew."].map((text) => {
        const file = join(directory, "page.md");
        writeFileSync(file, text);
        return spawnSync(process.execPath, [script, file]).status;
      });
      assert.deepEqual(statuses, [0, 1]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
