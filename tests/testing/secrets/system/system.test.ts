import assert from "node:assert/strict";
import { startEmulator } from "../../../../sdk/testing";
import { useEmulator } from "../../../support/use-emulator";
import { call } from "../../call";
import { HashicorpClient } from "../hashicorp";
import { assertRefused } from "../refusals";

describe("the health of the emulated secrets service", () => {
  const emulator = useEmulator({
    resets: false,
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });
  const health = {
    initialized: true,
    sealed: false,
    standby: false,
    performance_standby: false,
    replication_performance_mode: "disabled",
    replication_dr_mode: "disabled",
    server_time_utc: 1_767_225_600,
    version: "2.6.2",
    cluster_name: "emulator",
  };

  for (const [who, options] of [
    ["nobody", { token: null }],
    ["a wrong token", { token: null, headers: { "X-Vault-Token": "wrong" } }],
  ] as const) {
    it(`is for everybody: ${who}`, async () => {
      const reply = await call(emulator, "secrets", "GET", "/v1/sys/health", options);
      const { cluster_id: id, ...rest } = reply.body as Record<string, unknown>;
      assert.match(String(id), /^[0-9a-f-]{36}$/);
      assert.deepEqual([reply.status, rest], [200, health]);
    });
  }

  it("is for tokens as well, whatever the query and whatever their rights", async () => {
    const token = emulator.secrets.addToken({ access: "none" });
    const reply = await new HashicorpClient(emulator, token).send("GET", "sys/health?standbyok=true");
    assert.equal(reply.status, 200);
  });

  it("is all that needs no token", async () => {
    const reply = await call(emulator, "secrets", "GET", "/v1/sys/health/x", { token: null });
    assertRefused(reply, 403, "permission denied");
    const other = await call(emulator, "secrets", "POST", "/v1/sys/health", { token: null });
    assertRefused(other, 403, "permission denied");
  });

  it("is not in the documents", async () => {
    const documented = await startEmulator();
    try {
      const reply = await call(documented, "secrets", "GET", "/v1/sys/health");
      assertRefused(reply, 404, /unsupported path/);
      assert.equal((await call(documented, "secrets", "GET", "/v1/sys/health", { token: null })).status, 403);
    } finally {
      await documented.close();
    }
  });
});
