import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../support/packed-library";

/** What a block of code in the page is for: it is appended, inserted before a line, or a new file. */
function stepsOf(page: string) {
  return [...page.matchAll(/^(`{3,})ts ([^\n]+)\n([^]*?)^\1$/gm)].map(([, , about = "", code = ""]) => ({
    file: /\b(?:file|append)=(\S+)/.exec(about)?.[1] ?? "",
    before: /\bbefore="([^"]+)"/.exec(about)?.[1],
    appends: about.startsWith("append="),
    code,
  }));
}

function follow(
  { file, before, appends, code }: ReturnType<typeof stepsOf>[number],
  directory: string,
): void {
  const target = join(directory, file);
  if (appends || before === undefined) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code, { flag: appends ? "a" : "wx" });
  } else {
    const text = readFileSync(target, "utf8");
    assert.ok(text.includes(before), `${file} has no ${before}`);
    const inserted = `${code.trimStart()}${before.replace(/^ */, "    ")}`;
    writeFileSync(
      target,
      text.replace(before, () => inserted),
    );
  }
}

describe("a resource that is added by contributing/add-a-resource.md", function () {
  this.timeout(300_000);
  const page = readFileSync(join(repository, "contributing", "add-a-resource.md"), "utf8");
  const steps = stepsOf(page);
  let directory: string;

  before(() => {
    const cache = join(repository, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    directory = mkdtempSync(join(cache, "add-a-resource-"));
    const isSource = (path: string): boolean => !/[\\/](?:dist|node_modules|api|fixtures)$/.test(path);
    for (const part of ["sdk", "tests", "tsconfig.json"]) {
      cpSync(join(repository, part), join(directory, part), { recursive: true, filter: isSource });
    }
    symlinkSync(join(repository, "sdk", "node_modules"), join(directory, "sdk", "node_modules"));
    for (const step of steps) {
      follow(step, directory);
    }
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("a resource that is added according to the page takes few files", () => {
    const files = [...new Set(steps.map(({ file }) => file))];
    assert.deepEqual(files, [
      ...["notes/note.ts", "notes/index.ts", "index.ts"].map((file) => `sdk/secrets/${file}`),
      ...["notes/notes.ts", "service.ts", "types.ts"].map((file) => `sdk/testing/secrets/${file}`),
      "tests/cases/secrets/notes/note.ts",
    ]);
  });

  it("an argument takes one row in the library and one in the emulator, a value in the case and a line in CHANGELOG", () => {
    const [, last = ""] = page.split("## A new argument");
    const places = stepsOf(last).map(({ file, code }) => [
      file,
      code.split("\n").filter((line) => !/^ *(?:\/?\*|$)/.test(line)).length,
    ]);
    assert.deepEqual(places, [
      ["sdk/secrets/notes/note.ts", 1],
      ["sdk/testing/secrets/notes/notes.ts", 1],
      ["tests/cases/secrets/notes/note.ts", 1],
    ]);
    assert.match(last, /a line in CHANGELOG\.md/);
  });

  const run = (program: string, ...args: readonly string[]): void =>
    void execFileSync(process.execPath, [join(repository, "node_modules", program), ...args], {
      cwd: directory,
      stdio: ["ignore", "inherit", "inherit"],
    });
  const compile = (project: string): void =>
    run("typescript/bin/tsc", "--noEmit", "--project", project, "--incremental", "false");

  it("the library with the added resource compiles", () => compile("sdk/tsconfig.json"));

  it("the added resource's case compiles with it", () => {
    const paths = { "pulumi-trivium": ["./sdk/index.ts"], "pulumi-trivium/testing": ["./sdk/testing.ts"] };
    const include = ["tests/cases/secrets/notes/*.ts"];
    const project = { extends: "./tsconfig.json", compilerOptions: { paths }, include };
    writeFileSync(join(directory, "case.json"), JSON.stringify(project));
    compile("case.json");
  });

  it("the added resource passes the tests of lifecycles, which find its case", () => {
    const options = ["--require", "ts-node/register/transpile-only", "--reporter", "dot", "--fail-zero"];
    run("mocha/bin/mocha.js", ...options, "tests/lifecycles.test.ts", "--grep", "^secrets.notes.Note ");
  });
});
