import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { PartialSuccessError } from "../../../sdk/engine/reports";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { hashicorp, secretsClientOf, useSecrets } from "../emulated-client";

const path = "/v1/identity/mfa/method/totp";
const numbers = { period: 30, keySize: 20, qrSize: 200, digits: 6, skew: 1, maxValidationAttempts: 5 };
const defaults = { issuer: "Acme", algorithm: "SHA1", ...numbers };
const acme = { issuer: "Acme" };

describe("TOTP methods of namespaces, in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });

  const paths = { "1a": "", "1b": "team/", "1c": "team/sub/", "1d": undefined };
  const described = Object.entries(paths).map(([id, namespace_path]) => [id, { namespace_path }]);
  const data = { keys: Object.keys(paths), key_info: Object.fromEntries(described) as object };
  for (const [namespace, ids] of [
    ["team/", ["1b", "1d"]],
    ["root", ["1a", "1d"]],
  ] as const) {
    it(`the TOTP methods of a namespace above or below are not among those of the namespace ${namespace}`, async () => {
      const address = await serviceWith(emulator, ({ url }, response) =>
        url.endsWith("?list=true") ? { status: 200, body: { data } } : response,
      );
      const settings = { ...hashicorp, ...address, "trivium:secretsNamespace": namespace };
      const client = secretsClientOf(emulator, {}, settings);
      assert.deepEqual(await totpMethodDefinition.importedBy?.ids(client, "", "mfa"), ids);
    });
  }

  for (const [method, status, act] of [
    ["POST", 400, (managed: FakeEngine) => managed.up({ issuer: "Other" })],
    ["DELETE", 500, (managed: FakeEngine) => managed.destroy()],
  ] as const) {
    it(`the TOTP methods of a namespace above have an error with fitting advice after ${method}`, async () => {
      const managed = await FakeEngine.create(totpMethodDefinition, emulator, acme);
      const error = "1 error occurred:\n\t* request namespace does not match method namespace\n\n";
      emulator.faults.add({ method, status, body: { errors: [error] } });
      const message = /does not match method namespace.*belongs to another namespace(?!.*enforcement)/;
      await assert.rejects(async () => act(managed), { message });
    });
  }

  for (const [server, reported, namespace] of [
    ["with its ID", {}, "root"],
    ["with only its path", { namespace_id: undefined, namespace_path: "teams/" }, "teams/"],
    ["with neither its ID nor its path", { namespace_id: undefined, namespace_path: undefined }, undefined],
  ] as const) {
    it(`a TOTP method has the namespace that a server reports ${server}`, async () => {
      const altered = reading((read) => ({ ...read, ...reported }));
      const settings = await serviceWith(emulator, altered);
      const { outputs } = await FakeEngine.create(totpMethodDefinition, emulator, acme, settings);
      assert.equal(outputs.namespace, namespace);
    });
  }

  it("a TOTP method's name can be changed, but a preview refuses to remove it, because the service keeps it", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { ...acme, name: "phones" });
    const removals: readonly Properties[] = [{}, { name: null }, { name: "" }];
    for (const rest of removals) {
      assert.deepEqual(await managed.problems({ ...acme, ...rest }), [
        "name cannot be removed, only changed: the service keeps it",
      ]);
    }
    assert.equal(await managed.up({ ...acme, name: "tokens" }), "updated");
    const unnamed = await FakeEngine.create(totpMethodDefinition, emulator, { ...acme, name: null });
    assert.equal(await unnamed.up(acme), "same");
  });
});

describe("secrets.mfa.TotpMethod", () => {
  const emulator = useSecrets();

  const manage = (args: Properties = acme, settings = {}) =>
    FakeEngine.create(totpMethodDefinition, emulator, args, settings);
  const methods = () => emulator.inspect().secrets.totpMethods;

  it("a TOTP method has the documented defaults, and outputs for all settings", async () => {
    const { id, outputs } = await manage();
    assert.deepEqual(methods(), [{ id, ...defaults }]);
    const { __managed, __at, ...settings } = outputs;
    assert.deepEqual(settings, { ...defaults, type: "totp", namespace: "root" });
  });

  it("a TOTP method sends all settings with an update, so that the service keeps those that are not in the program", async () => {
    const managed = await manage();
    const { id = "" } = managed;
    emulator.secrets.changeTotpMethod(id, { keySize: 25 });
    assert.equal(await managed.up({ issuer: "Acme", digits: 8 }), "updated");
    assert.deepEqual(methods(), [{ id, ...defaults, keySize: 25, digits: 8 }]);
  });

  it("a TOTP method is not recorded as updated if another client deletes it in the meantime, even if the service reports success", async () => {
    const settings = await serviceWith(emulator, ({ method, url }, response) => {
      if (method === "POST" && url !== path) {
        emulator.secrets.removeTotpMethod(methods()[0]?.id ?? "");
      }
      return response;
    });
    const managed = await manage(acme, settings);
    await assert.rejects(managed.up({ issuer: "Other" }), (error: Error) => {
      assert.match(error.message, /was written, but no longer exists: .* Run `pulumi refresh`/);
      return !(error instanceof PartialSuccessError);
    });
    assert.equal(managed.outputs.issuer, "Acme");
  });

  it("a TOTP method is not deleted while a login enforcement uses it: the error explains that, and state is kept", async () => {
    const managed = await manage();
    const { id } = emulator.secrets.addEnforcement({ methodIds: [managed.id ?? ""] });
    const used = `still used by an enforcement configuration with ID: ${id}.*remove it from the enforcement first\\.$`;
    await assert.rejects(managed.destroy(), { message: new RegExp(used, "s") });
    emulator.secrets.removeEnforcement(id);
    await managed.destroy();
    assert.deepEqual(methods(), []);
  });

  it("a TOTP method rejects values that the documentation does not allow, without a request", async () => {
    const wrong = { issuer: "", digits: 7, skew: 2, algorithm: "MD5", period: 1.5, qrSize: 1.5 };
    const found = await new FakeEngine(totpMethodDefinition, emulator).problems(wrong);
    assert.deepEqual(found.toSorted(), [
      'algorithm must be one of "SHA1", "SHA256", "SHA512"',
      "digits must be one of 6, 8",
      "issuer must not be empty",
      "period must be a whole number of seconds, or have a unit",
      "qrSize must be a whole number",
      "skew must be one of 0, 1",
    ]);
    assert.equal(emulator.journal.count(), 0);
  });

  it("a TOTP method warns only about issuers that services do not escape", () => {
    const warningsOf = (issuer: string) =>
      checkArguments(definitionIn(totpMethodDefinition, "documented"), z, { issuer }).warnings;
    for (const sign of "$&+,/:;=@") {
      assert.match(
        String(warningsOf(`Acme${sign}Sons`)),
        /^issuer contains one of .* show a different issuer$/,
      );
    }
    assert.deepEqual(["Acme Sons", "Äcme-1_2.~", "100% #1?"].flatMap(warningsOf), []);
  });

  it("a TOTP method warns about numbers that are unlikely to work, two of which the products reject", () => {
    const args = { issuer: "Acme", period: "0s", keySize: 0, qrSize: -1, maxValidationAttempts: 0 };
    const small = ["period is less than 1", "keySize is less than 1", "qrSize is less than 0"];
    const warnings = [...small, "maxValidationAttempts is less than 1"].map(
      (warning) => `${warning}, which is unlikely to work`,
    );
    assert.deepEqual(checkArguments(definitionIn(totpMethodDefinition, "documented"), z, args), {
      failures: [],
      warnings,
    });
    const { failures } = checkArguments(definitionIn(totpMethodDefinition, "hashicorp"), z, args);
    assert.equal(failures.map(({ property }) => property).join(), "period,keySize");
  });
});
