import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ensurePulumiCli } from "../../scripts/pulumi-cli";

/** Programs of the shell on an otherwise empty PATH. They find no others unless they name their whole path. */
describe("ensurePulumiCli", function () {
  this.timeout("1m");
  let directory: string;
  let programs: string;
  let cache: string;
  let environment: NodeJS.ProcessEnv;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "trivium-cli-"));
    programs = path.join(directory, "programs");
    cache = path.join(directory, "cache");
    const offline = path.join(directory, "offline.cjs");
    writeFileSync(offline, 'globalThis.fetch = async () => { throw new TypeError("no route"); };');
    environment = {
      PATH: programs,
      HOME: directory,
      TRIVIUM_PULUMI_CACHE: cache,
      NODE_OPTIONS: `--require ${offline}`,
    };
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function writeProgram(into: string, name: string, ...lines: string[]): void {
    mkdirSync(into, { recursive: true });
    writeFileSync(path.join(into, name), ["#!/bin/sh", ...lines, ""].join("\n"));
    chmodSync(path.join(into, name), 0o755);
  }

  function writeInstallation(into: string): void {
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]) {
      writeProgram(into, name, "echo v3.300.1");
    }
  }

  /** A `go` whose "build" writes a program that tells a version. */
  function writeGo(...failure: string[]): void {
    writeProgram(
      programs,
      "go",
      'while [ "$1" != -o ]; do shift; done',
      "printf '#!/bin/sh\\necho v3.300.2\\n' > \"$2\"",
      '/bin/chmod 755 "$2"',
      ...failure,
    );
  }

  it("prefers the person's own, which may be a link, and caches nothing", async () => {
    const original = path.join(directory, "original");
    writeInstallation(original);
    mkdirSync(programs);
    symlinkSync(path.join(original, "pulumi"), path.join(programs, "pulumi"));
    const { source, version, directory: place } = await ensurePulumiCli({ environment });
    assert.deepEqual([source, version, place], ["path", "v3.300.1", original]);
    assert.deepEqual(readdirSync(directory).sort(), ["offline.cjs", "original", "programs"]);
  });

  it("builds once where the person's own is incomplete and no release can be downloaded", async () => {
    writeInstallation(programs);
    rmSync(path.join(programs, "pulumi-language-nodejs"));
    writeGo();
    const first = await ensurePulumiCli({ environment });
    assert.deepEqual([first.source, first.version], ["built", "v3.300.2"]);
    assert.equal(path.dirname(path.dirname(first.directory)), cache);
    rmSync(path.join(programs, "go"));
    assert.equal((await ensurePulumiCli({ environment })).command, first.command);
  });

  it("builds a damaged entry of the cache again", async () => {
    writeGo();
    const { directory: built } = await ensurePulumiCli({ environment });
    rmSync(path.join(built, "pulumi-language-nodejs"));
    assert.equal((await ensurePulumiCli({ environment })).directory, built);
    assert.equal(readdirSync(built).length, 3);
  });

  it("says what was tried, why each failed and what to do, and leaves nothing in the cache", async () => {
    writeGo("echo 'undefined: x' >&2", "exit 1");
    const message = await ensurePulumiCli({ environment }).then(
      () => assert.fail("there is no way to a CLI here"),
      (error: unknown) => String(error),
    );
    assert.match(message, /pulumi on PATH: there is none/);
    assert.match(message, /official release v3\S+: [^]*no route/);
    assert.match(message, /build of v3\S+ with Go: [^]*undefined: x/);
    assert.match(message, /or install Go 1\.\d+ or newer/);
    assert.deepEqual(readdirSync(cache), []);
  });

  it("gives child processes an environment with the installation first and the caller's word last", async () => {
    writeInstallation(programs);
    environment.PATH = `${programs}:/elsewhere`;
    environment.PULUMI_ACCESS_TOKEN = "somebody's";
    const installation = await ensurePulumiCli({ environment });
    const child = installation.environment({ PULUMI_HOME: "/mine", PULUMI_ACCESS_TOKEN: undefined });
    assert.equal(child.PATH, `${programs}:${programs}:/elsewhere`);
    assert.equal(child.PULUMI_HOME, "/mine");
    assert.equal(child.PULUMI_SKIP_UPDATE_CHECK, "true");
    assert.ok(!("PULUMI_ACCESS_TOKEN" in child));
  });
});
