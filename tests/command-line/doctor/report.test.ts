import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServiceReport as Report } from "../../../sdk/command-line/doctor/examine";
import { reportData, reportLines } from "../../../sdk/command-line/doctor/report";
import type { Finding } from "../../../sdk/connection/probe";
import { testCli } from "../../engine/support/cli";
import { doctor, examined, type ServiceReport, useEmulator } from "./doctor";

function reportWith(...findings: Finding[]): Report {
  return {
    service: "secrets",
    configured: true,
    address: "https://secrets.example",
    dialect: "documented",
    settings: [{ name: "address", source: "the environment variable SECRETS_ADDR" }],
    product: undefined,
    findings,
  };
}

describe("the doctor's report", () => {
  it("is in columns, the advice below its subject, one sentence per line", () => {
    const report = reportWith(
      { state: "ok", check: "address", message: "reachable" },
      {
        state: "problem",
        check: "rights",
        message: "may not",
        subject: "entity aliases",
        advice: "Do this. Then that.",
      },
    );
    assert.deepEqual(reportLines([report], false), [
      "secrets  https://secrets.example  documented",
      "           address         from the environment variable SECRETS_ADDR",
      "  ok       address         reachable",
      "  problem  entity aliases  may not",
      "                           Do this.",
      "                           Then that.",
    ]);
  });

  it("colours only the first column, and only where colours are shown", () => {
    const report = reportWith({ state: "problem", check: "token", message: "refused" });
    const [, , plain = ""] = reportLines([report], false);
    const [, , coloured = ""] = reportLines([report], true);
    assert.equal(plain, "  problem  token    refused");
    assert.equal(coloured, "  \u001b[31mproblem\u001b[0m  token    refused");
  });

  it("lets nothing steer the terminal that comes from elsewhere", () => {
    const report = reportWith({
      state: "problem",
      check: "token",
      message: "\u001b[2Jgone",
      subject: "a\nb",
      advice: "\u0007",
    });
    assert.ok(reportLines([report], false).every((line) => !/\p{C}/u.test(line)));
  });

  it("leaves an empty line between services, and shows no settings of one that is not configured", () => {
    const report = reportWith();
    const other = { ...report, configured: false, address: undefined, dialect: undefined };
    assert.deepEqual(reportLines([report, other], false).slice(2), ["", "secrets"]);
  });

  it("says for programs which settings are secret", () => {
    const report = reportWith();
    const secret: Report = { ...report, settings: [{ name: "clientKey", source: "somewhere" }] };
    assert.deepEqual(reportData([secret], true), {
      adapter: "dynamic",
      ok: true,
      services: [
        {
          service: "secrets",
          configured: true,
          address: "https://secrets.example",
          dialect: "documented",
          product: null,
          settings: [{ name: "clientKey", source: "somewhere", secret: true }],
          findings: [],
        },
      ],
    });
  });
});

const execute = promisify(execFile);

describe("doctor: the configuration of a stack", function () {
  this.timeout(120_000);

  const at = useEmulator("documented");
  let project: string;
  let cli: Record<string, string>;
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
    await pulumi("stack", "init", "dev");
    const address = ["trivium:secretsAddress", at.emulator.secrets.address];
    await pulumi("config", "set", "--stack", "dev", "--plaintext", ...address);
    const token = ["trivium:secretsToken", "canary-of-a-token"];
    await pulumi("config", "set", "--stack", "dev", "--secret", ...token);
  });
  beforeEach(() => process.chdir(project));
  afterEach(() => process.chdir(workingDirectory));
  after(() => rmSync(project, { recursive: true, force: true }));

  const pulumi = (...args: string[]): Promise<unknown> =>
    execute("pulumi", [...args, "--non-interactive"], { cwd: project, env: cli });

  it("counts before the environment, and its secrets are not shown", async () => {
    at.surround(cli);
    at.surround({ SECRETS_ADDR: "http://127.0.0.1:1", SECRETS_TOKEN: at.emulator.secrets.token });
    const { status, settings, address } = await examined("secrets", "--stack", "dev");
    assert.deepEqual([status, address], [1, at.emulator.secrets.address]);
    assert.deepEqual(
      settings.map(({ name, source }) => [name, source]),
      [
        ["address", "the configuration value trivium:secretsAddress of the stack dev"],
        ["token", "the configuration value trivium:secretsToken of the stack dev"],
      ],
    );
    const { out } = await doctor("secrets", "--stack", "dev");
    assert.match(
      out,
      /The token comes from the configuration value trivium:secretsToken of the stack dev\.$/m,
    );
    assert.ok(!out.includes("canary-of-a-token"));
    at.surround({ TRIVIUM_SECRETS_TOKEN: at.emulator.secrets.token });
    assert.equal((await doctor("secrets", "--stack", "dev")).status, 0);
  });

  it("warns of keys that the library does not have, with the service that was meant", async () => {
    at.surround(cli);
    await pulumi("stack", "init", "typos");
    const { address, token } = at.emulator.provisioning;
    for (const [key, value] of [
      ["secretsTokn", "canary-of-a-token"],
      ["provisioningAdress", "http://127.0.0.1:1"],
      ["provisioningMovedFrom", "https://old.example"],
      ["adapter", "plugin"],
      ["entirelyUnrelated", "x"],
    ] as const) {
      await pulumi("config", "set", "--stack", "typos", "--plaintext", `trivium:${key}`, value);
    }
    at.surround({ PROVISIONING_ADDR: address, PROVISIONING_TOKEN: token });
    const { status, out } = await doctor("--json", "--stack", "typos");
    const { services } = JSON.parse(out) as { readonly services: readonly ServiceReport[] };
    const typos = services.map(({ findings }) =>
      findings
        .filter(({ code }) => code === "UNKNOWN_KEY")
        .map(({ state, message, advice }) => [state, message, advice]),
    );
    const because = "is not a valid configuration key, so it has no effect";
    assert.equal(status, 0);
    assert.deepEqual(typos, [
      [
        [
          "warning",
          `trivium:provisioningAdress ${because}`,
          "Did you mean trivium:provisioningAddress? Remove it with `pulumi config rm trivium:provisioningAdress`.",
        ],
        [
          "warning",
          `trivium:entirelyUnrelated ${because}`,
          "Remove it with `pulumi config rm trivium:entirelyUnrelated`.",
        ],
      ].sort(),
      [
        [
          "warning",
          `trivium:secretsTokn ${because}`,
          "Did you mean trivium:secretsToken? Remove it with `pulumi config rm trivium:secretsTokn`.",
        ],
      ],
      [],
    ]);
  });

  it("says what the CLI says when there is no such stack", async () => {
    at.surround(cli);
    const { status, out, error } = await doctor("--stack", "nowhere");
    assert.deepEqual([status, out], [1, ""]);
    assert.match(
      error,
      /^The configuration of the stack nowhere could not be read: the Pulumi CLI failed: .*nowhere/,
    );
  });

  it("says that there is no CLI", async () => {
    at.surround({ PATH: project });
    const { status, error } = await doctor("--stack", "dev");
    assert.equal(status, 1);
    assert.match(error, /could not be read: the Pulumi CLI is not on the PATH\.$/m);
  });

  it("shows nothing of a response that is no configuration", async () => {
    const impostor = join(project, "pulumi");
    writeFileSync(impostor, "#!/bin/sh\necho canary-of-an-answer\n");
    chmodSync(impostor, 0o755);
    at.surround({ PATH: `${project}:${process.env.PATH ?? ""}` });
    const { status, out, error } = await doctor("--stack", "dev");
    assert.equal(status, 1);
    assert.match(error, /the output of the Pulumi CLI is not a configuration\.$/m);
    assert.ok(!`${out}${error}`.includes("canary-of-an-answer"));
  });
});
