import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../support/packed-library";

/** What a block of code in the page is for. */
interface Step {
  readonly file: string;
  /** The line before which to put it; a file that there is not yet is the block itself. */
  readonly before: string | undefined;
  readonly appends: boolean;
  readonly code: string;
}

function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(/^```ts ([^\n]+)\n([^]*?)^```$/gm)].map(([, about = "", code = ""]) => ({
    file: /\b(?:file|append)=(\S+)/.exec(about)?.[1] ?? "",
    before: /\bbefore="([^"]+)"/.exec(about)?.[1],
    appends: about.startsWith("append="),
    code,
  }));
}

function follow({ file, before, appends, code }: Step, directory: string): void {
  const target = join(directory, file);
  if (appends) {
    appendFileSync(target, code);
  } else if (before === undefined) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code, { flag: "wx" });
  } else {
    const text = readFileSync(target, "utf8");
    assert.ok(text.includes(before), `${file} has no ${before}`);
    writeFileSync(
      target,
      text.replace(before, () => `${code.trimStart()}${before.replace(/^ */, "    ")}`),
    );
  }
}

/** Takes a note through its lifecycle, in a process that has only the copy. */
const lifecycle = `
const assert = require("node:assert/strict");
const { startEmulator } = require("./sdk/testing");
const { provider } = require("./sdk/dynamic");
const library = require("./sdk/index");
const { note } = require("./tests/cases/secrets/notes/note");
const { resourceCases } = require("./tests/cases");
const { emulatedServices } = require("./tests/cases/support/emulated-services");
(async () => {
  const emulator = await startEmulator();
  const lifecycle = provider("secrets/notes:Note");
  assert.equal(typeof library.secrets.notes.Note, "function");
  const { address, token } = emulator.secrets;
  const values = { "trivium:secretsAddress": address, "trivium:secretsToken": token };
  await lifecycle.configure({ config: { get: (key) => values[key] } });
  const notes = () => emulator.inspect().secrets.notes;
  assert.equal(resourceCases.get("secrets/notes:Note"), note);
  const context = await note.prepare(emulatedServices(emulator, { dialect: "documented" }));
  const given = note.valid(context);
  const { inputs, failures } = await lifecycle.check({}, given);
  assert.deepEqual(failures, []);
  assert.match((await lifecycle.check({}, { ...given, nmae: "x" })).failures[0].reason, /did you mean name/);
  const created = await lifecycle.create(inputs);
  const { id } = created;
  // As the SDK keeps it in state.
  const outs = { ...created.outs, __provider: "exports.handler" };
  assert.deepEqual(notes(), [{ name: "welcome", text: "Hello", shownFor: 7200, colour: "yellow" }]);
  assert.equal(outs.author, "somebody");
  assert.equal((await lifecycle.diff(id, outs, { ...inputs, shownFor: 7200 })).changes, false);
  assert.deepEqual((await lifecycle.diff(id, outs, { ...inputs, name: "other" })).replaces, ["name"]);
  await note.drift.cause(context, id);
  assert.equal((await lifecycle.read(id, outs)).props.text, "by hand");
  const changed = { ...inputs, shownFor: null };
  const updated = (await lifecycle.update(id, outs, changed)).outs;
  assert.equal(notes()[0].shownFor, 3600);
  assert.equal((await lifecycle.read(id, updated)).props.shownFor, 3600);
  assert.equal(await note.live.count(context, [id]), 1);
  await lifecycle.delete(id, updated);
  assert.deepEqual(notes(), []);
  await emulator.close();
  process.exit(0);
})();`;

describe("a resource that is added by contributing/add-a-resource.md", function () {
  this.timeout(180_000);
  const page = readFileSync(join(repository, "contributing", "add-a-resource.md"), "utf8");
  const steps = stepsOf(page);
  let directory: string;

  before(() => {
    const cache = join(repository, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    directory = mkdtempSync(join(cache, "add-a-resource-"));
    const isSource = (path: string): boolean => !/[\\/](?:dist|node_modules|api)$/.test(path);
    cpSync(join(repository, "sdk"), join(directory, "sdk"), { recursive: true, filter: isSource });
    cpSync(join(repository, "tests"), join(directory, "tests"), {
      recursive: true,
      filter: (path) => !path.endsWith("fixtures"),
    });
    cpSync(join(repository, "tsconfig.json"), join(directory, "tsconfig.json"));
    symlinkSync(join(repository, "sdk", "node_modules"), join(directory, "sdk", "node_modules"));
    for (const step of steps) {
      follow(step, directory);
    }
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("a resource that is added by the page takes few files", () =>
    assert.deepEqual(
      [...new Set(steps.map(({ file }) => file))],
      [
        "sdk/secrets/notes/note.ts",
        "sdk/secrets/notes/index.ts",
        "sdk/secrets/index.ts",
        "sdk/testing/secrets/notes/notes.ts",
        "sdk/testing/secrets/service.ts",
        "sdk/testing/secrets/types.ts",
        "tests/cases/secrets/notes/note.ts",
      ],
    ));

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

  const compile = (project: string): void => {
    const compiler = join(repository, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [compiler, "--noEmit", "--project", project, "--incremental", "false"], {
      cwd: directory,
      stdio: ["ignore", "inherit", "inherit"],
    });
  };

  it("the library with the added resource compiles", () => compile("sdk/tsconfig.json"));

  it("the added resource has a case that compiles with it", () => {
    const paths = { "pulumi-trivium": ["./sdk/index.ts"], "pulumi-trivium/testing": ["./sdk/testing.ts"] };
    const project = {
      extends: "./tsconfig.json",
      compilerOptions: { paths },
      include: ["tests/cases/secrets/notes/*.ts"],
    };
    writeFileSync(join(directory, "case.json"), JSON.stringify(project));
    compile("case.json");
  });

  it("the added resource lives", () =>
    execFileSync(process.execPath, ["--require", "ts-node/register/transpile-only", "--eval", lifecycle], {
      cwd: directory,
      stdio: ["ignore", "inherit", "inherit"],
    }));
});
