import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { call } from "../call";

describe("the emulator's secrets service", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

  it("refuses a missing and a wrong token, also as a bearer token", async () => {
    const headers = { Authorization: `Bearer ${emulator.secrets.token}` };
    for (const options of [{ token: null }, { token: "wrong" }, { token: null, headers }]) {
      const reply = await call(emulator, "secrets", "GET", "/v1/ldap/config", options);
      assert.deepEqual([reply.status, reply.body], [403, { errors: ["permission denied"] }]);
    }
  });

  it("knows no path while nothing is mounted", async () => {
    const reply = await call(emulator, "secrets", "GET", "/v1/ldap/config");
    assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
    assert.equal(reply.headers.get("content-type"), "application/json");
  });

  it("has tokens that can be added, revoked and rotated", async () => {
    const ask = async (token: string): Promise<number> =>
      (await call(emulator, "secrets", "GET", "/v1/x", { token })).status;
    const added = emulator.secrets.addToken();
    assert.equal(await ask(added), 404);
    emulator.secrets.revokeToken(added);
    assert.equal(await ask(added), 403);
    const { token } = emulator.secrets;
    emulator.secrets.rotateToken();
    assert.deepEqual([await ask(token), await ask(emulator.secrets.token)], [403, 404]);
  });
});
