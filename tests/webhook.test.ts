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

  it("the entry pulumi-trivium/webhook has what provisioning.webhook has, and loads next to nothing of the library", () => {
    const loaded = outputOf(`
      const names = Object.keys(require("pulumi-trivium/webhook")).sort();
      console.log(JSON.stringify([names, ...Object.keys(require.cache)]));`) as [string[], ...string[]];
    const [exported, ...files] = loaded;
    const compiled = join(repository, "sdk", "dist");
    assert.deepEqual(exported, names);
    const found = files.map((file) => relative(compiled, file).split(sep).join("/")).toSorted();
    assert.deepEqual(found, [
      "base/json.js",
      "base/node-version.js",
      "provisioning/webhook.js",
      "webhook.js",
    ]);
  });

  it("the entry pulumi-trivium/webhook exports all names to ES modules", () => {
    const program = `
      import { ${names.join(", ")} } from "pulumi-trivium/webhook";
      console.log(JSON.stringify([${names.join(", ")}].map((each) => typeof each)));`;
    const actual = outputOf(program, "--input-type=module");
    assert.deepEqual(
      actual,
      names.map((name) => typeof Reflect.get(webhook, name)),
    );
  });
});
