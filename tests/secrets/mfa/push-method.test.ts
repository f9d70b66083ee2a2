import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { pushMethodDefinition, usernameFormatProblem } from "../../../sdk/secrets/mfa/push-method";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
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
  const readAs = async (alter: Parameters<typeof reading>[0]): Promise<Managed> =>
    new Managed(pushMethodDefinition, emulator, await serviceWith(emulator, reading(alter)));

  it("keeps what the program does not name, in updates and when it is adopted", async () => {
    emulator.secrets.addPushMethod({ ...full, pushInfo: "by hand" });
    const managed = new Managed(pushMethodDefinition, emulator);
    await managed.up({ ...args, apiHostname: "api-5.example.com", adopt: true });
    assert.deepEqual(settings(), { ...full, pushInfo: "by hand", apiHostname: "api-5.example.com" });
    emulator.secrets.changePushMethod("phone", { secretKey: "rotated by hand" });
    await managed.up({ ...args, apiHostname: "api-6.example.com" });
    const byHand = { pushInfo: "by hand", secretKey: "rotated by hand" };
    assert.deepEqual(settings(), { ...full, ...byHand, apiHostname: "api-6.example.com" });
  });

  it("keeps its keys where the service does not return them", async () => {
    const managed = await readAs(({ secret_key, integration_key, ...data }) => data);
    await managed.up(full);
    await managed.refresh();
    assert.equal(await managed.up(full), "same");
    await managed.up({ ...full, pushInfo: "changed" });
    assert.deepEqual(settings(), { ...full, pushInfo: "changed" });
  });

  it("treats null as no value, and never sends it", async () => {
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

  it("reads push_info under either name", async () => {
    const managed = await readAs(({ pushinfo, ...data }) => ({ ...data, push_info: pushinfo }));
    await managed.up(full);
    assert.equal(managed.outputs.pushInfo, "from=portal");
  });

  it("accepts placeholders of aliases and entities in a username format, and braces that open none", () => {
    const formats = ["", "plain", "{{alias.name}}", "{{ alias.name }}", "{{entity.name}}@example.com"];
    const metadata = "{{alias.metadata.login}}-{{entity.metadata.cost center}}";
    const literal = ["{a} }{ {", "alias.name}}", "}}{{alias.name}}", "{{alias.name}}}} }}"];
    const problems = [...formats, metadata, ...literal].flatMap(
      (format) => usernameFormatProblem(format) ?? [],
    );
    assert.deepEqual(problems, []);
  });

  it("has placeholders of the products in the hashicorp dialect, with a warning", () => {
    const args = { name: "phone", mountAccessor: "a", usernameFormat: "{{identity.entity.name}}" };
    const checked = (dialect: Dialect) => {
      const { failures, warnings } = checkArguments(pushMethodDefinition, z, dialect, args);
      return [failures.length, warnings.length];
    };
    assert.deepEqual(
      [checked("documented"), checked("hashicorp")],
      [
        [1, 0],
        [0, 1],
      ],
    );
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
    it(`refuses the username format ${format}`, () => {
      const problem = `has ${JSON.stringify(wrong)}, which is not a placeholder; expected one of ${allowed}`;
      assert.equal(usernameFormatProblem(format), problem);
    });
  }
});
