import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { messageOf } from "../../../sdk/base/errors";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import {
  getPushMethod,
  listPushMethods,
  pushMethodDefinition,
  usernameFormatProblem,
} from "../../../sdk/secrets/mfa/push-method";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { lifecycleOn, FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { reading, serviceWith } from "../altered-responses";

const args = { name: "phone", mountAccessor: "auth_userpass_00000001" };
const full = {
  ...args,
  usernameFormat: "{{alias.name}}@example.com",
  secretKey: "canary-secret-key",
  integrationKey: "canary-integration-key",
  apiHostname: "api-1234.example.com",
  pushInfo: "from=portal",
};

describe("secrets.mfa.PushMethod", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = emulator.inspect().secrets.pushMethods;
    return rest;
  };
  const readAs = async (alter: Parameters<typeof reading>[0]): Promise<FakeEngine> =>
    new FakeEngine(pushMethodDefinition, emulator, await serviceWith(emulator, reading(alter)));

  it("a push method keeps what the program does not name, in updates and when it is adopted", async () => {
    emulator.secrets.addPushMethod({ ...full, pushInfo: "by hand" });
    const managed = new FakeEngine(pushMethodDefinition, emulator);
    await managed.up({ ...args, apiHostname: "api-5.example.com", adopt: true });
    assert.deepEqual(settings(), { ...full, pushInfo: "by hand", apiHostname: "api-5.example.com" });
    emulator.secrets.changePushMethod("phone", { secretKey: "rotated by hand" });
    await managed.up({ ...args, apiHostname: "api-6.example.com" });
    const byHand = { pushInfo: "by hand", secretKey: "rotated by hand" };
    assert.deepEqual(settings(), { ...full, ...byHand, apiHostname: "api-6.example.com" });
  });

  it("a push method keeps its keys where the service does not return them", async () => {
    const managed = await readAs(({ secret_key, integration_key, ...data }) => data);
    await managed.up(full);
    await managed.refresh();
    assert.equal(await managed.up(full), "same");
    await managed.up({ ...full, pushInfo: "changed" });
    assert.deepEqual(settings(), { ...full, pushInfo: "changed" });
  });

  it("a push method treats null as no value, and never sends it", async () => {
    const managed = await readAs((data) => ({ ...data, username_format: null, pushinfo: null, id: null }));
    await managed.up(args);
    const changed = { ...args, apiHostname: "api-5.example.com" };
    assert.equal(await managed.up(changed), "updated");
    assert.deepEqual(emulator.journal.requests({ method: "POST" }).at(-1)?.body, {
      mount_accessor: args.mountAccessor,
      username_format: "",
      secret_key: "",
      integration_key: "",
      api_hostname: "api-5.example.com",
      push_info: "",
    });
    assert.equal(await managed.up(changed), "same");
  });

  it("a push method reads push_info under either name", async () => {
    const managed = await readAs(({ pushinfo, ...data }) => ({ ...data, push_info: pushinfo }));
    await managed.up(full);
    assert.equal(managed.outputs.pushInfo, "from=portal");
  });

  it("a push method accepts placeholders of aliases and entities in a username format, and braces that open none", () => {
    const formats = ["", "plain", "{{alias.name}}", "{{ alias.name }}", "{{entity.name}}@example.com"];
    const metadata = "{{alias.metadata.login}}-{{entity.metadata.cost center}}";
    const literal = ["{a} }{ {", "alias.name}}", "}}{{alias.name}}", "{{alias.name}}}} }}"];
    const problems = [...formats, metadata, ...literal].flatMap(
      (format) => usernameFormatProblem(format) ?? [],
    );
    assert.deepEqual(problems, []);
  });

  it("a push method has placeholders of the products in the hashicorp dialect, with a warning", () => {
    const args = { name: "phone", mountAccessor: "a", usernameFormat: "{{identity.entity.name}}" };
    const checked = (dialect: Dialect) => {
      const { failures, warnings } = checkArguments(pushMethodDefinition, z, dialect, args);
      return [failures.length, warnings.length];
    };
    const found = [checked("documented"), checked("hashicorp")];
    assert.deepEqual(found, [
      [1, 0],
      [0, 1],
    ]);
  });

  const allowed = "{{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";
  for (const [format, wrong] of [
    ["{{alias.nme}}", "{{alias.nme}}"],
    ["a{{alias.name}}{{group.name}}", "{{group.name}}"],
    ["{{}}", "{{}}"],
    ["{{alias.metadata.}}", "{{alias.metadata.}}"],
    ["{{alias.metadata}}", "{{alias.metadata}}"],
    ["{{Alias.name}}", "{{Alias.name}}"],
    ["{{{alias.name}}", "{{{alias.name}}"],
    ["{{alias.name", "{{alias.name"],
    ["{{alias.name}", "{{alias.name}"],
    ["{{alias.name}} and {{", "{{"],
  ] as const) {
    it(`a push method refuses the username format ${format}`, () => {
      const problem = `has ${JSON.stringify(wrong)}, which is not a placeholder; expected one of ${allowed}`;
      assert.equal(usernameFormatProblem(format), problem);
    });
  }
});

describe("secrets.mfa.PushMethod without a mount, in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => ({ ...emulator.environment, SECRETS_MAX_RETRIES: "0" }));

  const { mountAccessor, ...duo } = full;
  const ofIdentity = { ...duo, usernameFormat: "{{identity.entity.name}}@example.com" };
  const managed = (): FakeEngine => new FakeEngine(pushMethodDefinition, emulator);
  const methods = () => emulator.inspect().secrets.pushMethods;
  const fails = async (reason: RegExp): Promise<void> =>
    assert.match(
      await managed()
        .up(ofIdentity)
        .then(() => "", messageOf),
      reason,
    );

  it("a push method without a mount has the service's id, keeps its keys, repairs drift, and is deleted", async () => {
    const method = managed();
    await method.up(ofIdentity);
    const [{ id } = assert.fail("there is no method")] = methods();
    assert.deepEqual([method.id, method.outputs.methodId, method.outputs.type], [id, id, "pushauth"]);
    assert.equal(await method.up(ofIdentity), "same");
    await method.refresh();
    assert.equal(await method.up(ofIdentity), "same");
    const actual = await method.up({ ...ofIdentity, secretKey: "canary-other-key", usePasscode: true });
    assert.equal(actual, "updated");
    assert.deepEqual(methods(), [
      { ...ofIdentity, id, mountAccessor: "", secretKey: "canary-other-key", usePasscode: true },
    ]);
    emulator.secrets.changePushMethod(id, { apiHostname: "api-5.example.com" });
    await method.refresh();
    assert.equal(await method.up({ ...ofIdentity, secretKey: "canary-other-key" }), "updated");
    assert.equal(methods()[0]?.apiHostname, full.apiHostname);
    assert.equal(methods()[0]?.usePasscode, false);
    await method.destroy();
    assert.deepEqual(methods(), []);
  });

  it("a push method without a mount is found by its name: refused, adopted, read, listed, imported, and after a lost response", async () => {
    emulator.faults.add({ method: "POST", drop: "after" });
    await managed().up(ofIdentity);
    const [{ id } = assert.fail("there is no method")] = methods();
    await fails(new RegExp(`already exists .id ${id}`));
    const adopted = managed();
    await adopted.up({ ...ofIdentity, pushInfo: "from=console", adopt: true });
    assert.equal(adopted.id, id);
    const { secretKey, integrationKey, ...shown } = { ...ofIdentity, pushInfo: "from=console" };
    const known = { ...shown, mountAccessor: "", methodId: id, type: "pushauth", usePasscode: false };
    assert.deepEqual(await listPushMethods(), {
      ids: [id],
      methods: [{ ...known, id, secretKey: null, integrationKey: null }],
    });
    assert.deepEqual(await getPushMethod({ name: "phone" }), {
      ...known,
      secretKey: null,
      integrationKey: null,
    });
    const imported = await lifecycleOn(emulator, pushMethodDefinition).import(id);
    assert.equal(imported?.props.name, "phone");
    assert.equal(
      (await failure(getPushMethod({ name: "x" }))).message,
      'The push method "x" does not exist.',
    );
  });

  it("a push method without a mount never turns a method of another type into one of its own", async () => {
    const { id } = emulator.secrets.addTotpMethod({ issuer: "Acme", name: "phone" });
    await fails(new RegExp(`belongs to the MFA method ${id}`));
    assert.equal(emulator.inspect().secrets.totpMethods.length, 1);
  });

  it("a push method without a mount is replaced when a mount is given or removed", async () => {
    const method = managed();
    await method.up(ofIdentity);
    assert.equal(await method.up(full), "replaced");
    assert.deepEqual([method.id, methods().length, methods()[0]?.mountAccessor], ["phone", 1, mountAccessor]);
    assert.equal(await method.up(ofIdentity), "replaced");
    assert.equal(methods()[0]?.mountAccessor, "");
  });

  it("a push method without a mount requires its keys, and warns about placeholders of methods with a mount", async () => {
    assert.deepEqual(
      await managed().problems({ name: "phone" }),
      ["secretKey", "integrationKey", "apiHostname"].map(
        (name) => `${name} is required without mountAccessor`,
      ),
    );
    const warned = (usernameFormat: string) =>
      checkArguments(pushMethodDefinition, z, "hashicorp", { ...ofIdentity, usernameFormat }).warnings.length;
    const formats = [
      "{{alias.name}}",
      "{{identity.entity.aliases.auth_x_1.name}}",
      "{{ identity.entity.id }}",
    ];
    assert.deepEqual(formats.map(warned), [1, 0, 0]);
  });

  it("a push method without a mount does not exist in the documented dialect", async () => {
    process.env.SECRETS_DIALECT = "documented";
    const documented = new FakeEngine(pushMethodDefinition, emulator);
    assert.deepEqual(await documented.problems({ name: "phone" }), ["mountAccessor is required"]);
    assert.match((await failure(listPushMethods())).message, /no list of push methods.*dialect to hashicorp/);
  });
});
