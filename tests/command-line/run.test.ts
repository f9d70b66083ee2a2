import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../../sdk/command-line/run";
import { repository } from "../support/packed-library";
import { run } from "./binary";

describe("npx pulumi-trivium", function () {
  this.timeout(60_000);

  it("the command line lists its commands, and reports invalid usage when none was named", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      const { ended, printed } = run(args);
      assert.equal(await ended, args.length === 0 ? 2 : 0);
      for (const { name, summary } of commands) {
        assert.match(printed.out, new RegExp(`^  ${name} +${summary}$`, "m"));
      }
    }
  });

  it("the command line prints its version", async () => {
    const { ended, printed } = run(["--version"]);
    assert.equal(await ended, 0);
    const file = readFileSync(join(repository, "sdk", "package.json"), "utf8");
    assert.equal(printed.out.trim(), (JSON.parse(file) as { readonly version: string }).version);
  });

  for (const command of commands) {
    it(`--help explains every option of ${command.name}`, async () => {
      const { ended, printed } = run([command.name, "--help"]);
      assert.equal(await ended, 0);
      for (const option of Object.keys(command.options)) {
        assert.match(printed.out, new RegExp(`^  --${option}\\b`, "m"));
      }
      assert.doesNotMatch(printed.out, /\n\n\n/);
    });
  }

  it("the command line reports in one sentence that a package is missing", () => {
    const directory = mkdtempSync(join(tmpdir(), "command-line-"));
    const compiled = join(directory, "dist", "command-line");
    mkdirSync(compiled, { recursive: true });
    cpSync(join(repository, "sdk", "bin"), join(directory, "bin"), { recursive: true });
    const printed = [".*main\\.js", "undici-that-is-not-there"].map((missing) => {
      const { status, stderr } = spawnSync(process.execPath, [join(directory, "bin", "pulumi-trivium.mjs")]);
      const lines = stderr.toString().trim();
      const reason = `^pulumi-trivium cannot start: Cannot find module '${missing}'.*Run npm install.*$`;
      assert.match(lines, new RegExp(reason));
      writeFileSync(join(compiled, "main.js"), 'require("undici-that-is-not-there")');
      return status;
    });
    assert.deepEqual(printed, [1, 1]);
    rmSync(directory, { recursive: true });
  });

  const misused: readonly (readonly [readonly string[], RegExp])[] = [
    [["tail"], /^"tail" is not a command\. See npx pulumi-trivium --help\.$/],
    [["events", "--topics", "Node"], /^Unknown option '--topics'\. See npx pulumi-trivium events --help\.$/],
    [["events", "Node"], /^Unexpected argument 'Node'.* See npx pulumi-trivium events --help\.$/],
    [["events", "--index", "first"], /^--index must be a whole number, not "first"\./],
    [["events", "--topic"], /argument missing/],
    [["events", "--topic", ""], /^topics\[0\] must be a topic such as "Node".*events --help\.$/],
    [["events", "--namespace", ""], /^namespace must not be empty\./],
    [["emulator", "--port", "web=1"], /^--port must be SERVICE=PORT/],
    [["emulator", "--port", "secrets=65536"], /^--port must be .* port up to 65535, not secrets=65536\./],
    ...["klingon", "post=hashicorp", "secrets="].map((dialect): readonly [readonly string[], RegExp] => [
      ["emulator", "--dialect", dialect],
      new RegExp(`^--dialect must be documented or hashicorp, or SERVICE=NAME.*${dialect}`),
    ]),
    [["emulator", "--seed", "none.json"], /^--seed .*none\.json cannot be read: ENOENT/],
    [
      ["doctor", "vault"],
      /^SERVICE must be provisioning, secrets or scheduler, not "vault"\. See .* doctor --help/,
    ],
    [["doctor", "--stack", ""], /^--stack must be a stack name/],
    [["doctor", "--dialect", "x"], /^Unknown option '--dialect'/],
    [["import-file"], /^No option selects objects to import\. See npx pulumi-trivium import-file --help/],
  ];
  for (const [args, message] of misused) {
    it(`the command line explains the mistake in ${args.join(" ")}`, async () => {
      const { ended, printed } = run(args);
      assert.equal(await ended, 2);
      assert.equal(printed.out, "");
      assert.match(printed.error.trim(), message);
    });
  }
});
