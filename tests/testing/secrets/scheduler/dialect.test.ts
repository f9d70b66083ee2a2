import assert from "node:assert/strict";
import type { Emulator } from "../../../../sdk/testing";
import { at } from "../../call";
import { HashicorpClient, startHashicorp } from "../hashicorp";
import { assertRefused } from "../refusals";

describe("the emulated scheduler engine in the hashicorp dialect", () => {
  const emulators: Emulator[] = [];
  const start: typeof startHashicorp = async (options) => {
    const started = await startHashicorp(options);
    emulators.push(started);
    return started;
  };
  let emulator: Emulator;
  let client: HashicorpClient;
  before(async () => {
    emulator = await start();
    client = new HashicorpClient(emulator);
  });
  beforeEach(() => emulator.reset());
  after(async () => {
    await Promise.all(emulators.map(async (started) => started.close()));
  });
  const access = "nomad/config/access";
  const address = "http://127.0.0.1:4646";
  const refusal = "Token not provided and failed to bootstrap ACLs";
  const storedToken = (of = emulator): string | undefined => of.inspect().secrets.schedulerAccess[0]?.token;

  it("bootstraps the scheduler when a first access configuration has no token", async () => {
    await client.done("POST", access, { address, max_token_name_length: 20 });
    const [token] = emulator.inspect().scheduler.aclTokens;
    assert.deepEqual([token?.type, token?.global, token?.secretId], ["management", true, storedToken()]);
    assert.deepEqual(await client.data("GET", access), {
      address,
      ca_cert: "",
      client_cert: "",
      max_token_name_length: 20,
    });
  });

  it("adopts it once, and changes nothing when it cannot", async () => {
    await client.done("POST", access, { address });
    const token = storedToken();
    await client.done("POST", access, { address: "http://other:4646" });
    assert.equal(storedToken(), token, "a token that is stored stays");
    assertRefused(await client.send("POST", access, { token: "" }), 400, refusal);
    assert.equal(storedToken(), token);
    await client.done("DELETE", access);
    assertRefused(await client.send("POST", access, { address }), 400, refusal);
    assert.equal((await client.send("GET", access)).status, 404);
    emulator.reset();
    await client.done("POST", access, { address });
  });

  it("bootstraps the emulated scheduler only, where that is checked", async () => {
    const checked = await start({ secrets: { schedulerAccess: "checked" } });
    const other = new HashicorpClient(checked);
    assertRefused(await other.send("POST", access, { address }), 400, refusal);
    assert.deepEqual(checked.inspect().secrets.schedulerAccess, []);
    await other.done("POST", access, { address: checked.scheduler.address });
    checked.secrets.addSchedulerRole({ name: "ops", type: "management" });
    await other.envelope("GET", "nomad/creds/ops");
  });

  it("reads policies that were never given as null, and cleared ones as an empty list", async () => {
    const policies = async (): Promise<unknown> => at(await client.data("GET", "nomad/role/ops"), "policies");
    await client.done("POST", "nomad/role/ops", { type: "management" });
    assert.equal(await policies(), null);
    await client.done("POST", "nomad/role/ops", { type: "management", global: true });
    assert.equal(await policies(), null);
    await client.done("POST", "nomad/role/ops", { type: "management", policies: "" });
    assert.deepEqual(await policies(), []);
    await client.done("DELETE", "nomad/role/ops");
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
    assert.deepEqual(await policies(), []);
  });

  it("is set up at its usual mount unless another is given", () => {
    emulator.secrets.addMount({ type: "nomad", path: "jobs" });
    emulator.secrets.changeSchedulerLease({ ttl: 60 });
    emulator.secrets.changeSchedulerLease({ ttl: 90 }, "jobs");
    assert.deepEqual(
      emulator.inspect().secrets.schedulerLeases.map(({ mount, ttl }) => [mount, ttl]),
      [
        ["nomad", 60],
        ["jobs", 90],
      ],
    );
    assert.throws(() => emulator.secrets.changeSchedulerLease({}, "x"), /no scheduler engine at "x"/);
  });
});
