import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";
import { Router, type Endpoint } from "../../sdk/testing/router";

describe("the emulator's router", () => {
  const endpoint = (method: Endpoint["method"], path: string): Endpoint => ({ method, path });
  const list = endpoint("GET", "/things");
  const show = endpoint("GET", "/things/:id");
  const remove = endpoint("DELETE", "/things/:id");
  const router = new Router([list, show, remove, endpoint("POST", "/things/:id/parts/:part")]);

  it("finds endpoints and the values in their paths", () => {
    assert.deepEqual(router.find("GET", "/things"), { target: list, parameters: {} });
    assert.deepEqual(router.find("DELETE", "/things/a%2Fb%25"), {
      target: remove,
      parameters: { id: "a/b%" },
    });
    const found = router.find("POST", "/things/1/parts/2");
    assert.deepEqual(found !== undefined && "parameters" in found && found.parameters, {
      id: "1",
      part: "2",
    });
    const long = "x".repeat(1_000);
    assert.deepEqual(router.find("GET", `/things/${long}`), { target: show, parameters: { id: long } });
  });

  it("names the methods of a path that does not know this one", () => {
    assert.deepEqual(router.find("PATCH", "/things/1"), { allowedMethods: ["GET", "DELETE"] });
    assert.deepEqual(router.find("OPTIONS", "/things"), { allowedMethods: ["GET"] });
  });

  for (const path of [
    "/",
    "/thing",
    "/things/",
    "/things/1/parts",
    "things",
    "*",
    "http://host/things",
    "/things/%zz",
  ]) {
    it(`does not find ${path}`, () => assert.equal(router.find("GET", path), undefined));
  }

  it("says what to install where its package is missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "without-router-"));
    try {
      const sources = resolve(__dirname, "../../sdk");
      cpSync(join(sources, "testing.ts"), join(folder, "testing.ts"));
      cpSync(join(sources, "testing"), join(folder, "testing"), { recursive: true });
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (name.endsWith(".ts")) {
          const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
          const { outputText } = ts.transpileModule(readFileSync(join(folder, name), "utf8"), {
            compilerOptions,
          });
          writeFileSync(join(folder, name.replace(/ts$/, "js")), outputText);
        }
      }
      const program = 'try { require("./testing"); } catch (error) { console.log(error.message); }';
      const { stdout } = spawnSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" });
      assert.match(
        stdout,
        /needs the package "find-my-way", which is not installed.*npm install --save-dev find-my-way@9\n$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
