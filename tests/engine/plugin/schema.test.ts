import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { testCli } from "../support/cli";

const directory = join(__dirname, "..", "..", "..", "sdk", "plugin");

describe("the plugin's schema, with the real CLI", function () {
  this.timeout(120_000);

  it("is what pulumi package get-schema shows, which refuses what is no schema", async () => {
    const cli = await testCli();
    const { stdout } = await promisify(execFile)(
      cli.command.command,
      ["package", "get-schema", join(directory, "pulumi-resource-trivium")],
      { env: { ...process.env, ...cli.environment({}) }, maxBuffer: 1 << 24 },
    );
    const { resources, functions } = JSON.parse(stdout) as Record<string, object>;
    const committed = JSON.parse(await readFile(join(directory, "schema.json"), "utf8")) as Record<
      string,
      object
    >;
    assert.deepEqual(Object.keys(resources ?? {}), Object.keys(committed.resources ?? {}));
    assert.deepEqual(Object.keys(functions ?? {}), Object.keys(committed.functions ?? {}));
  });
});
