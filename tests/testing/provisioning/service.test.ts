import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { call, type CallOptions, type Reply } from "../call";

describe("the emulator's provisioning service", () => {
  const emulator = useEmulator();
  let projectId: string;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    projectId = emulator.provisioning.addProject({ organization: "acme", name: "web" }).id;
  });

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, path, options);

  describe("tokens", () => {
    it("go as bearer tokens only", async () => {
      const { token } = emulator.provisioning;
      for (const authorization of [token, `Basic ${token}`, `Bearer ${token} x`]) {
        const headers = { Authorization: authorization };
        assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 401);
      }
      const headers = { Authorization: `bearer ${token}` };
      assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 404);
    });

    it("are invalid once revoked or rotated, and new ones get their rights", async () => {
      const path = `/api/v2/projects/${projectId}`;
      const reader = emulator.provisioning.addToken({ access: "read" });
      const successor = emulator.provisioning.rotateToken(reader);
      assert.equal((await ask("GET", path, { token: reader })).status, 401);
      assert.equal((await ask("GET", path, { token: successor })).status, 200);
      assert.equal((await ask("DELETE", path, { token: successor })).status, 404);
      emulator.provisioning.revokeToken(successor);
      assert.equal((await ask("GET", path, { token: successor })).status, 401);
      assert.throws(() => emulator.provisioning.revokeToken(successor), /no such token/);
    });
  });
});
