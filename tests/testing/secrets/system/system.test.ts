import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { call } from "../../call";

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
});
