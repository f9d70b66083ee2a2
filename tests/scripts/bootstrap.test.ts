import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** A clone in miniature: the real script and the real npm, over packages of its own and a compiler that copies. */
describe("bootstrap", function () {
  this.timeout("1m");
  let clone: string;

  const inClone = (...names: string[]): string => path.join(clone, ...names);
  const write = (name: string, contents: unknown): void => {
    mkdirSync(path.dirname(inClone(name)), { recursive: true });
    writeFileSync(inClone(name), typeof contents === "string" ? contents : JSON.stringify(contents));
  };
  const built = (): string[] => readdirSync(inClone("sdk", "dist")).sort();

  const compiler = `
    import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
    mkdirSync("dist", { recursive: true });
    for (const name of readdirSync(".").filter((name) => name.endsWith(".ts"))) {
      const text = readFileSync(name, "utf8");
      if (text.includes("syntax error")) { console.log(name + ": does not compile"); process.exitCode = 2; }
      writeFileSync("dist/" + name.replace(".ts", ".js"), text);
    }`;

  /** Declares a local package as the only dependency, in the manifest and in the lock file. */
  function depend(name: string): void {
    const root = { name: "clone", workspaces: ["sdk"], dependencies: { [name]: `file:${name}` } };
    write(`${name}/package.json`, { name, version: "1.0.0" });
    write("package.json", { ...root, private: true });
    write("package-lock.json", {
      name: "clone",
      lockfileVersion: 3,
      requires: true,
      packages: {
        "": root,
        [name]: { version: "1.0.0" },
        [`node_modules/${name}`]: { resolved: name, link: true },
        "node_modules/pulumi-trivium": { resolved: "sdk", link: true },
        sdk: { name: "pulumi-trivium", version: "1.0.0" },
      },
    });
  }

  function bootstrap(environment: NodeJS.ProcessEnv = {}): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [inClone("scripts", "bootstrap.mjs")], {
      cwd: os.tmpdir(),
      env: { ...process.env, ...environment },
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  }

  const assertReady = (environment?: NodeJS.ProcessEnv): string => {
    const { status, output } = bootstrap(environment);
    assert.equal(status, 0, output);
    return output;
  };

  beforeEach(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), "trivium-bootstrap-"));
    const script = path.resolve(__dirname, "..", "..", "scripts", "bootstrap.mjs");
    mkdirSync(inClone("scripts"));
    copyFileSync(script, inClone("scripts", "bootstrap.mjs"));
    write("tsconfig.json", {});
    write("compiler.mjs", compiler);
    write("sdk/package.json", {
      name: "pulumi-trivium",
      version: "1.0.0",
      scripts: { build: "node ../compiler.mjs" },
    });
    write("sdk/index.ts", "one");
    write("sdk/old.ts", "old");
    depend("first");
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  it("installs and builds a fresh clone, a line each, and then has nothing to do or say", () => {
    // The flags of an npm that runs it change nothing.
    const flags = { npm_config_workspace: "sdk", npm_config_dry_run: "true", npm_config_omit: "dev" };
    const lines = /^installing dependencies \.\.\. .* s\nbuilding the SDK \.\.\. .* s\n$/;
    assert.match(assertReady(flags), lines);
    assert.deepEqual(built(), ["index.js", "old.js"]);
    assert.ok(existsSync(inClone("node_modules", "first", "package.json")));
    assert.equal(assertReady(), "");
  });

  it("installs again when the lock file changed, the installation was interrupted or a package is gone", () => {
    assertReady();
    depend("second");
    assert.match(assertReady(), /^installing dependencies/);
    assert.ok(existsSync(inClone("node_modules", "second", "package.json")));

    for (const gone of [".package-lock.json", "second"]) {
      rmSync(inClone("node_modules", gone));
      assert.match(assertReady(), /^installing dependencies/);
    }
    assert.equal(assertReady(), "");
  });

  it("builds again whatever happened to the sources or to what was built, and leaves nothing stale", () => {
    assertReady();
    const expectBuild = (files: string[]): void => {
      assert.match(assertReady(), /^building the SDK .* s\n$/);
      assert.deepEqual(built(), files);
      assert.equal(assertReady(), "");
    };
    write("sdk/index.ts", "two");
    expectBuild(["index.js", "old.js"]);
    assert.equal(readFileSync(inClone("sdk/dist/index.js"), "utf8"), "two");
    for (const happen of [
      () => rmSync(inClone("sdk/old.ts")),
      () => rmSync(inClone("sdk/dist/index.js")),
      () => write("sdk/dist/foreign.js", ""),
      () => write("sdk/dist/index.js", "edited by hand"),
      () => write("tsconfig.json", { compilerOptions: {} }),
    ]) {
      happen();
      expectBuild(["index.js"]);
      assert.equal(readFileSync(inClone("sdk/dist/index.js"), "utf8"), "two");
    }
  });
});
