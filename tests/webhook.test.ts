import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join, relative, sep } from "node:path";
import * as webhook from "../sdk/provisioning/webhook";
import { repository } from "./support/packed-library";

interface Loaded {
  readonly names: readonly string[];
  readonly files: readonly string[];
}

describe("the entry pulumi-trivium/webhook", () => {
  let loaded: Loaded;

  before(() => {
    const program = `
      const names = Object.keys(require("pulumi-trivium/webhook"));
      console.log(JSON.stringify({ names, files: Object.keys(require.cache) }));`;
    loaded = JSON.parse(
      execFileSync(process.execPath, ["-e", program], { cwd: repository, encoding: "utf8" }),
    ) as Loaded;
  });

  it("has what provisioning.webhook has", () => {
    assert.deepEqual(loaded.names.toSorted(), Object.keys(webhook).toSorted());
  });

  it("loads no other package and next to nothing of the library", () => {
    const compiled = join(repository, "sdk", "dist");
    assert.deepEqual(loaded.files.map((file) => relative(compiled, file).split(sep).join("/")).toSorted(), [
      "base/json.js",
      "provisioning/webhook.js",
      "webhook.js",
    ]);
  });

  it("is found by ES modules with all its names", () => {
    const program = `
      import { parse, parseUnsigned, signatureOf, verifySignature } from "pulumi-trivium/webhook";
      console.log([parse, parseUnsigned, signatureOf, verifySignature].map((each) => typeof each).join());`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: repository,
      encoding: "utf8",
    });
    assert.equal(output.trim(), "function,function,function,function");
  });
});
