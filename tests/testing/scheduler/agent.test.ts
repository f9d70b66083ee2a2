import assert from "node:assert/strict";
import { startEmulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type Reply } from "../call";

const paths = ["/v1/agent/self", "/v1/status/leader", "/v1/acl/token/self"];

describe("what the emulated scheduler says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const ask = async (path: string, token?: string | null): Promise<Reply> =>
    call(emulator, "scheduler", "GET", path, token === undefined ? {} : { token });

  it("is its version, to whom may read the agent", async () => {
    const reply = await ask("/v1/agent/self");
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, "config", "Version", "Version"), "1.10.5");
    assert.equal(at(reply.body, "member", "Tags", "build"), "1.10.5");
    const reader = emulator.scheduler.addToken({ access: { readAgent: true } });
    assert.deepEqual((await ask("/v1/agent/self", reader)).body, reply.body);
    const other = emulator.scheduler.addToken({ access: { readNodes: true } });
    assert.equal((await ask("/v1/agent/self", other)).status, 403);
  });

  it("is its leader, without a token but not with a wrong one", async () => {
    const reply = await ask("/v1/status/leader", null);
    assert.deepEqual([reply.status, reply.body], [200, "127.0.0.1:4647"]);
    assert.deepEqual((await ask("/v1/status/leader")).body, reply.body);
    assert.equal((await ask("/v1/status/leader", "wrong")).status, 403);
  });

  it("is the token of who calls", async () => {
    const { token } = emulator.scheduler;
    const own = await ask("/v1/acl/token/self");
    assert.deepEqual(
      ["SecretID", "Name", "Type", "Policies"].map((name) => at(own.body, name)),
      [token, "main", "management", []],
    );
    assert.match(textAt(own.body, "AccessorID"), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const client = emulator.scheduler.addToken({ name: "reader", access: { readNodes: true } });
    const { body } = await ask("/v1/acl/token/self", client);
    assert.deepEqual([at(body, "Name"), at(body, "Type")], ["reader", "client"]);
    assert.notEqual(at(body, "AccessorID"), at(own.body, "AccessorID"));
    for (const wrong of [null, "wrong"]) {
      assert.equal((await ask("/v1/acl/token/self", wrong)).status, 403);
    }
  });

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
