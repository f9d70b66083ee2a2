import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const sdk = join(__dirname, "..", "..", "sdk");

describe("a version of Node.js that is too old", () => {
  const { engines } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };

  for (const door of ["index", "testing", "webhook", "dynamic", "plugin/main", "command-line/main"]) {
    it(`a version of Node.js that is too old is reported in one sentence by ${door}`, () => {
      const script = `
        Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });
        try { require("./dist/${door}.js"); } catch ({ message }) { console.log(message); }`;
      const { stdout } = spawnSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });
      const [, oldest = ""] = engines.node.split(">=");
      const sentence = `pulumi-trivium requires Node.js ${oldest} or newer, but this is 18.20.4`;
      assert.equal(stdout, `${sentence} (${process.execPath}).\n`);
    });
  }
});
