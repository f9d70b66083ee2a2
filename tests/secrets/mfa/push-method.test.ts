import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { mfa } from "../../../sdk/secrets";
import { pushMethodDefinition, usernameFormatProblem } from "../../../sdk/secrets/mfa/push-method";
import { failure } from "../../http/calls";
import { FakeEngine, lifecycleOn } from "../../support/fake-engine";
import { reading, serviceWith } from "../altered-responses";
import { useSecrets } from "../emulated-client";

const { getPushMethod, listPushMethods } = mfa;
const args = { name: "phone", mountAccessor: "auth_userpass_00000001" };
const keys = { secretKey: "canary-secret-key", integrationKey: "canary-integration-key" };
const duo = { name: "phone", ...keys, apiHostname: "api-1234.example.com", pushInfo: "from=portal" };
const full = { ...args, ...duo, usernameFormat: "{{alias.name}}@example.com" };

describe("secrets.mfa.PushMethod", () => {
  const emulator = useSecrets();

  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = emulator.inspect().secrets.pushMethods;
    return rest;
  };
  const readAs = async (alter: Parameters<typeof reading>[0]): Promise<FakeEngine> =>
    new FakeEngine(pushMethodDefinition, emulator, await serviceWith(emulator, reading(alter)));

  it("a push method keeps values that the program does not set, in updates and when it is adopted", async () => {
    emulator.secrets.addPushMethod({ ...full, pushInfo: "by hand" });
    const managed = new FakeEngine(pushMethodDefinition, emulator);
    await managed.up({ ...args, apiHostname: "api-5.example.com", adopt: true });
    assert.deepEqual(settings(), { ...full, pushInfo: "by hand", apiHostname: "api-5.example.com" });
    emulator.secrets.changePushMethod("phone", { secretKey: "rotated by hand" });
    await managed.up({ ...args, apiHostname: "api-6.example.com" });
    const byHand = { pushInfo: "by hand", secretKey: "rotated by hand" };
    assert.deepEqual(settings(), { ...full, ...byHand, apiHostname: "api-6.example.com" });
  });

  it("a push method keeps its keys if the service does not return them, and reads push_info under either name", async () => {
    const unread = { secret_key: undefined, integration_key: undefined, pushinfo: undefined };
    const managed = await readAs((data) => ({ ...data, push_info: data.pushinfo, ...unread }));
    await managed.up(full);
    await managed.refresh();
    assert.equal(managed.outputs.pushInfo, "from=portal");
    assert.equal(await managed.up(full), "same");
    await managed.up({ ...full, pushInfo: "changed" });
    assert.deepEqual(settings(), { ...full, pushInfo: "changed" });
  });

  it("a push method treats null as an omitted value and never sends it", async () => {
    const managed = await readAs((data) => ({ ...data, username_format: null, pushinfo: null, id: null }));
    await managed.up(args);
    const changed = { ...args, apiHostname: "api-5.example.com" };
    assert.equal(await managed.up(changed), "updated");
    const sent = { mount_accessor: args.mountAccessor, api_hostname: "api-5.example.com" };
    assert.deepEqual(emulator.journal.requests({ method: "POST" }).at(-1)?.body, sent);
    assert.equal(await managed.up(changed), "same");
  });

  const formats = ["", "plain", "{{alias.name}}", "{{ alias.name }}", "{{entity.name}}@example.com"];
  const metadata = "{{alias.metadata.login}}-{{entity.metadata.cost center}}";
  const literal = ["{a} }{ {", "alias.name}}", "}}{{alias.name}}", "{{alias.name}}}} }}"];
  for (const format of [...formats, metadata, ...literal]) {
    it(`a push method accepts the username format ${JSON.stringify(format)}`, () =>
      assert.equal(usernameFormatProblem(format), undefined));
  }

  const allowed = "{{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";
  const wrong = ["{{}}", "{{alias.metadata.}}", "{{alias.metadata}}", "{{Alias.name}}", "{{{alias.name}}"];
  for (const [format, placeholder] of [
    ...[...wrong, "{{alias.nme}}", "{{alias.name", "{{alias.name}"].map((each) => [each, each] as const),
    ["a{{alias.name}}{{group.name}}", "{{group.name}}"],
    ["{{alias.name}} and {{", "{{"],
  ] as const) {
    it(`a push method rejects the username format ${format}`, () => {
      const problem = `has ${JSON.stringify(placeholder)}, which is not a placeholder; expected one of ${allowed}`;
      assert.equal(usernameFormatProblem(format), problem);
    });
  }

  it("a push method accepts the products' placeholders in the hashicorp dialect, with a warning", () => {
    const identity = { ...args, usernameFormat: "{{identity.entity.name}}" };
    const counts = (["documented", "hashicorp"] as const).map((dialect) => {
      const { failures, warnings } = checkArguments(definitionIn(pushMethodDefinition, dialect), z, identity);
      return [failures.length, warnings.length];
    });
    assert.deepEqual(counts.flat(), [1, 0, 0, 1]);
  });
});

describe("secrets.mfa.PushMethod in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });

  const ofIdentity = { ...duo, usernameFormat: "{{identity.entity.name}}@example.com" };
  const managed = (settings = {}): FakeEngine => new FakeEngine(pushMethodDefinition, emulator, settings);
  const methods = () => emulator.inspect().secrets.pushMethods;

  it("a push method with a mount has a different path in the hashicorp dialect, and the documented type", async () => {
    const method = managed();
    await method.up(full);
    assert.equal(emulator.journal.requests()[0]?.path, "/v1/sys/mfa/method/duo/phone");
    const types = [method.outputs.type, (await getPushMethod({ name: "phone" })).type];
    assert.deepEqual(types, ["pushauth", "pushauth"]);
  });

  it("a push method is refused with the reason by a product that does not offer it; it does not count as deleted, and can be destroyed", async () => {
    // The community edition and OpenBao do not offer push methods.
    const body = { errors: ["1 error occurred:\n\t* unsupported path\n\n"] };
    const settings = await serviceWith(emulator, ({ url }, response) =>
      url.includes("/sys/mfa/method/") ? ({ status: 404, body } as never) : response,
    );
    const method = managed(settings);
    const message =
      /read the push method "phone".*: unsupported path, .*only Vault Enterprise offers push methods/;
    await assert.rejects(method.up(full), { message });
    assert.equal(emulator.journal.count({ method: "POST" }), 0);
    method.id = "phone";
    method.outputs = { name: "phone" };
    await assert.rejects(method.refresh(), { message });
    await method.destroy();
    assert.equal(method.id, undefined);
  });

  it("a push method without a mount has the service's ID, keeps its keys, repairs drift, and is deleted", async () => {
    const method = managed();
    await method.up(ofIdentity);
    const [{ id } = assert.fail("there is no method")] = methods();
    assert.deepEqual([method.id, method.outputs.methodId, method.outputs.type], [id, id, "pushauth"]);
    await method.refresh();
    assert.equal(await method.up(ofIdentity), "same");
    const changed = { ...ofIdentity, secretKey: "canary-other-key" };
    for (const usePasscode of [true, false]) {
      assert.equal(await method.up({ ...changed, ...(usePasscode && { usePasscode }) }), "updated");
      assert.deepEqual(methods(), [{ ...changed, id, mountAccessor: "", usePasscode }]);
      emulator.secrets.changePushMethod(id, { apiHostname: "api-5.example.com" });
      await method.refresh();
    }
    await method.destroy();
    assert.deepEqual(methods(), []);
  });

  it("a push method without a mount is found by its name when it is rejected, adopted, read, listed or imported, and after a lost response", async () => {
    emulator.faults.add({ method: "POST", drop: "after" });
    await managed().up(ofIdentity);
    const [{ id } = assert.fail("there is no method")] = methods();
    await assert.rejects(managed().up(ofIdentity), { message: new RegExp(`already exists .id ${id}`) });
    const adopted = managed();
    await adopted.up({ ...ofIdentity, pushInfo: "from=console", adopt: true });
    assert.equal(adopted.id, id);
    const { secretKey, integrationKey, ...shown } = { ...ofIdentity, pushInfo: "from=console" };
    const known = { ...shown, mountAccessor: "", methodId: id, type: "pushauth", usePasscode: false };
    const result = { ...known, secretKey: null, integrationKey: null };
    assert.deepEqual(await listPushMethods(), { ids: [id], methods: [{ ...result, id }] });
    assert.deepEqual(await getPushMethod({ name: "phone" }), result);
    const imported = await lifecycleOn(emulator, pushMethodDefinition).import(id);
    assert.equal(imported?.props.name, "phone");
    const { message } = await failure(getPushMethod({ name: "x" }));
    assert.equal(message, 'The push method "x" does not exist.');
  });

  it("a push method without a mount never turns a method of another type into one of its own", async () => {
    const { id } = emulator.secrets.addTotpMethod({ issuer: "Acme", name: "phone" });
    const message = new RegExp(`belongs to the MFA method ${id}`);
    await assert.rejects(managed().up(ofIdentity), { message });
    assert.equal(emulator.inspect().secrets.totpMethods.length, 1);
  });

  it("a push method without a mount is replaced when a mount is set or removed", async () => {
    const method = managed();
    for (const [given, mountAccessor] of [
      [ofIdentity, ""],
      [full, full.mountAccessor],
      [ofIdentity, ""],
    ] as const) {
      const step = method.id === undefined ? "created" : "replaced";
      assert.equal(await method.up(given), step);
      const accessors = methods().map((each) => each.mountAccessor);
      assert.deepEqual([accessors, method.id === "phone"], [[mountAccessor], mountAccessor !== ""]);
    }
  });

  it("a push method without a mount requires its keys, and warns about placeholders of methods with a mount", async () => {
    const problems = ["secretKey", "integrationKey", "apiHostname"].map(
      (name) => `${name} is required without mountAccessor`,
    );
    assert.deepEqual(await managed().problems({ name: "phone" }), problems);
    const warned = (usernameFormat: string) =>
      checkArguments(definitionIn(pushMethodDefinition, "hashicorp"), z, { ...ofIdentity, usernameFormat })
        .warnings.length;
    const ours = ["{{identity.entity.aliases.auth_x_1.name}}", "{{ identity.entity.id }}"];
    assert.deepEqual(["{{alias.name}}", ...ours].map(warned), [1, 0, 0]);
  });

  it("a push method without a mount does not exist in the documented dialect", async () => {
    process.env.SECRETS_DIALECT = "documented";
    assert.deepEqual(await managed().problems({ name: "phone" }), ["mountAccessor is required"]);
    assert.match((await failure(listPushMethods())).message, /no list of push methods.*dialect to hashicorp/);
  });
});
