import assert from "node:assert/strict";
import { mfa } from "../../../sdk/secrets";
import { failure } from "../../http/calls";
import { readBarcode } from "../../testing/secrets/mfa/read-barcode";
import { useSecrets } from "../emulated-client";
import { assertCodesAreRight } from "./one-time-codes";

const { adminDestroyTotpSecret, adminGenerateTotpSecret, generateTotpSecret } = mfa;

describe("the functions of MFA methods", () => {
  const emulator = useSecrets();

  const addMethod = (): string => emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
  const addKey = () => ({ methodId: addMethod(), entityId: emulator.secrets.addEntity({}).id });
  const secrets = () => emulator.inspect().secrets.totpSecrets;

  it("getTotpMethod reads a method, with all outputs of the resource", async () => {
    const id = addMethod();
    const [settings] = emulator.inspect().secrets.totpMethods;
    assert.deepEqual(await mfa.getTotpMethod({ id }), { ...settings, type: "totp", namespace: "root" });
    const { message } = await failure(mfa.getTotpMethod({ id: "1a" }));
    assert.equal(message, "The TOTP method 1a does not exist.");
  });

  it("listTotpMethods lists the IDs of all methods, even if there are none", async () => {
    assert.deepEqual(await mfa.listTotpMethods(), { ids: [], methods: [] });
    const ids = [addMethod(), addMethod()].sort();
    assert.deepEqual(await mfa.listTotpMethods({}), { ids, methods: null });
  });

  it("getPushMethod reads a method, with its keys", async () => {
    const push = { name: "phone", mountAccessor: "auth_userpass_00000001", secretKey: "canary-secret-key" };
    const { id: methodId } = emulator.secrets.addPushMethod(push);
    const rest = { usernameFormat: "", integrationKey: "", apiHostname: "", pushInfo: "", type: "pushauth" };
    assert.deepEqual(await mfa.getPushMethod({ name: "phone" }), { ...push, ...rest, methodId });
    const { message } = await failure(mfa.getPushMethod({ name: "x" }));
    assert.equal(message, 'The push method "x" does not exist.');
  });

  it("generateTotpSecret generates a secret for any entity in a script, once, until it is destroyed", async () => {
    const key = addKey();
    const generated = await adminGenerateTotpSecret(key);
    assert.equal(readBarcode(generated.barcode).text, generated.url);
    assertCodesAreRight(generated, secrets()[0]);
    const { message } = await failure(adminGenerateTotpSecret(key));
    const again =
      /is already a TOTP secret of the entity \S+ for the method .* Destroy it with adminDestroyTotpSecret/;
    assert.match(message, again);
    await adminDestroyTotpSecret(key);
    await adminDestroyTotpSecret(key);
    assert.deepEqual(secrets(), []);
  });

  it("generateTotpSecret generates a secret for the token's entity in a script", async () => {
    const { methodId, entityId } = addKey();
    assert.match((await failure(generateTotpSecret({ methodId }))).message, /missing entityID/);
    process.env.SECRETS_TOKEN = emulator.secrets.addToken({ entityId });
    assertCodesAreRight(await generateTotpSecret({ methodId }), secrets()[0]);
    assert.equal(secrets()[0]?.entityId, entityId);
    const { message } = await failure(generateTotpSecret({ methodId }));
    assert.match(message, /is already a TOTP secret of the entity of the token/);
  });

  it("generateTotpSecret reports what might exist if the response is lost, and sends one request", async () => {
    const key = addKey();
    emulator.faults.add({ method: "POST", drop: "after" });
    const { message } = await failure(adminGenerateTotpSecret(key));
    assert.match(message, /might now be a TOTP secret .* Destroy it with adminDestroyTotpSecret/);
    assert.equal(emulator.journal.count(), 1);
  });
});
