import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call } from "../../call";
import { assertRefused } from "../refusals";

const path = "/v1/scheduler/config/lease";

describe("the emulated scheduler engine's lease configuration", () => {
  const emulator = useEmulator();

  const stored = () => emulator.inspect().secrets.schedulerLeases;
  const read = async (): Promise<unknown> => at((await call(emulator, "secrets", "GET", path)).body, "data");
  const write = async (body: object): Promise<void> => {
    const reply = await call(emulator, "secrets", "POST", path, { body });
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  };

  it("is absent at first, and answers whole seconds", async () => {
    const absent = await call(emulator, "secrets", "GET", path);
    assert.deepEqual([absent.status, absent.body], [404, { errors: [] }]);
    await write({ ttl: "1h30m", max_ttl: "7200" });
    assert.deepEqual(await read(), { ttl: 5_400, max_ttl: 7_200 });
  });

  it("is replaced as a whole by a write", async () => {
    await write({ ttl: 60, max_ttl: 120 });
    await write({ ttl: "15m" });
    assert.deepEqual(await read(), { ttl: 900, max_ttl: 0 });
    await write({});
    assert.deepEqual(await read(), { ttl: 0, max_ttl: 0 });
  });

  it("is deleted, also when it is gone already", async () => {
    await write({ ttl: 60 });
    for (const time of ["first", "second"]) {
      assert.equal((await call(emulator, "secrets", "DELETE", path)).status, 204, time);
    }
    assert.deepEqual(stored(), []);
  });

  for (const body of [{ ttl: -1 }, { ttl: "soon" }, { max_ttl: null }, { max_ttl: 1.5 }]) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const reply = await call(emulator, "secrets", "POST", path, { body });
      assertRefused(reply, 400, /error converting input for field/);
    });
  }

  it("refuses attributes that it does not know", async () => {
    const reply = await call(emulator, "secrets", "POST", path, { body: { lease: 60 } });
    assertRefused(reply, 400, /unrecognized parameters: \[lease\]/);
  });

  it("can be changed and removed behind a program's back", () => {
    emulator.secrets.addMount({ type: "scheduler", path: "other" });
    emulator.secrets.changeSchedulerLease({ ttl: 60 });
    emulator.secrets.changeSchedulerLease({ maxTtl: 120 });
    emulator.secrets.changeSchedulerLease({ maxTtl: 5 }, "other");
    assert.deepEqual(stored(), [
      { mount: "scheduler", ttl: 60, maxTtl: 120 },
      { mount: "other", ttl: 0, maxTtl: 5 },
    ]);
    emulator.secrets.removeSchedulerLease();
    assert.deepEqual(
      stored().map(({ mount }) => mount),
      ["other"],
    );
    assert.throws(() => emulator.secrets.removeSchedulerLease("none"), /no scheduler engine at "none"/);
  });
});
