import assert from "node:assert/strict";
import type { Emulator } from "../../../../sdk/testing";
import { useEmulator } from "../../../support/use-emulator";
import { at, call } from "../../call";
import { assertRefused } from "../refusals";

const path = "/v1/scheduler/role";

describe("the emulated scheduler engine's roles", () => {
  const emulator = useEmulator();
  const real = useEmulator({ secrets: { schedulerReads: "real" } });

  const stored = () => emulator.inspect().secrets.schedulerRoles;
  const write = async (body: object, name = "r", service = emulator): Promise<void> => {
    const reply = await call(service, "secrets", "POST", `${path}/${name}`, { body });
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  };
  const data = async (service: Emulator, name = "r"): Promise<unknown> =>
    at((await call(service, "secrets", "GET", `${path}/${name}`)).body, "data");

  it("are read as documented", async () => {
    await write({ policies: "readonly, deploy", global: true });
    assert.deepEqual(await data(emulator), {
      lease: "0s",
      policies: ["readonly", "deploy"],
      token_type: "client",
    });
  });

  it("are read as real servers answer, when that is asked for", async () => {
    await write({ policies: ["readonly", "deploy"], global: true }, "r", real);
    assert.deepEqual(await data(real), { global: true, policies: ["readonly", "deploy"], type: "client" });
  });

  it("keep policies and global where a write leaves them out, and fall back to client", async () => {
    await write({ policies: "a", global: true });
    await write({});
    assert.deepEqual(stored(), [
      { mount: "scheduler", name: "r", policies: ["a"], global: true, type: "client" },
    ]);
    await write({ type: "management", policies: "" });
    assert.equal(stored()[0]?.type, "management");
    await write({ policies: "b" });
    assert.deepEqual(stored(), [
      { mount: "scheduler", name: "r", policies: ["b"], global: true, type: "client" },
    ]);
  });

  it("are absent with 404, listed by name, and deleted also when they are gone", async () => {
    const none = await call(emulator, "secrets", "GET", `${path}?list=true`);
    assert.deepEqual([none.status, none.body], [404, { errors: [] }]);
    await write({ policies: "a" }, "web");
    await write({ policies: "a" }, "a%2Fb");
    for (const reply of [
      await call(emulator, "secrets", "GET", `${path}?list=true`),
      await call(emulator, "secrets", "LIST", path),
    ]) {
      assert.deepEqual([reply.status, at(reply.body, "data")], [200, { keys: ["a/b", "web"] }]);
    }
    assertRefused(await call(emulator, "secrets", "GET", path), 405, /unsupported operation/);
    for (const time of ["first", "second"]) {
      assert.equal((await call(emulator, "secrets", "DELETE", `${path}/web`)).status, 204, time);
    }
    const absent = await call(emulator, "secrets", "GET", `${path}/web`);
    assert.deepEqual([absent.status, absent.body], [404, { errors: [] }]);
  });

  for (const [body, error] of [
    [{ type: "root" }, 'type must be "client" or "management"'],
    [{ policies: "a", global: "yes" }, /error converting input for field "global"/],
    [{ policies: "a", lease: "1h" }, /unrecognized parameters: \[lease\]/],
  ] as const) {
    it(`refuse ${JSON.stringify(body)}`, async () => {
      assertRefused(await call(emulator, "secrets", "POST", `${path}/r`, { body }), 400, error);
      assert.deepEqual(stored(), []);
    });
  }

  for (const body of [{}, { policies: [] }, { type: "management", policies: "a" }]) {
    it(`take what the documents do not forbid: ${JSON.stringify(body)}`, async () => {
      const reply = await call(emulator, "secrets", "POST", `${path}/r`, { body });
      assert.equal(reply.status, 204);
      assert.equal(stored().length, 1);
    });
  }

  it("become management roles with the policies that they have", async () => {
    await write({ policies: "a" });
    await write({ type: "management" });
    assert.deepEqual(
      stored().map(({ type, policies }) => [type, policies]),
      [["management", ["a"]]],
    );
  });

  it("belong to one mount, whose path may have slashes", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    await call(emulator, "secrets", "POST", "/v1/teams/eu/role/r", { body: { policies: "a" } });
    assert.deepEqual(
      stored().map(({ mount, name }) => [mount, name]),
      [["teams/eu", "r"]],
    );
    assert.equal((await call(emulator, "secrets", "GET", `${path}/r`)).status, 404);
  });

  it("can be added, changed and removed behind a program's back", () => {
    emulator.secrets.addSchedulerRole({ name: "r", policies: ["a"] });
    emulator.secrets.changeSchedulerRole("r", { global: true });
    assert.deepEqual(stored(), [
      { mount: "scheduler", name: "r", policies: ["a"], global: true, type: "client" },
    ]);
    emulator.secrets.removeSchedulerRole("r");
    assert.deepEqual(stored(), []);
    for (const impossible of [
      () => emulator.secrets.removeSchedulerRole("r"),
      () => emulator.secrets.changeSchedulerRole("r", {}),
    ]) {
      assert.throws(impossible, /no scheduler role "r"/);
    }
  });
});
