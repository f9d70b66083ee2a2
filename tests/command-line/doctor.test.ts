import assert from "node:assert/strict";
import { z } from "zod";
import { type Emulator, startEmulator } from "../../sdk/testing";
import { useEnvironment } from "../connection/environment";
import { until } from "../testing/call";
import { run } from "./binary";
import { brief, doctor, examined, found } from "./doctor/doctor";

const services = ["provisioning", "secrets", "scheduler"] as const;

const schema = z.strictObject({
  ok: z.boolean(),
  adapter: z.enum(["dynamic", "plugin"]),
  services: z.array(
    z.strictObject({
      service: z.enum(services),
      configured: z.boolean(),
      address: z.url().nullable(),
      dialect: z.enum(["documented", "hashicorp"]).nullable(),
      product: z.strictObject({ name: z.string(), version: z.string().nullable() }).nullable(),
      settings: z.array(
        z.strictObject({
          name: z.string(),
          source: z.string(),
          secret: z.boolean(),
          value: z.string().optional(),
        }),
      ),
      findings: z.array(
        z.strictObject({
          check: z.enum(["settings", "address", "tls", "dialect", "product", "token", "rights"]),
          subject: z.string().optional(),
          state: z.enum(["ok", "note", "warning", "problem"]),
          message: z.string().min(1),
          advice: z.string().min(1).optional(),
          code: z.string().min(1).optional(),
        }),
      ),
    }),
  ),
});

describe("npx pulumi-trivium doctor", function () {
  this.timeout(60_000);

  const emulators: Partial<Record<"documented" | "hashicorp", Emulator>> = {};
  const environment: Record<string, string> = {};
  before(async () => {
    for (const dialect of ["documented", "hashicorp"] as const) {
      emulators[dialect] = await startEmulator({ dialect });
    }
  });
  useEnvironment(() => environment);
  beforeEach(() => {
    for (const emulator of Object.values(emulators)) {
      emulator.reset();
    }
  });
  after(async () => {
    for (const emulator of Object.values(emulators)) {
      await emulator.close();
    }
  });

  const emulatorOf = (dialect: "documented" | "hashicorp"): Emulator => {
    const emulator = emulators[dialect];
    assert.ok(emulator);
    return emulator;
  };
  const surround = (more: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(more)) {
      process.env[name] = value;
    }
  };
  const products = {
    documented: [null, null, null],
    hashicorp: [
      { name: "Terraform Enterprise", version: "v202507-1" },
      { name: "Vault or OpenBao", version: "2.6.2" },
      { name: "Nomad", version: "1.10.5" },
    ],
  };

  for (const dialect of ["documented", "hashicorp"] as const) {
    describe(`in the ${dialect} dialect`, () => {
      beforeEach(() => surround(emulatorOf(dialect).environment));

      it("finds all well, and changes nothing", async () => {
        const emulator = emulatorOf(dialect);
        emulator.provisioning.addOrganization({ name: "acme" });
        const before = emulator.inspect();
        emulator.journal.clear();
        const { status, out, error } = await doctor("--json", "--organization", "acme");
        assert.deepEqual([status, error], [0, ""]);
        const report = schema.parse(JSON.parse(out));
        assert.equal(report.ok, true);
        assert.deepEqual(
          report.services.map(({ product }) => product),
          products[dialect],
        );
        for (const { findings } of report.services) {
          assert.ok(findings.some(({ check, state }) => check === "token" && state === "ok"));
          assert.ok(findings.every(({ state }) => state === "ok" || state === "note"));
        }
        assert.deepEqual(
          { ...emulator.inspect(), scheduler: undefined },
          { ...before, scheduler: undefined },
        );
        assert.ok(emulator.journal.requests().every(({ method }) => method === "GET" || method === "LIST"));
      });

      it("shows people the same", async () => {
        const { status, out, error } = await doctor();
        assert.deepEqual([status, error], [0, ""]);
        for (const service of services) {
          const address = emulatorOf(dialect)[service].address;
          assert.ok(out.includes(`${service}  ${address}  ${dialect}\n`), out);
        }
        assert.match(out, /^ {11}address +from the environment variable PROVISIONING_ADDR$/m);
        assert.match(out, /^ {2}ok {7}token +valid/m);
      });

      it("says who refuses a token, where it came from, and never what it is", async () => {
        for (const service of services) {
          surround({ [`${service.toUpperCase()}_TOKEN`]: "canary-of-a-token" });
        }
        for (const args of [[], ["--json"]]) {
          const { status, out, error } = await doctor(...args);
          assert.equal(status, 1);
          assert.equal(error, "3 problems.\n");
          assert.ok(!out.includes("canary-of-a-token"));
          for (const service of services) {
            assert.ok(
              out.includes(`The token comes from the environment variable ${service.toUpperCase()}_TOKEN`),
            );
            assert.ok(out.includes(`TRIVIUM_${service.toUpperCase()}_TOKEN overrides it`));
          }
        }
        for (const service of services) {
          const report = await examined(service);
          assert.match(brief(report).join(), /problem token HTTP_40[13]$/);
        }
      });
    });
  }

  describe("when a service speaks another dialect than it is set to", () => {
    const names = { provisioning: "Terraform Enterprise", secrets: "Vault or OpenBao", scheduler: "Nomad" };

    for (const service of services) {
      it(`recognizes the product behind the ${service} service, without showing it the token`, async () => {
        const emulator = emulatorOf("hashicorp");
        surround({ ...emulator.environment, [`${service.toUpperCase()}_DIALECT`]: "" });
        const report = await examined(service);
        assert.equal(report.status, 1);
        const { state, message, advice, code } = found(report, "dialect");
        assert.deepEqual(
          [state, code, message],
          ["problem", "WRONG_DIALECT", `documented, but this looks like ${names[service]}`],
        );
        assert.equal(
          advice,
          `Set trivium:${service}Dialect or ${service.toUpperCase()}_DIALECT to hashicorp.`,
        );
        assert.ok(emulator.journal.requests().every(({ caller }) => caller === null));
      });

      it(`recognizes the ${service} service as documented`, async () => {
        const emulator = emulatorOf("documented");
        surround({ ...emulator.environment, [`${service.toUpperCase()}_DIALECT`]: "hashicorp" });
        const report = await examined(service);
        assert.equal(report.status, 1);
        const { state, advice, code } = found(report, "dialect");
        assert.deepEqual([state, code], ["problem", "WRONG_DIALECT"]);
        assert.match(
          advice ?? "",
          new RegExp(`trivium:${service}Dialect.* to documented, or remove the setting\\.$`),
        );
      });
    }

    it("warns when nobody tells what it is, and the token proves nothing", async () => {
      const emulator = emulatorOf("documented");
      surround({ ...emulator.environment, SECRETS_DIALECT: "hashicorp", SECRETS_TOKEN: "canary-of-a-token" });
      assert.match(brief(await examined("secrets")).join(), /warning dialect UNKNOWN_PRODUCT/);
    });
  });

  describe("when settings are missing", () => {
    it("says what to set when nothing is", async () => {
      const { status, out, error } = await doctor();
      assert.equal(status, 1);
      assert.match(error, /^No service is configured/);
      for (const service of services) {
        const name = service.toUpperCase();
        assert.match(
          out,
          new RegExp(
            `trivium:${service}Address or ${name}_ADDR and trivium:${service}Token or ${name}_TOKEN`,
          ),
        );
      }
    });

    it("asks the others when a service is not configured that nobody has named", async () => {
      const { SCHEDULER_ADDR = "", SCHEDULER_TOKEN = "" } = emulatorOf("documented").environment;
      surround({ SCHEDULER_ADDR, SCHEDULER_TOKEN });
      const { status, out } = await doctor("--json");
      assert.equal(status, 0);
      const report = schema.parse(JSON.parse(out));
      assert.deepEqual(
        report.services.map(({ configured }) => configured),
        [false, false, true],
      );
      assert.deepEqual(brief(report.services[0] ?? { findings: [] }), ["note settings NOT_CONFIGURED"]);
    });

    it("treats it as a problem when it was named", async () => {
      const { status, configured, findings } = await examined("secrets");
      assert.deepEqual([status, configured], [1, false]);
      assert.deepEqual(brief({ findings }), ["problem settings NOT_CONFIGURED"]);
    });

    it("names what is missing of a service that is half configured", async () => {
      surround({ SECRETS_ADDR: emulatorOf("documented").secrets.address });
      const report = await examined("secrets");
      const { message, advice, code } = found(report, "settings");
      assert.deepEqual([message, code], ["no token is set", "INCOMPLETE_SETTINGS"]);
      assert.match(advice ?? "", /^Set trivium:secretsToken or SECRETS_TOKEN\. .*--stack NAME/);
    });

    it("detects a product's own variables that are not read because of the dialect", async () => {
      surround({ VAULT_ADDR: emulatorOf("hashicorp").secrets.address });
      const { advice } = found(await examined("secrets"), "settings");
      assert.equal(
        advice,
        "VAULT_ADDR is set, but has no effect unless trivium:secretsDialect or SECRETS_DIALECT is hashicorp.",
      );
    });

    for (const variable of ["SECRETS_DIALECT", "TRIVIUM_DIALECT"]) {
      it(`reads the products' own variables in their dialect, by ${variable}`, async () => {
        const { address, token } = emulatorOf("hashicorp").secrets;
        surround({ [variable]: "hashicorp", VAULT_ADDR: address, VAULT_TOKEN: token });
        const { status, settings } = await examined("secrets");
        assert.equal(status, 0);
        assert.deepEqual(settings, [
          { name: "address", source: "the environment variable VAULT_ADDR", secret: false },
          { name: "token", source: "the environment variable VAULT_TOKEN", secret: true },
          {
            name: "dialect",
            source: `the environment variable ${variable}`,
            secret: false,
            value: "hashicorp",
          },
        ]);
      });
    }

    for (const [what, values] of [
      ["a dialect that there is not", { SECRETS_DIALECT: "canary-dialect" }],
      ["an address with a password", { SECRETS_ADDR: "http://user:canary-password@127.0.0.1:1" }],
      ["a file that is not there", { SECRETS_CACERT: "/canary/authority.pem" }],
    ] as const) {
      it(`explains ${what}, and shows no value that may be secret`, async () => {
        surround({ ...emulatorOf("documented").environment, ...values });
        const { out } = await doctor("secrets");
        const report = await examined("secrets");
        const { state, code } = found(report, "settings");
        assert.deepEqual([report.status, state, code], [1, "problem", "UNUSABLE_SETTINGS"]);
        assert.doesNotMatch(out, /canary-password|canary\/authority/);
      });
    }
  });

  it("shows the values of settings that can be no secret", async () => {
    const headers = JSON.stringify({ "X-Team": "canary-of-a-header" });
    surround({
      ...emulatorOf("documented").environment,
      SECRETS_REQUEST_TIMEOUT: "7s",
      SECRETS_HEADERS: headers,
    });
    const { settings } = await examined("secrets");
    assert.deepEqual(
      settings.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]),
      [["requestTimeout", "7s"]],
    );
  });

  const misused: readonly [readonly string[], RegExp][] = [
    [
      ["vault"],
      /^SERVICE must be provisioning, secrets or scheduler, not "vault"\. See npx pulumi-trivium doctor --help\.$/,
    ],
    [
      ["secrets", "--organization", "acme"],
      /^--organization is for the provisioning service, which is not checked\./,
    ],
    [["--organization", ".."], /^--organization: "\.\." /],
    [["--workspace", ""], /^--workspace: "" is empty/],
    [["--mount", "a//b"], /^--mount: "a\/\/b" is empty or has an empty segment/],
    [["--stack", ""], /^--stack must be the name of a stack/],
    [["--dialect", "x"], /^Unknown option '--dialect'/],
  ];
  for (const [args, message] of misused) {
    it(`says what is wrong with ${args.join(" ")}`, async () => {
      const { status, out, error } = await doctor(...args);
      assert.deepEqual([status, out], [2, ""]);
      assert.match(error.trim(), message);
    });
  }

  it("ends with its status, and with 130 on Ctrl-C, in a process of its own", async () => {
    const emulator = emulatorOf("documented");
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
