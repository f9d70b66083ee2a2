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
  let token: string;

  beforeEach(() => {
    token = emulator.secrets.token;
  });
  useEnvironment(() => ({ ...emulator.environment, SECRETS_TOKEN: token, SECRETS_MAX_RETRIES: "0" }));

  const addMethod = (): string => emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
  const addPush = () =>
    emulator.secrets.addPushMethod({
      name: "phone",
      mountAccessor: "auth_userpass_00000001",
      secretKey: "canary-secret-key",
    });
  const secrets = () => emulator.inspect().secrets.totpSecrets;

  it("read a TOTP method, with all that a resource tells", async () => {
    const id = addMethod();
    const { type, namespace, ...settings } = await getTotpMethod({ id });
    assert.deepEqual([settings], emulator.inspect().secrets.totpMethods);
    assert.deepEqual([type, namespace], ["totp", "root"]);
  });

  it("list the ids of all TOTP methods, also of none", async () => {
    assert.deepEqual(await listTotpMethods(), { ids: [] });
    const ids = [addMethod(), addMethod()].sort();
    assert.deepEqual(await listTotpMethods({}), { ids });
  });

  it("read a push method, with its keys", async () => {
    const { id } = addPush();
    assert.deepEqual(await getPushMethod({ name: "phone" }), {
      name: "phone",
      mountAccessor: "auth_userpass_00000001",
      usernameFormat: "",
      secretKey: "canary-secret-key",
      integrationKey: "",
      apiHostname: "",
      pushInfo: "",
      methodId: id,
      type: "pushauth",
    });
  });

  it("say when there is none", async () => {
    const nobody = "00000000-0000-0000-0000-000000000000";
    assert.equal(
      (await failure(getTotpMethod({ id: nobody }))).message,
      `The TOTP method ${nobody} does not exist.`,
    );
    assert.equal(
      (await failure(getPushMethod({ name: "x" }))).message,
      'The push method "x" does not exist.',
    );
  });

  describe("in a script", () => {
    it("generate a secret for any entity, once, until it is destroyed", async () => {
      const key = { methodId: addMethod(), entityId: emulator.secrets.addEntity({}).id };
      const generated = await adminGenerateTotpSecret(key);
      assert.deepEqual(Object.keys(generated).sort(), ["barcode", "secret", "url"]);
      assert.equal(readBarcode(generated.barcode).text, generated.url);
      assertCodesAreRight(generated, secrets()[0]);
      assert.match(
        (await failure(adminGenerateTotpSecret(key))).message,
        /already has a TOTP secret for the method .* destroy it with adminDestroyTotpSecret/,
      );
      await adminDestroyTotpSecret(key);
      await adminDestroyTotpSecret(key);
      assert.deepEqual(secrets(), []);
      await adminGenerateTotpSecret(key);
      assert.equal(secrets().length, 1);
    });

    it("generate a secret for the entity of the token", async () => {
      const methodId = addMethod();
      assert.match((await failure(generateTotpSecret({ methodId }))).message, /missing entityID/);
      const entityId = emulator.secrets.addEntity({}).id;
      token = emulator.secrets.addToken({ entityId });
      process.env.SECRETS_TOKEN = token;
      assertCodesAreRight(await generateTotpSecret({ methodId }), secrets()[0]);
      assert.equal(secrets()[0]?.entityId, entityId);
      assert.match(
        (await failure(generateTotpSecret({ methodId }))).message,
        /^The entity of the token already has a TOTP/,
      );
    });

    it("say what may exist when the response is lost, and ask once", async () => {
      const key = { methodId: addMethod(), entityId: emulator.secrets.addEntity({}).id };
      emulator.faults.add({ method: "POST", drop: "after" });
      assert.match(
        (await failure(adminGenerateTotpSecret(key))).message,
        /may now have a TOTP secret .* destroy it with adminDestroyTotpSecret/,
      );
      assert.equal(emulator.journal.count(), 1);
    });
  });
});
