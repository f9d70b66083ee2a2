import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ensurePulumiCli, PulumiCliUnavailableError } from "../../scripts/pulumi-cli";
import { pinnedCli, repository } from "../../scripts/pulumi-cli/pins";
import { run } from "../../scripts/pulumi-cli/run";
import { writeInstallation, writeProgram } from "./fake-programs";

const noRelease = (): Promise<void> => Promise.reject(new Error("releases are out of reach"));
const quiet = (): void => undefined;

describe("ensurePulumiCli", () => {
  let directory: string;
  let programs: string;
  let cache: string;
  let environment: NodeJS.ProcessEnv;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "trivium-cli-"));
    programs = path.join(directory, "programs");
    cache = path.join(directory, "cache");
    environment = { PATH: programs, HOME: directory, TRIVIUM_PULUMI_CACHE: cache };
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** A `go` whose "build" writes a program that tells the pinned version. */
  function writeGo(): void {
    writeProgram(
      programs,
      "go",
      'while [ "$1" != -o ]; do shift; done',
      `printf '#!/bin/sh\\necho ${pinnedCli().version}\\n' > "$2"`,
      '/bin/chmod 755 "$2"',
    );
  }

  describe("pulumi on PATH", () => {
    it("is preferred when it is complete, and nothing is cached", async () => {
      writeInstallation(programs, "v3.300.1");
      const installation = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
      assert.equal(installation.source, "path");
      assert.equal(installation.version, "v3.300.1");
      assert.equal(installation.directory, programs);
      assert.equal(installation.command, path.join(programs, "pulumi"));
      assert.deepEqual(readdirSync(directory), ["programs"]);
    });

    it("may be a link to a complete installation elsewhere", async () => {
      const original = path.join(directory, "original");
      writeInstallation(original, "v3.300.1");
      mkdirSync(programs);
      symlinkSync(path.join(original, "pulumi"), path.join(programs, "pulumi"));
      const installation = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
      assert.equal(installation.source, "path");
      assert.equal(installation.directory, original);
    });

    for (const companion of ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]) {
      it(`is passed over without ${companion}`, async () => {
        writeInstallation(programs, "v3.300.1");
        rmSync(path.join(programs, companion));
        writeGo();
        const installation = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
        assert.equal(installation.source, "built");
        assert.equal(installation.version, pinnedCli().version);
      });
    }

    it("is passed over when it does not run", async () => {
      writeInstallation(programs, "v3.300.1");
      writeProgram(programs, "pulumi", "echo wrong machine >&2", "exit 126");
      await assert.rejects(
        ensurePulumiCli({ environment, report: quiet, installRelease: noRelease }),
        /pulumi on PATH: pulumi ended with code 126: wrong machine/,
      );
    });
  });

  it("prefers a release to a build, and then takes it from the cache", async () => {
    writeGo();
    let installed = 0;
    const installRelease = (into: string): Promise<void> => {
      installed += 1;
      writeInstallation(path.join(into, "bin"), pinnedCli().version);
      return Promise.resolve();
    };
    const first = await ensurePulumiCli({ environment, report: quiet, installRelease });
    const second = await ensurePulumiCli({ environment, report: quiet, installRelease });
    assert.equal(first.source, "release");
    assert.equal(second.source, "release");
    assert.equal(second.command, first.command);
    assert.equal(path.dirname(path.dirname(first.directory)), cache);
    assert.equal(installed, 1);
  });

  it("takes no incomplete release", async () => {
    writeGo();
    const installRelease = (into: string): Promise<void> => {
      writeProgram(path.join(into, "bin"), "pulumi", "echo v3.259.0");
      return Promise.resolve();
    };
    const installation = await ensurePulumiCli({ environment, report: quiet, installRelease });
    assert.equal(installation.source, "built");
    const entry = path.dirname(installation.directory);
    assert.deepEqual(readdirSync(cache), [path.basename(entry)]);
    assert.deepEqual(readdirSync(entry), ["bin"]);
  });

  it("builds once, saying so, and asks for no release afterwards", async () => {
    writeGo();
    const lines: string[] = [];
    const report = (line: string): number => lines.push(line);
    const first = await ensurePulumiCli({ environment, report, installRelease: noRelease });
    assert.equal(first.source, "built");
    assert.match(lines.join("\n"), /official release .*\n\.\.\. failed: releases are out of reach/);
    assert.match(
      lines.join("\n"),
      /building the Pulumi CLI v\S+ with Go .*four minutes.*\n\.\.\. done in \d+ s/,
    );

    lines.length = 0;
    rmSync(path.join(programs, "go"));
    const second = await ensurePulumiCli({ environment, report, installRelease: noRelease });
    assert.equal(second.command, first.command);
    assert.deepEqual(lines, []);
  });

  it("builds a damaged entry of the cache again", async () => {
    writeGo();
    const first = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
    rmSync(path.join(first.directory, "pulumi-language-nodejs"));
    const second = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
    assert.equal(second.command, first.command);
    assert.equal(readdirSync(second.directory).length, 3);
  });

  it("leaves nothing of a build that fails", async () => {
    writeProgram(
      programs,
      "go",
      'while [ "$1" != -o ]; do shift; done',
      'echo half > "$2"',
      "echo 'undefined: x' >&2",
      "exit 1",
    );
    await assert.rejects(
      ensurePulumiCli({ environment, report: quiet, installRelease: noRelease }),
      /go ended with code 1: undefined: x/,
    );
    assert.deepEqual(readdirSync(cache), []);
  });

  it("leaves neither files nor processes of a build that is interrupted", async () => {
    const started = path.join(directory, "started");
    await run("mkfifo", [started], { environment: process.env });
    writeProgram(
      programs,
      "go",
      'while [ "$1" != -o ]; do shift; done',
      'echo half > "$2"',
      'echo object > "$TMPDIR/object"',
      `echo $$ > ${started}`,
      "exec /bin/sleep 600",
    );
    const program =
      'require("./scripts/pulumi-cli").ensurePulumiCli({ installRelease: () => Promise.reject(new Error("none")) })';
    const child = spawn(process.execPath, ["--require", "ts-node/register", "--eval", program], {
      cwd: repository,
      env: environment,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    const builder = Number.parseInt(await readFile(started, "utf8"), 10);
    assert.equal(readdirSync(cache).length, 1);
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [null, "SIGTERM"]);
    assert.deepEqual(readdirSync(cache), []);
    assert.throws(() => process.kill(builder, 0), { code: "ESRCH" });
  });

  it("says what was tried, why each failed and what to do when nothing works", async () => {
    const failure = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease }).then(
      () => assert.fail("there is no way to a CLI here"),
      (error: unknown) => error,
    );
    assert.ok(failure instanceof PulumiCliUnavailableError);
    const { version, goVersion } = pinnedCli();
    assert.deepEqual(failure.message.split("\n"), [
      "No Pulumi CLI can be had. Tried:",
      "  - pulumi on PATH: there is none",
      `  - official release ${version}: releases are out of reach`,
      `  - build of ${version} with Go: spawn go ENOENT`,
      `Install the Pulumi CLI so that "pulumi" is on PATH, or install Go ${goVersion} or newer, then run this again.`,
    ]);
    assert.deepEqual(readdirSync(cache), []);
  });

  it("gives child processes an environment with the installation first and the caller's word last", async () => {
    writeInstallation(programs, "v3.300.1");
    environment.PATH = `${programs}:/elsewhere`;
    environment.PULUMI_ACCESS_TOKEN = "somebody's";
    const installation = await ensurePulumiCli({ environment, report: quiet, installRelease: noRelease });
    const child = installation.environment({ PULUMI_HOME: "/mine", PULUMI_ACCESS_TOKEN: undefined });
    assert.equal(child.PATH, `${programs}:${programs}:/elsewhere`);
    assert.equal(child.PULUMI_HOME, "/mine");
    assert.equal(child.PULUMI_SKIP_UPDATE_CHECK, "true");
    assert.ok(!("PULUMI_ACCESS_TOKEN" in child));
    assert.equal(installation.environment({ PATH: "/other" }).PATH, `${programs}:/other`);
  });
});

describe("the real Pulumi CLI", function () {
  this.timeout("1m");
  let project: string;

  const program = `
    const pulumi = require("@pulumi/pulumi");
    const provider = \`exports.handler = () => ({
      create: async ({ file, left, right }) => {
        require("node:fs").writeFileSync(file, "exists");
        return { id: "sum-1", outs: { file, sum: left + right } };
      },
      delete: async (id, { file }) => require("node:fs").unlinkSync(file),
    })\`;
    class Sum extends pulumi.CustomResource {
      constructor(name, inputs) {
        super("pulumi-nodejs:dynamic/trivium/tests:Sum", name, { ...inputs, sum: undefined, __provider: provider });
      }
    }
    const sum = new Sum("sum", { file: process.env.OBJECT_FILE, left: 40, right: 2 });
    exports.id = sum.id;
    exports.sum = sum.sum;
  `;

  before(async () => {
    const parent = path.join(repository, ".cache");
    mkdirSync(parent, { recursive: true });
    project = await mkdtemp(path.join(parent, "pulumi-cli-"));
    mkdirSync(path.join(project, "state"));
    writeFileSync(
      path.join(project, "Pulumi.yaml"),
      "name: sum\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
    );
    writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "sum", main: "index.js" }));
    writeFileSync(path.join(project, "index.js"), program);
  });

  after(() => rmSync(project, { recursive: true, force: true }));

  it("runs a program with a dynamic resource, up and destroy", async function () {
    // A first build of the CLI takes minutes.
    this.timeout("15m");
    const installation = await ensurePulumiCli();
    const object = path.join(project, "object");
    const environment = installation.environment({
      PULUMI_HOME: path.join(project, "home"),
      PULUMI_BACKEND_URL: `file://${path.join(project, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      OBJECT_FILE: object,
    });
    const pulumi = (...parameters: string[]): Promise<string> =>
      run(installation.command, [...parameters, "--non-interactive"], { directory: project, environment });

    assert.equal(await pulumi("version"), installation.version);
    await pulumi("stack", "init", "test");
    await pulumi("up", "--yes", "--skip-preview");
    assert.deepEqual(JSON.parse(await pulumi("stack", "output", "--json")), { id: "sum-1", sum: 42 });
    assert.equal(await readFile(object, "utf8"), "exists");
    await pulumi("destroy", "--yes", "--skip-preview");
    await assert.rejects(readFile(object), { code: "ENOENT" });
  });
});
