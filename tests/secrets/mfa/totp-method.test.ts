import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { PartialSuccessError } from "../../../sdk/engine/reports";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { reading, serviceWith } from "../altered-responses";
import { hashicorp, secretsClientOf } from "../emulated-client";

const path = "/v1/identity/mfa/method/totp";
const defaults = {
  issuer: "Acme",
  period: 30,
  keySize: 20,
  qrSize: 200,
  algorithm: "SHA1",
  digits: 6,
  skew: 1,
  maxValidationAttempts: 5,
};

describe("TOTP methods of the namespaces above, in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  afterEach(stopServers);

  const listed = async (namespace: string): Promise<readonly string[]> => {
    const key_info = {
      "1a": { namespace_path: "" },
      "1b": { namespace_path: "team/" },
      "1c": { namespace_path: "team/sub/" },
      "1d": {},
    };
    const address = await serviceWith(emulator, ({ url }, response) =>
      url.endsWith("?list=true")
        ? { status: 200, body: { data: { keys: Object.keys(key_info), key_info } } }
        : response,
    );
    const settings = { ...hashicorp, ...address, "trivium:secretsNamespace": namespace };
    return totpMethodDefinition.importedBy?.ids(secretsClientOf(emulator, {}, settings), "", "mfa") ?? [];
  };

  it("the TOTP methods of a namespace above are not among those of the connection", async () => {
    assert.deepEqual(await listed("team/"), ["1b", "1d"]);
    assert.deepEqual(await listed("root"), ["1a", "1d"]);
  });

  for (const [what, status, act] of [
    ["change", 400, (method: FakeEngine) => method.up({ issuer: "Other" })],
    ["deletion", 500, (method: FakeEngine) => method.destroy()],
  ] as const) {
    it(`the TOTP methods of a namespace above have an error with fitting advice after a ${what}`, async () => {
      const method = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" }, hashicorp);
      const body = {
        errors: ["1 error occurred:\n\t* request namespace does not match method namespace\n\n"],
      };
      emulator.faults.add({ method: what === "change" ? "POST" : "DELETE", status, body });
      await assert.rejects(async () => act(method), {
        message: /does not match method namespace.*belongs to another namespace(?!.*enforcement)/,
      });
    });
  }
});

describe("secrets.mfa.TotpMethod", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const managedMethod = (settings: Readonly<Record<string, string>> = {}): FakeEngine =>
    new FakeEngine(totpMethodDefinition, emulator, settings);
  const methods = () => emulator.inspect().secrets.totpMethods;
  const ids = (): string[] => methods().map(({ id }) => id);
  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = methods();
    return rest;
  };

  it("a TOTP method has the documented defaults, and outputs for all settings", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    assert.equal(managed.id, methods()[0]?.id);
    assert.deepEqual(settings(), defaults);
    const { __managed, __at, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...defaults, type: "totp", namespace: "root" });
  });

  it("a TOTP method sends all settings with an update, so that the service keeps those that are not in the program", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    emulator.secrets.changeTotpMethod(managed.id ?? "", { keySize: 25 });
    assert.equal(await managed.up({ issuer: "Acme", digits: 8 }), "updated");
    assert.deepEqual(settings(), { ...defaults, keySize: 25, digits: 8 });
  });

  it("a TOTP method reads a period with a unit", async () => {
    const managed = managedMethod(
      await serviceWith(
        emulator,
        reading((data) => ({ ...data, period: "30s" })),
      ),
    );
    await managed.up({ issuer: "Acme", period: 30 });
    assert.equal(managed.outputs.period, 30);
    assert.equal(await managed.up({ issuer: "Acme", period: 30 }), "same");
  });

  it("a TOTP method is not recorded as updated if another client deletes it meanwhile, although the service reports success", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, ({ method, url }, response) => {
        if (method === "POST" && url !== path) {
          emulator.secrets.removeTotpMethod(ids()[0] ?? "");
        }
        return response;
      }),
    );
    await managed.up({ issuer: "Acme" });
    await assert.rejects(managed.up({ issuer: "Other" }), (error: Error) => {
      assert.match(error.message, /was written, but no longer exists: .* Run `pulumi refresh`/);
      return !(error instanceof PartialSuccessError);
    });
    assert.equal(managed.outputs.issuer, "Acme");
  });

  it("a TOTP method is not deleted while a login enforcement uses it: the error says so, state is kept", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    const enforcement = emulator.secrets.addEnforcement({ methodIds: [managed.id ?? ""] });
    await assert.rejects(managed.destroy(), ({ message }: Error) => {
      assert.ok(message.includes(`still used by an enforcement configuration with ID: ${enforcement.id}`));
      assert.match(message, /remove it from the enforcement first\.$/);
      return true;
    });
    emulator.secrets.removeEnforcement(enforcement.id);
    await managed.destroy();
    assert.deepEqual(methods(), []);
  });

  it("a TOTP method refuses what the documentation does not allow, without a request", async () => {
    const wrong = { issuer: "", digits: 7, skew: 2, algorithm: "MD5", period: 1.5, qrSize: 1.5 };
    const found = (await managedMethod().problems(wrong)).toSorted();
    assert.deepEqual(found, [
      'algorithm must be one of "SHA1", "SHA256", "SHA512"',
      "digits must be one of 6, 8",
      "issuer must not be empty",
      "period must be a whole number of seconds, or have a unit",
      "qrSize must be a whole number",
      "skew must be one of 0, 1",
    ]);
    assert.equal(emulator.journal.count(), 0);
  });

  it("a TOTP method warns of an issuer that services do not escape, and of no other", () => {
    const warningsOf = (issuer: string) =>
      checkArguments(totpMethodDefinition, z, "documented", { issuer }).warnings;
    for (const sign of "$&+,/:;=@") {
      assert.match(String(warningsOf(`Acme${sign}Sons`)), /^issuer contains one of .* show another issuer$/);
    }
    assert.deepEqual(["Acme Sons", "Äcme-1_2.~", "100% #1?"].flatMap(warningsOf), []);
  });

  it("a TOTP method warns of numbers that are unlikely to work, of which the products refuse two", () => {
    const args = { issuer: "Acme", period: "0s", keySize: 0, qrSize: -1, maxValidationAttempts: 0 };
    const check = (dialect: Dialect) => checkArguments(totpMethodDefinition, z, dialect, args);
    const actual = check("documented");
    assert.deepEqual(actual, {
      failures: [],
      warnings: ["period is less than 1", "keySize is less than 1", "qrSize is less than 0"]
        .concat("maxValidationAttempts is less than 1")
        .map((warning) => `${warning}, which is unlikely to work`),
    });
    const properties = check("hashicorp").failures.map(({ property }) => property);
    assert.deepEqual(properties, ["period", "keySize"]);
  });
});
