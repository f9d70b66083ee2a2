import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServiceReport } from "../../../sdk/command-line/doctor/examine";
import { reportLines } from "../../../sdk/command-line/doctor/report";
import { useEnvironment } from "../../connection/environment";
import { testCli } from "../../engine/support/cli";
import { useEmulator } from "../../support/use-emulator";
import { doctor, examined } from "./doctor";

const report: ServiceReport = {
  service: "secrets",
  configured: true,
  address: "https://secrets.example",
  dialect: "documented",
  settings: [{ name: "address", source: "the environment variable SECRETS_ADDR", secret: false }],
  product: null,
  findings: [],
};

describe("the doctor's report", () => {
  it("the doctor's report has columns, with the advice below its subject, one sentence per line", () => {
    const findings: ServiceReport["findings"] = [
      { state: "ok", check: "address", message: "reachable" },
      { state: "problem", check: "token", message: "rejected", advice: "Do this. Then that." },
    ];
    const other = { ...report, configured: false, address: null, dialect: null };
    const found = reportLines([{ ...report, findings }, other], false);
    assert.deepEqual(found, [
      "secrets  https://secrets.example  documented",
      "           address  from the environment variable SECRETS_ADDR",
      "  ok       address  reachable",
      "  problem  token    rejected",
      "                    Do this.",
      "                    Then that.",
      "",
      "secrets",
    ]);
  });

  it("the doctor's report colors only the first column, and does not let a value control the terminal", () => {
    const finding = { message: "\u001b[2Jgone", advice: "\u0007" };
    const findings = [{ state: "problem", check: "token", ...finding }] as const;
    const [, , line = "", ...rest] = reportLines([{ ...report, findings: [...findings] }], true);
    const beginning = "  \u001b[31mproblem\u001b[0m  token    ";
    assert.ok(line.startsWith(beginning) && line.endsWith("gone"), line);
    assert.doesNotMatch(line.slice(beginning.length) + rest.join(""), /\p{C}/u);
  });
});

const execute = promisify(execFile);

describe("doctor: the configuration of a stack", function () {
  this.timeout(120_000);

  const emulator = useEmulator();
  let project: string;
  let cli: Record<string, string> = {};
  useEnvironment(() => ({ ...emulator.environment, ...cli }));
  const workingDirectory = process.cwd();
  before(async () => {
    project = mkdtempSync(join(tmpdir(), "doctor-"));
    mkdirSync(join(project, "state"));
    writeFileSync(join(project, "Pulumi.yaml"), "name: patient\nruntime: nodejs\n");
    cli = (await testCli()).environment({
      PULUMI_BACKEND_URL: `file://${join(project, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "not-a-secret",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      NODE_OPTIONS: "",
    });
    await configure("dev", "--plaintext", "secretsAddress", emulator.secrets.address);
    await configure("dev", "--secret", "secretsToken", "canary-of-a-token");
  });
  beforeEach(() => process.chdir(project));
  afterEach(() => process.chdir(workingDirectory));
  after(() => rmSync(project, { recursive: true, force: true }));

  async function configure(stack: string, kind: string, key: string, value: string): Promise<void> {
    const options = { cwd: project, env: cli };
    await execute("pulumi", ["stack", "select", "--create", stack, "--non-interactive"], options);
    const args = ["config", "set", "--stack", stack, kind, `trivium:${key}`, value, "--non-interactive"];
    await execute("pulumi", args, options);
  }

  it("a stack's configuration takes precedence over the environment, and doctor does not show its secrets", async () => {
    process.env.SECRETS_ADDR = "http://127.0.0.1:1";
    const { status, settings, address } = await examined("secrets", "--stack", "dev");
    assert.deepEqual([status, address], [1, emulator.secrets.address]);
    const source = (key: string): string => `the configuration value trivium:${key} of the stack dev`;
    assert.deepEqual(settings, [
      { name: "address", source: source("secretsAddress"), secret: false },
      { name: "token", source: source("secretsToken"), secret: true },
    ]);
    const { out } = await doctor("secrets", "--stack", "dev");
    assert.ok(out.includes(`The token comes from ${source("secretsToken")}.\n`));
    assert.ok(!out.includes("canary-of-a-token"));
    process.env.TRIVIUM_SECRETS_TOKEN = emulator.secrets.token;
    assert.equal((await doctor("secrets", "--stack", "dev")).status, 0);
  });

  it("doctor warns about unknown keys, with the service that was meant, and about a token in plain text", async () => {
    for (const [key, value] of [
      ["schedulerToken", emulator.scheduler.token],
      ["secretsTokn", "canary-of-a-token"],
      ["provisioningMovedFrom", "https://old.example"],
      ["entirelyUnrelated", "x"],
    ] as const) {
      await configure("typos", "--plaintext", key, value);
    }
    const { status, out } = await doctor("--json", "--stack", "typos");
    const { services } = JSON.parse(out) as { readonly services: readonly ServiceReport[] };
    const effect = "is not a valid configuration key, so it has no effect";
    const remove = (key: string) => `Remove it with \`pulumi config rm trivium:${key}\`.`;
    const set = "Set it again with `pulumi config set --secret trivium:schedulerToken`";
    const warnings = services.map(({ findings }) =>
      findings
        .filter(({ check, state }) => check === "settings" && state === "warning")
        .map(({ code, message, advice }) => `${code}: ${message}. ${advice}`)
        .join(),
    );
    assert.deepEqual(warnings, [
      `UNKNOWN_KEY: trivium:entirelyUnrelated ${effect}. ${remove("entirelyUnrelated")}`,
      `UNKNOWN_KEY: trivium:secretsTokn ${effect}. Did you mean trivium:secretsToken? ${remove("secretsTokn")}`,
      `PLAIN_TOKEN: trivium:schedulerToken is stored in plain text. ${set}, and replace the token if others could read it.`,
    ]);
    assert.equal(status, 0);
  });

  it("doctor reports why a stack's configuration cannot be read, and does not show output that is not a configuration", async () => {
    const failing = async (stack: string, message: string): Promise<void> => {
      const { status, out, error } = await doctor("--stack", stack);
      assert.deepEqual([status, out], [1, ""]);
      const reason = `^The configuration of the stack ${stack} could not be read: ${message}`;
      assert.match(error, new RegExp(reason, "m"));
    };
    await failing("nowhere", "the Pulumi CLI failed: .*nowhere");
    const { PATH = "", PULUMI_BACKEND_URL } = process.env;
    process.env.PULUMI_HOME = join(project, "home");
    delete process.env.PULUMI_BACKEND_URL;
    await failing("dev", "the Pulumi CLI failed: .*\\. Run `pulumi login`, or set PULUMI_BACKEND_URL\\.$");
    process.env.PULUMI_BACKEND_URL = PULUMI_BACKEND_URL;
    process.env.PATH = project;
    await failing("dev", "the Pulumi CLI is not on the PATH\\.$");
    process.env.PATH = `${project}:${PATH}`;
    for (const what of ["JSON", "a configuration"]) {
      const output = what === "JSON" ? "canary-of-a-response" : '["canary-of-a-response"]';
      writeFileSync(join(project, "pulumi"), `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 });
      await failing("dev", `the output of the Pulumi CLI is not ${what}\\.$`);
    }
  });
});
