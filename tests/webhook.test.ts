import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join, relative, sep } from "node:path";
import * as webhook from "../sdk/provisioning/webhook";
import { repository } from "./support/packed-library";

describe("the entry pulumi-trivium/webhook", () => {
  const names = Object.keys(webhook).toSorted();
  const outputOf = (program: string, ...options: readonly string[]): unknown =>
    JSON.parse(
      execFileSync(process.execPath, [...options, "-e", program], { cwd: repository, encoding: "utf8" }),
    );

  it("the entry pulumi-trivium/webhook exports the same as provisioning.webhook, and loads almost nothing else of the library", () => {
    const [exported, ...files] = outputOf(`
      const names = Object.keys(require("pulumi-trivium/webhook")).sort();
      console.log(JSON.stringify([names, ...Object.keys(require.cache)]));`) as [string[], ...string[]];
    assert.deepEqual(exported, names);
    const found = files.map((file) => relative(join(repository, "sdk", "dist"), file).replaceAll(sep, "/"));
    const own = ["base/json.js", "base/node-version.js", "provisioning/webhook.js", "webhook.js"];
    assert.deepEqual(found.toSorted(), own);
  });

  it("the entry pulumi-trivium/webhook exports all names to ES modules", () => {
    const program = `
      import { ${names.join(", ")} } from "pulumi-trivium/webhook";
      console.log(JSON.stringify([${names.join(", ")}].map((each) => typeof each)));`;
    const types = names.map((name) => typeof Reflect.get(webhook, name));
    assert.deepEqual(outputOf(program, "--input-type=module"), types);
  });
});
