import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call, textAt, type Reply } from "../../call";
import { assertRefused, numbered } from "../refusals";

describe("the emulator's push methods", () => {
  const emulator = useEmulator();

  const collection = "/v1/sys/mfa/method/pushauth";
  const ask = async (method: string, name: string, body?: unknown): Promise<Reply> =>
    call(emulator, "secrets", method, `${collection}/${name}`, { body });
  const methods = () => emulator.inspect().secrets.pushMethods;
  const mountAccessor = "auth_userpass_00000001";
  const everything = {
    mount_accessor: mountAccessor,
    username_format: "{{alias.name}}@acme",
    secret_key: "secret-key-value",
    integration_key: "integration-key-value",
    api_hostname: "api.example",
    push_info: "from=login",
  };

  it("are configured without an answer, and read with both keys in clear", async () => {
    const reply = await ask("POST", "main", everything);
    assert.deepEqual([reply.status, reply.body], [204, ""]);
    const { body } = await ask("GET", "main");
    const { push_info: pushinfo, ...same } = everything;
    const id = textAt(body, "data", "id");
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(at(body, "data"), { ...same, pushinfo, id, name: "main", type: "pushauth" });
  });

  it("are replaced by name: what is not sent is empty, the id stays", async () => {
    await ask("POST", "main", everything);
    const id = methods()[0]?.id;
    assert.equal((await ask("POST", "main", { mount_accessor: "other" })).status, 204);
    const empty = { usernameFormat: "", secretKey: "", integrationKey: "", apiHostname: "", pushInfo: "" };
    assert.deepEqual(methods(), [{ id, name: "main", mountAccessor: "other", ...empty }]);
  });

  it("have a name of any kind, which the body may repeat", async () => {
    assert.equal((await ask("POST", "a%2Fb%20%C3%BC", { ...everything, name: "a/b ü" })).status, 204);
    assert.equal(methods()[0]?.name, "a/b ü");
    assert.equal((await ask("GET", "a%2Fb%20%C3%BC")).status, 200);
    assertRefused(await ask("POST", "x", { ...everything, name: "y" }), 400, /differs/);
  });

  it("need the accessor of a mount", async () => {
    const rest: Partial<typeof everything> = { ...everything };
    delete rest.mount_accessor;
    assertRefused(await ask("POST", "main", rest), 400, "missing mount_accessor");
    assertRefused(await ask("POST", "main", { ...rest, mount_accessor: "" }), 400, "missing mount_accessor");
    assert.deepEqual(methods(), []);
  });

  it("know no other attributes, not even the one that reads are answered with", async () => {
    for (const name of ["pushinfo", "use_passcode", "id", "type"]) {
      const reply = await ask("POST", "main", { ...everything, [name]: "x" });
      assertRefused(reply, 400, new RegExp(`unrecognized parameters: \\[${name}\\]`));
    }
  });

  it("are deleted, also when they are not there", async () => {
    await ask("POST", "main", everything);
    for (const times of [1, 2]) {
      const reply = await ask("DELETE", "main");
      assert.deepEqual([reply.status, reply.body, methods()], [204, "", []], `${times}`);
    }
    const reply = await ask("GET", "main");
    assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
  });

  it("cannot be listed", async () => {
    const reply = await call(emulator, "secrets", "GET", `${collection}?list=true`);
    assertRefused(reply, 404, numbered("unsupported path"));
  });

  it("are added, changed and removed behind a program's back", async () => {
    const { secrets } = emulator;
    const added = secrets.addPushMethod({ name: "main", mountAccessor, secretKey: "old" });
    const changed = secrets.changePushMethod("main", { secretKey: "new" });
    assert.deepEqual(changed, { ...added, secretKey: "new" });
    assert.equal(at((await ask("GET", "main")).body, "data", "secret_key"), "new");
    assert.throws(
      () => secrets.addPushMethod({ name: "main", mountAccessor }),
      /already has the push method "main"/,
    );
    secrets.removePushMethod("main");
    assert.equal((await ask("GET", "main")).status, 404);
    assert.throws(() => secrets.removePushMethod("main"), /no push method "main"/);
    assert.throws(() => secrets.changePushMethod("main", {}), /no push method "main"/);
  });
});
