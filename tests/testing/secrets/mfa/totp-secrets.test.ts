import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call, type Reply } from "../../call";

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
  const secrets = () => emulator.inspect().secrets.totpSecrets;
  const assertExists = (reply: Reply): void => {
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, "data"), null);
    assert.deepEqual(at(reply.body, "warnings"), ['Entity already has a secret for MFA method ""']);
  };

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
