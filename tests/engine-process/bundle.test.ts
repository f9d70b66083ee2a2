import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import * as library from "pulumi-trivium";
import { collectDefinitions } from "../../sdk/resource/registry";

const sdk = resolve(__dirname, "../../sdk");

describe("what the provider process loads", () => {
  it("knows every class, in one file that loads nothing but parts of the SDK", () => {
    const types = [...collectDefinitions(library).keys()];
    const script = `
      require("@pulumi/pulumi/runtime");
      const before = new Set(Object.keys(require.cache));
      const { provider } = require("./dist/dynamic.js");
      const hooks = ${JSON.stringify(types)}.map((type) => typeof provider(type).create);
      const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
      console.log(JSON.stringify({ hooks, loaded }));`;
    const told = execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });
    const { hooks, loaded } = JSON.parse(told) as { hooks: string[]; loaded: string[] };
    assert.deepEqual(
      hooks,
      types.map(() => "function"),
    );
    assert.deepEqual(
      loaded.filter((file) => !file.includes("@pulumi")),
      [resolve(sdk, "dist/dynamic.js")],
    );
  });

  it("refuses a class that only a newer version knows", () => {
    const script = `
      try { require("./dist/dynamic.js").provider("secrets:Nothing"); } catch (error) { console.log(error.message); }`;
    const told = execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });
    assert.match(told, /has no resource type secrets:Nothing/);
  });
});
