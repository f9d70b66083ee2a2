import assert from "node:assert/strict";
import { getPushMethod } from "../../../sdk/secrets/mfa/push-method";
import { getTotpMethod, listTotpMethods } from "../../../sdk/secrets/mfa/totp-method";
import {
  adminDestroyTotpSecret,
  adminGenerateTotpSecret,
  generateTotpSecret,
} from "../../../sdk/secrets/mfa/totp-secret";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { readBarcode } from "../../testing/secrets/mfa/read-barcode";
import { assertCodesAreRight } from "./one-time-codes";

describe("the functions of MFA methods", () => {
  const emulator = useEmulator();
  useEnvironment(() => ({ ...emulator.environment, SECRETS_MAX_RETRIES: "0" }));

  const addMethod = (): string => emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
  const addKey = () => ({ methodId: addMethod(), entityId: emulator.secrets.addEntity({}).id });
  const secrets = () => emulator.inspect().secrets.totpSecrets;

  it("getTotpMethod reads a method, with all outputs of the resource", async () => {
    const id = addMethod();
    const [settings] = emulator.inspect().secrets.totpMethods;
    assert.deepEqual(await getTotpMethod({ id }), { ...settings, ...{ type: "totp", namespace: "root" } });
  });

  it("listTotpMethods lists the ids of all methods, also of none", async () => {
    assert.deepEqual(await listTotpMethods(), { ids: [], methods: [] });
    const ids = [addMethod(), addMethod()].sort();
    assert.deepEqual(await listTotpMethods({}), { ids, methods: null });
  });

  it("getPushMethod reads a method, with its keys", async () => {
    const push = { name: "phone", mountAccessor: "auth_userpass_00000001", secretKey: "canary-secret-key" };
    const { id } = emulator.secrets.addPushMethod(push);
    const rest = { usernameFormat: "", integrationKey: "", apiHostname: "", pushInfo: "" };
    const expected = { ...push, ...rest, methodId: id, type: "pushauth" };
    assert.deepEqual(await getPushMethod({ name: "phone" }), expected);
  });

  it("the functions of MFA methods say that a method does not exist", async () => {
    const [totp, push] = [getTotpMethod({ id: "1a" }), getPushMethod({ name: "x" })];
    assert.equal((await failure(totp)).message, "The TOTP method 1a does not exist.");
    assert.equal((await failure(push)).message, 'The push method "x" does not exist.');
  });

  it("generateTotpSecret generates a secret for any entity in a script, once, until it is destroyed", async () => {
    const key = addKey();
    const generated = await adminGenerateTotpSecret(key);
    assert.equal(readBarcode(generated.barcode).text, generated.url);
    assertCodesAreRight(generated, secrets()[0]);
    assert.match(
      (await failure(adminGenerateTotpSecret(key))).message,
      /already is a TOTP secret of the entity \S+ for the method .* Destroy it with adminDestroyTotpSecret/,
    );
    await adminDestroyTotpSecret(key);
    await adminDestroyTotpSecret(key);
    assert.deepEqual(secrets(), []);
  });

  it("generateTotpSecret generates a secret for the entity of the token in a script", async () => {
    const { methodId, entityId } = addKey();
    assert.match((await failure(generateTotpSecret({ methodId }))).message, /missing entityID/);
    process.env.SECRETS_TOKEN = emulator.secrets.addToken({ entityId });
    assertCodesAreRight(await generateTotpSecret({ methodId }), secrets()[0]);
    assert.equal(secrets()[0]?.entityId, entityId);
    const { message } = await failure(generateTotpSecret({ methodId }));
    assert.match(message, /already is a TOTP secret of the entity of the token/);
  });

  it("generateTotpSecret says what may exist when the response to a generation is lost, and makes one request", async () => {
    const key = addKey();
    emulator.faults.add({ method: "POST", drop: "after" });
    const { message } = await failure(adminGenerateTotpSecret(key));
    assert.match(message, /may now be a TOTP secret .* Destroy it with adminDestroyTotpSecret/);
    assert.equal(emulator.journal.count(), 1);
  });
});
