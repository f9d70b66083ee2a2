import assert from "node:assert/strict";
import type { ServiceReport } from "../../sdk/command-line/doctor/examine";
import { useEnvironment } from "../connection/environment";
import { useEmulator } from "../support/use-emulator";
import { until } from "../testing/call";
import { run } from "./binary";
import { brief, doctor, examined, found } from "./doctor/doctor";

const services = ["provisioning", "secrets", "scheduler"] as const;

describe("npx pulumi-trivium doctor", function () {
  this.timeout(60_000);

  const emulators = { documented: useEmulator(), hashicorp: useEmulator({ dialect: "hashicorp" }) };
  useEnvironment(() => ({}));

  const surround = (more: Readonly<Record<string, string>>): void => void Object.assign(process.env, more);
  const products = {
    documented: [null, null, null],
    hashicorp: [
      { name: "Terraform Enterprise", version: "v202507-1" },
      { name: "Vault or OpenBao", version: "2.6.2" },
      { name: "Nomad", version: "2.0.5" },
    ],
  };

  const reported = (out: string) =>
    JSON.parse(out) as { readonly ok: boolean; readonly services: readonly ServiceReport[] };

  for (const dialect of ["documented", "hashicorp"] as const) {
    const emulator = emulators[dialect];

    it(`doctor finds no problems in the ${dialect} dialect, as JSON and as text, and changes nothing`, async () => {
      surround(emulator.environment);
      const stored = () => ({ ...emulator.inspect(), scheduler: undefined });
      const before = stored();
      const [json, { status, out, error }] = [await doctor("--json"), await doctor()];
      assert.deepEqual([json.status, json.error, status, error], [0, "", 0, ""]);
      const report = reported(json.out);
      const found = report.services.map(({ product }) => product);
      assert.deepEqual([report.ok, ...found], [true, ...products[dialect]]);
      for (const { findings } of report.services) {
        assert.ok(findings.some(({ check, state }) => check === "token" && state === "ok"));
        assert.ok(findings.every(({ state, message }) => /^(ok|note)$/.test(state) && message !== ""));
      }
      for (const service of services) {
        assert.ok(out.includes(`${service}  ${emulator[service].address}  ${dialect}\n`), out);
      }
      assert.match(out, /^ {11}address +from the environment variable PROVISIONING_ADDR$/m);
      assert.match(out, /^ {2}ok {7}token +valid/m);
      assert.deepEqual(stored(), before);
      assert.ok(emulator.journal.requests().every(({ method }) => method === "GET" || method === "LIST"));
    });

    it(`doctor reports which service rejects a token in the ${dialect} dialect and where the token came from, but never the token itself`, async () => {
      const names = services.map((service) => `${service.toUpperCase()}_TOKEN`);
      const tokens = names.map((name) => [name, "canary-of-a-token"] as const);
      surround({ ...emulator.environment, ...Object.fromEntries(tokens) });
      for (const args of [[], ["--json"]]) {
        const { status, out, error } = await doctor(...args);
        assert.deepEqual([status, error], [1, "3 problems.\n"]);
        assert.ok(!out.includes("canary-of-a-token"));
        for (const name of names) {
          assert.ok(out.includes(`The token comes from the environment variable ${name}`));
          assert.ok(out.includes(`To override it, set TRIVIUM_${name}`));
        }
      }
    });
  }

  for (const [service, product] of [
    ["provisioning", "Terraform Enterprise"],
    ["secrets", "Vault or OpenBao"],
    ["scheduler", "Nomad"],
  ] as const) {
    const variable = `${service.toUpperCase()}_DIALECT`;
    const places = `trivium:${service}Dialect or ${variable}`;

    it(`doctor recognizes the product behind the ${service} service, and does not send it a token in the product's header`, async () => {
      surround({ ...emulators.hashicorp.environment, [variable]: "" });
      const report = await examined(service);
      assert.equal(report.status, 1);
      assert.deepEqual(found(report, "dialect"), {
        check: "dialect",
        state: "problem",
        message: `documented, but this looks like ${product}`,
        advice: `Set ${places} to hashicorp.`,
        code: "WRONG_DIALECT",
      });
      const requests = emulators.hashicorp.journal.requests();
      // A bearer token is a documented scheduler's, and Nomad takes it too.
      assert.ok(requests.every(({ caller, path }) => caller === null || path === "/v1/event/stream"));
      assert.equal(requests[0]?.caller, null);
    });

    it(`doctor warns if the documented ${service} service looks like a product`, async () => {
      surround({ ...emulators.documented.environment, [variable]: "hashicorp" });
      const report = await examined(service);
      assert.equal(report.status, 1);
      const { state, advice, code } = found(report, "dialect");
      const token = found(report, "token").state;
      assert.deepEqual([state, code, token], ["warning", "UNKNOWN_PRODUCT", "problem"]);
      assert.ok(advice?.endsWith(`set ${places} to documented.`));
    });
  }

  it("doctor explains what to set if no settings exist", async () => {
    const { status, out, error } = await doctor();
    assert.equal(status, 1);
    assert.match(error, /^No service is configured/);
    for (const service of services) {
      const name = service.toUpperCase();
      const names = `trivium:${service}Address.* ${name}_ADDR.*trivium:${service}Token.* ${name}_TOKEN`;
      assert.match(out, new RegExp(names));
    }
  });

  it("doctor checks the other services if one that was not named on the command line is not configured", async () => {
    const { SCHEDULER_ADDR = "", SCHEDULER_TOKEN = "" } = emulators.documented.environment;
    surround({ SCHEDULER_ADDR, SCHEDULER_TOKEN });
    const { status, out } = await doctor("--json");
    const reports = reported(out).services;
    assert.deepEqual([status, ...reports.map(({ configured }) => configured)], [0, false, false, true]);
    assert.deepEqual(reports.slice(0, 1).map(brief), [["note settings NOT_CONFIGURED"]]);
    const named = await examined("secrets");
    assert.deepEqual([named.configured, ...brief(named)], [false, 1, "problem settings NOT_CONFIGURED"]);
  });

  for (const [what, environment, code, text] of [
    [
      "names what is missing if a service is only half configured",
      { SECRETS_ADDR: "http://127.0.0.1:1" },
      "UNUSABLE_SETTINGS",
      /Missing: token \(.*trivium:secretsToken.*SECRETS_TOKEN\)\. .*--stack NAME\.$/,
    ],
    [
      "detects a product's own variables that are not read because of the dialect",
      { VAULT_ADDR: "http://127.0.0.1:1" },
      "NOT_CONFIGURED",
      /VAULT_ADDR is set, but has no effect unless dialect \(trivium:secretsDialect, SECRETS_DIALECT\) is hashicorp\.$/,
    ],
  ] as const) {
    it(`doctor ${what}`, async () => {
      surround(environment);
      const report = await examined("secrets");
      assert.deepEqual(brief(report), [1, `problem settings ${code}`]);
      const { message, advice } = found(report, "settings");
      assert.match(`${message} ${advice ?? ""}`, text);
    });
  }

  for (const variable of ["SECRETS_DIALECT", "TRIVIUM_DIALECT"]) {
    it(`doctor reads the products' own variables in their dialect, by ${variable}`, async () => {
      const { address, token } = emulators.hashicorp.secrets;
      surround({ [variable]: "hashicorp", VAULT_ADDR: address, VAULT_TOKEN: token });
      const { status, settings } = await examined("secrets");
      const source = (name: string): string => `the environment variable ${name}`;
      assert.deepEqual(settings, [
        { name: "address", source: source("VAULT_ADDR"), secret: false },
        { name: "token", source: source("VAULT_TOKEN"), secret: true },
        { name: "dialect", source: source(variable), secret: false, value: "hashicorp" },
      ]);
      assert.equal(status, 0);
    });
  }

  for (const [what, values] of [
    ["a dialect that does not exist", { SECRETS_DIALECT: "canary-dialect" }],
    ["an address with a password", { SECRETS_ADDR: "http://user:canary-password@127.0.0.1:1" }],
    ["a file that does not exist", { SECRETS_CACERT: "/canary/authority.pem" }],
  ] as const) {
    it(`doctor explains ${what}, and does not show a value that might be secret`, async () => {
      surround({ ...emulators.documented.environment, ...values });
      const { out } = await doctor("secrets");
      assert.deepEqual(brief(await examined("secrets")), [1, "problem settings UNUSABLE_SETTINGS"]);
      assert.doesNotMatch(out, /canary-password|canary\/authority/);
    });
  }

  it("doctor shows the values of settings that cannot be secret", async () => {
    const headers = { SECRETS_HEADERS: JSON.stringify({ "X-Team": "canary-of-a-header" }) };
    surround({ ...emulators.documented.environment, SECRETS_REQUEST_TIMEOUT: "7s", ...headers });
    const { settings } = await examined("secrets");
    const values = settings.flatMap(({ name, value }) => (value === undefined ? [] : [`${name} ${value}`]));
    assert.deepEqual(values, ["requestTimeout 7s"]);
  });

  it("doctor exits with its status, and with 130 on Ctrl-C, in a separate process", async () => {
    const emulator = emulators.documented;
    const well = run(["doctor", "scheduler"], emulator.environment);
    assert.deepEqual([await well.ended, well.printed.error], [0, ""]);
    assert.ok(!well.printed.out.includes("\u001b"));
    const unwell = run(["doctor", "scheduler"], { ...emulator.environment, SCHEDULER_TOKEN: "wrong-token" });
    assert.deepEqual([await unwell.ended, unwell.printed.error], [1, "1 problem.\n"]);
    assert.equal(await run(["doctor", "nobody"]).ended, 2);
    const stalled = emulator.faults.add({ service: "scheduler", delay: "forever" });
    const interrupted = run(["doctor", "scheduler"], emulator.environment);
    await until(() => stalled.hits > 0);
    interrupted.process.kill("SIGINT");
    assert.deepEqual([await interrupted.ended, interrupted.printed], [130, { out: "", error: "" }]);
  });
});
