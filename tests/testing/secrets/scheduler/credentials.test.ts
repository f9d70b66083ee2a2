import assert from "node:assert/strict";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../../sdk/testing";
import { at, call, textAt, type Reply } from "../../call";
import { assertRefused, numbered } from "../refusals";

const start = new Date("2027-03-01T12:00:00.000Z");

describe("the emulated scheduler engine's credentials", () => {
  let emulator: Emulator;
  const begin = async (options: EmulatorOptions = {}): Promise<void> => {
    emulator = await startEmulator({ frozenAt: start, ...options });
  };
  beforeEach(async () => begin());
  afterEach(async () => emulator.close());

  const ask = async (name = "r", mount = "scheduler"): Promise<Reply> =>
    call(emulator, "secrets", "GET", `/v1/${mount}/creds/${name}`);
  const issue = async (name?: string, mount?: string) => {
    const { status, body } = await ask(name, mount);
    assert.equal(status, 200);
    return {
      accessorId: textAt(body, "data", "accessor_id"),
      secretId: textAt(body, "data", "secret_id"),
      leaseId: textAt(body, "lease_id"),
      renewable: at(body, "renewable"),
      duration: at(body, "lease_duration"),
    };
  };
  const events = () => emulator.inspect().scheduler.frames.flatMap(({ Events }) => Events);

  describe("where the access configuration counts", () => {
    beforeEach(async () => {
      await emulator.close();
      await begin({ secrets: { schedulerAccess: "checked" } });
      emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    });

    it("are issued without one, and with the right one", async () => {
      await issue();
      const { address, token } = emulator.scheduler;
      emulator.secrets.changeSchedulerAccess({ address: `${address}/`, token });
      const { secretId } = await issue();
      emulator.secrets.changeSchedulerAccess({ address, token: secretId });
      await issue();
    });

    it("are not issued with another address, a wrong token, or a client's", async () => {
      const forbidden = numbered("Unexpected response code: 403 (Permission denied)");
      emulator.secrets.changeSchedulerAccess({ token: "wrong" });
      assertRefused(await ask(), 500, forbidden);
      const client = emulator.scheduler.addToken({ access: { readNodes: true } });
      emulator.secrets.changeSchedulerAccess({ token: client });
      assertRefused(await ask(), 500, forbidden);
      emulator.secrets.changeSchedulerAccess({ token: "", address: "https://elsewhere:4646" });
      assertRefused(await ask(), 500, /elsewhere:4646\/v1\/acl\/token": dial tcp/);
      assert.deepEqual(events(), []);
    });
  });
});
