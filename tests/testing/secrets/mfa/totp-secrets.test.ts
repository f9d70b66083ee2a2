import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call, textAt, type Reply } from "../../call";
import { assertRefused } from "../refusals";
import { readBarcode } from "./read-barcode";

describe("the emulator's TOTP secrets", () => {
  const emulator = useEmulator();
  let alice: string;
  let methodId: string;
  beforeEach(() => {
    alice = emulator.secrets.addEntity({ name: "alice" }).id;
    methodId = emulator.secrets.addTotpMethod({ issuer: "acme" }).id;
  });

  const post = async (action: string, body: unknown, token?: string): Promise<Reply> =>
    call(emulator, "secrets", "POST", `/v1/identity/mfa/method/totp/${action}`, {
      body,
      ...(token === undefined ? {} : { token }),
    });
  const adminGenerate = async (method = methodId, entity = alice): Promise<Reply> =>
    post("admin-generate", { method_id: method, entity_id: entity });
  const adminDestroy = async (method = methodId, entity = alice): Promise<Reply> =>
    post("admin-destroy", { method_id: method, entity_id: entity });
  const secrets = () => emulator.inspect().secrets.totpSecrets;
  const assertExists = (reply: Reply): void => {
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, "data"), null);
    assert.deepEqual(at(reply.body, "warnings"), ['Entity already has a secret for MFA method ""']);
  };
  const unknownId = "00000000-0000-0000-0000-000000000000";

  describe("admin-generate", () => {
    it("answers a url with everything that an authenticator needs, and shows the key to the test", async () => {
      const reply = await adminGenerate();
      assert.equal(reply.status, 200);
      const url = textAt(reply.body, "data", "url");
      const key = new URL(url).searchParams.get("secret") ?? "";
      assert.match(key, /^[A-Z2-7]{32}$/);
      assert.equal(
        url,
        `otpauth://totp/acme:${alice}?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${key}`,
      );
      const parameters = { issuer: "acme", period: 30, algorithm: "SHA1", digits: 6 };
      assert.deepEqual(secrets(), [{ methodId, entityId: alice, ...parameters, key, url }]);
    });

    it("answers the same url as a barcode", async () => {
      const { body } = await adminGenerate();
      const barcode = readBarcode(textAt(body, "data", "barcode"));
      assert.deepEqual(barcode, { text: textAt(body, "data", "url"), width: 200, height: 200 });
    });

    it("follows the method", async () => {
      emulator.secrets.changeTotpMethod(methodId, {
        issuer: "acme & söhne:1",
        algorithm: "SHA512",
        digits: 8,
        period: 60,
        keySize: 64,
        qrSize: 333,
      });
      const { body } = await adminGenerate();
      const url = new URL(textAt(body, "data", "url"));
      assert.equal(decodeURIComponent(url.pathname), `/acme & söhne:1:${alice}`);
      assert.deepEqual(
        ["algorithm", "digits", "issuer", "period"].map((name) => url.searchParams.get(name)),
        ["SHA512", "8", "acme & söhne:1", "60"],
      );
      assert.equal(url.searchParams.get("secret")?.length, 103);
      assert.deepEqual(readBarcode(textAt(body, "data", "barcode")), {
        text: url.href,
        width: 333,
        height: 333,
      });
    });

    it("answers no barcode when its size is 0", async () => {
      emulator.secrets.changeTotpMethod(methodId, { qrSize: 0 });
      assert.equal(at((await adminGenerate()).body, "data", "barcode"), "");
      assert.equal(secrets().length, 1);
    });

    it("stores nothing when the barcode cannot be drawn", async () => {
      emulator.secrets.changeTotpMethod(methodId, { qrSize: 10 });
      assertRefused(await adminGenerate(), 500, /can not scale barcode/);
      assert.deepEqual(secrets(), []);
    });

    it("makes a secret once, with a warning from then on", async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, async () => adminGenerate()));
      const made = replies.filter(({ body }) => at(body, "data") !== null);
      assert.equal(made.length, 1);
      assert.equal(textAt(made[0]?.body, "data", "url"), secrets()[0]?.url);
      for (const reply of replies.filter((other) => other !== made[0])) {
        assertExists(reply);
      }
    });

    it("makes one for each method and each entity, all different", async () => {
      const bob = emulator.secrets.addEntity().id;
      const other = emulator.secrets.addTotpMethod({ issuer: "other" }).id;
      await Promise.all([adminGenerate(), adminGenerate(other), adminGenerate(methodId, bob)]);
      assert.equal(new Set(secrets().map(({ key }) => key)).size, 3);
    });

    it("refuses a method and an entity that do not exist, or are not named", async () => {
      const words = `configuration for method ID "${unknownId}" does not exist`;
      assertRefused(await adminGenerate(unknownId), 400, words);
      assertRefused(await adminGenerate(methodId, unknownId), 400, "invalid entity ID");
      assertRefused(await post("admin-generate", { method_id: methodId }), 400, "missing entity_id");
      assertRefused(await post("admin-generate", { entity_id: alice }), 400, "missing method_id");
      assert.deepEqual(secrets(), []);
    });
  });

  describe("generate", () => {
    it("makes the secret of the entity that the token belongs to", async () => {
      const token = emulator.secrets.addToken({ entityId: alice });
      const reply = await post("generate", { method_id: methodId }, token);
      assert.equal(textAt(reply.body, "data", "url"), secrets()[0]?.url);
      assert.equal(secrets()[0]?.entityId, alice);
      assertExists(await post("generate", { method_id: methodId }, token));
      assertExists(await adminGenerate());
    });

    it("refuses a token without an entity, and one whose entity is gone", async () => {
      assertRefused(await post("generate", { method_id: methodId }), 400, "missing entityID");
      const token = emulator.secrets.addToken({ entityId: alice });
      emulator.secrets.removeEntity(alice);
      assertRefused(await post("generate", { method_id: methodId }, token), 400, "invalid entity ID");
    });

    it("refuses a method that does not exist, and an entity of the caller's choice", async () => {
      const token = emulator.secrets.addToken({ entityId: alice });
      assertRefused(await post("generate", { method_id: unknownId }, token), 400, /does not exist/);
      const body = { method_id: methodId, entity_id: alice };
      assertRefused(await post("generate", body, token), 400, /unrecognized parameters: \[entity_id\]/);
      assert.deepEqual(secrets(), []);
    });
  });

  describe("admin-destroy", () => {
    it("removes the secret, and succeeds without one", async () => {
      await adminGenerate();
      for (const times of [1, 2]) {
        const reply = await adminDestroy();
        assert.deepEqual([reply.status, reply.body, secrets()], [204, "", []], `${times}`);
      }
    });

    it("makes room for another secret", async () => {
      const first = textAt((await adminGenerate()).body, "data", "url");
      await adminDestroy();
      assert.notEqual(textAt((await adminGenerate()).body, "data", "url"), first);
    });

    it("refuses a method and an entity that do not exist", async () => {
      assertRefused(await adminDestroy(unknownId), 400, /does not exist/);
      assertRefused(await adminDestroy(methodId, unknownId), 400, "invalid entity ID");
    });
  });

  it("keep their parameters when the method changes, and stay when it is deleted", async () => {
    await adminGenerate();
    const before = secrets();
    const path = `/v1/identity/mfa/method/totp/${methodId}`;
    await call(emulator, "secrets", "POST", path, { body: { issuer: "other", digits: 8 } });
    assert.deepEqual(secrets(), before);
    await call(emulator, "secrets", "DELETE", path);
    assert.deepEqual(secrets(), before);
  });

  it("are added and removed behind a program's back", async () => {
    const secret = emulator.secrets.addTotpSecret(methodId, alice);
    assert.deepEqual(secrets(), [secret]);
    assertExists(await adminGenerate());
    emulator.secrets.removeTotpSecret(methodId, alice);
    assert.deepEqual(secrets(), []);
    assert.throws(() => emulator.secrets.removeTotpSecret(methodId, alice), /no TOTP secret/);
    assert.throws(() => emulator.secrets.addTotpSecret(methodId, "none"), /no entity "none"/);
    assert.throws(() => emulator.secrets.addTotpSecret("none", alice), /no TOTP method "none"/);
  });
});
