import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call } from "../../call";
import { assertRefused } from "../refusals";

const path = "/v1/scheduler/config/access";

describe("the emulated scheduler engine's access configuration", () => {
  const emulator = useEmulator();
  const real = useEmulator({ secrets: { schedulerReads: "real" } });

  const write = async (body: object, target = path): Promise<void> => {
    const reply = await call(emulator, "secrets", "POST", target, { body });
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  };
  const stored = () => emulator.inspect().secrets.schedulerAccess;
  const everything = {
    address: "https://10.0.0.4:4646",
    token: "management",
    max_token_name_length: 64,
    ca_cert: "ca",
    client_cert: "certificate",
    client_key: "key",
  };

  it("is absent at first, then answers its address and nothing more", async () => {
    const absent = await call(emulator, "secrets", "GET", path);
    assert.deepEqual([absent.status, absent.body], [404, { errors: [] }]);
    await write(everything);
    const { status, body } = await call(emulator, "secrets", "GET", path);
    assert.deepEqual([status, at(body, "data")], [200, { address: "https://10.0.0.4:4646" }]);
    assert.deepEqual(stored(), [
      {
        mount: "scheduler",
        address: "https://10.0.0.4:4646",
        token: "management",
        maxTokenNameLength: 64,
        caCert: "ca",
        clientCert: "certificate",
        clientKey: "key",
      },
    ]);
  });

  it("answers all but the secrets as real servers do, when that is asked for", async () => {
    await call(real, "secrets", "POST", path, { body: everything });
    const { body } = await call(real, "secrets", "GET", path);
    assert.deepEqual(at(body, "data"), {
      address: "https://10.0.0.4:4646",
      max_token_name_length: 64,
      ca_cert: "ca",
      client_cert: "certificate",
    });
  });

  it("keeps what a write leaves out, but for the length of names", async () => {
    await write(everything);
    await write({ address: "https://10.0.0.5:4646" });
    const [access] = stored();
    assert.deepEqual(
      [access?.address, access?.token, access?.maxTokenNameLength, access?.caCert, access?.clientKey],
      ["https://10.0.0.5:4646", "management", 0, "ca", "key"],
    );
  });

  it("has one for each mount, and mounts may have slashes", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu/scheduler" });
    await write({ address: "a://b" }, "/v1/teams/eu/scheduler/config/access");
    assert.deepEqual(
      stored().map(({ mount, address }) => [mount, address]),
      [["teams/eu/scheduler", "a://b"]],
    );
    const usual = await call(emulator, "secrets", "GET", path);
    assert.equal(usual.status, 404);
  });

  for (const [body, error] of [
    [{ client_cert: "certificate" }, /client_cert requires client_key/],
    [{ client_key: "key" }, /client_key requires client_cert/],
    [{ max_token_name_length: -1 }, /must not be negative/],
    [{ max_token_name_length: "64" }, /error converting input for field "max_token_name_length"/],
    [{ address: null }, /error converting input for field "address"/],
    [{ bootstrap: true }, /unrecognized parameters: \[bootstrap\]/],
  ] as const) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      assertRefused(await call(emulator, "secrets", "POST", path, { body }), 400, error);
      assert.deepEqual(stored(), []);
    });
  }

  it("cannot be deleted by a request", async () => {
    const reply = await call(emulator, "secrets", "DELETE", path);
    assertRefused(reply, 405, /unsupported operation/);
  });

  it("can be changed and removed behind a program's back", () => {
    emulator.secrets.addMount({ type: "scheduler", path: "other" });
    emulator.secrets.changeSchedulerAccess({ address: "a://b" });
    emulator.secrets.changeSchedulerAccess({ address: "c://d", caCert: "ca" }, "other");
    emulator.secrets.changeSchedulerAccess({ token: "t" });
    assert.deepEqual(
      stored().map(({ mount, address, token, caCert }) => [mount, address, token, caCert]),
      [
        ["scheduler", "a://b", "t", ""],
        ["other", "c://d", "", "ca"],
      ],
    );
    emulator.secrets.removeSchedulerAccess();
    emulator.secrets.removeSchedulerAccess("other");
    assert.deepEqual(stored(), []);
    assert.throws(() => emulator.secrets.changeSchedulerAccess({}, "ldap"), /no scheduler engine at "ldap"/);
  });
});
