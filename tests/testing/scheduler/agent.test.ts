import assert from "node:assert/strict";
import { startEmulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type Reply } from "../call";

const paths = ["/v1/agent/self", "/v1/status/leader", "/v1/acl/token/self"];

describe("what the emulated scheduler says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const ask = async (path: string, token?: string | null): Promise<Reply> =>
    call(emulator, "scheduler", "GET", path, token === undefined ? {} : { token });

  it("is the token that the scheduler has made, as it was made", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", policies: ["one", "two"] });
    assert.equal((await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r")).status, 200);
    const made = emulator.inspect().scheduler.aclTokens.at(-1) ?? assert.fail("no token");
    const { body } = await ask("/v1/acl/token/self", made.secretId);
    assert.deepEqual(
      ["AccessorID", "SecretID", "Name", "Type", "Policies", "CreateTime"].map((name) => at(body, name)),
      [made.accessorId, made.secretId, made.name, "client", ["one", "two"], made.createdAt],
    );
  });

  it("is nothing in the documented scheduler", async () => {
    const documented = await startEmulator();
    try {
      for (const path of paths) {
        assert.equal((await call(documented, "scheduler", "GET", path)).status, 404, path);
        assert.equal((await call(documented, "scheduler", "GET", path, { token: null })).status, 403, path);
      }
    } finally {
      await documented.close();
    }
  });
});
