import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { pushMethodDefinition, usernameFormatProblem } from "../../../sdk/secrets/mfa/push-method";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
const secretKey = "canary-secret-key";
const integrationKey = "canary-integration-key";

describe("secrets.mfa.PushMethod", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const managedMethod = (settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(pushMethodDefinition, emulator, settings);
  const args = (more: Properties = {}): Properties => ({
    name: "phone",
    mountAccessor: "auth_userpass_00000001",
    ...more,
  });
  const full = () => ({
    name: "phone",
    mountAccessor: "auth_userpass_00000001",
    usernameFormat: "{{alias.name}}@example.com",
    secretKey,
    integrationKey,
    apiHostname: "api-1234.example.com",
    pushInfo: "from=portal",
  });
  const methods = () => emulator.inspect().secrets.pushMethods;
  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = methods();
    return rest;
  };

  it("keeps what the program does not name, in updates and when it is adopted", async () => {
    emulator.secrets.addPushMethod({ ...full(), pushInfo: "by hand" });
    const managed = managedMethod();
    await managed.up(args({ apiHostname: "api-5.example.com", adopt: true }));
    assert.deepEqual(settings(), { ...full(), pushInfo: "by hand", apiHostname: "api-5.example.com" });
    emulator.secrets.changePushMethod("phone", { secretKey: "rotated by hand" });
    await managed.up(args({ apiHostname: "api-6.example.com" }));
    assert.deepEqual(settings(), {
      ...full(),
      pushInfo: "by hand",
      apiHostname: "api-6.example.com",
      secretKey: "rotated by hand",
    });
  });

  it("keeps its keys where the service does not return them", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, (_request, { status, body }) => {
        const { secret_key: _secret, integration_key: _integration, ...data } = body?.data ?? {};
        return { status, body: body?.data ? { data } : body };
      }),
    );
    await managed.up(full());
    await managed.refresh();
    assert.equal(await managed.up(full()), "same");
    await managed.up({ ...full(), pushInfo: "changed" });
    assert.deepEqual(settings(), { ...full(), pushInfo: "changed" });
  });

  it("treats null as no value, and never sends it", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, ({ method }, { status, body }) => ({
        status,
        body:
          body?.data && method === "GET"
            ? { data: { ...body.data, username_format: null, pushinfo: null, id: null } }
            : body,
      })),
    );
    await managed.up(args());
    assert.equal(await managed.up(args({ apiHostname: "api-5.example.com" })), "updated");
    assert.deepEqual(emulator.journal.requests({ method: "POST" }).at(-1)?.body, {
      mount_accessor: "auth_userpass_00000001",
      username_format: "",
      secret_key: "",
      integration_key: "",
      api_hostname: "api-5.example.com",
      push_info: "",
    });
    assert.equal(await managed.up(args({ apiHostname: "api-5.example.com" })), "same");
  });

  it("reads push_info under either name", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, (_request, { status, body }) => {
        const { pushinfo, ...data } = body?.data ?? {};
        return { status, body: body?.data ? { data: { ...data, push_info: pushinfo } } : body };
      }),
    );
    await managed.up(full());
    assert.equal(managed.outputs.pushInfo, "from=portal");
  });

  for (const usernameFormat of ["{{ alias.name }}", "{{alias.name }}@example.com"]) {
    it(`is warned about, not refused, for the placeholder ${usernameFormat}`, () => {
      const args = { name: "push", mountAccessor: "accessor", usernameFormat };
      const { failures, warnings } = checkArguments(pushMethodDefinition, z, "documented", args);
      assert.deepEqual([failures, warnings.length], [[], 1]);
      assert.match(warnings[0] ?? "", /^usernameFormat /);
    });
  }
});

describe("the placeholders of a username format", () => {
  for (const format of [
    "",
    "plain",
    "{{alias.name}}",
    "{{entity.name}}@example.com",
    "{{alias.metadata.login}}-{{entity.metadata.cost center}}",
    "{{ alias.name }}",
    "{a} }{ {",
  ]) {
    it(`are fine in ${JSON.stringify(format)}`, () => {
      assert.equal(usernameFormatProblem(format), undefined);
    });
  }

  const there =
    "expected one of {{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";
  for (const [format, problem] of [
    ["{{alias.nme}}", `has the unknown placeholder {{alias.nme}}; ${there}`],
    ["a{{alias.name}}{{group.name}}", `has the unknown placeholder {{group.name}}; ${there}`],
    ["{{}}", `has the unknown placeholder {{}}; ${there}`],
    ["{{alias.metadata.}}", `has the unknown placeholder {{alias.metadata.}}; ${there}`],
    ["{{alias.metadata}}", `has the unknown placeholder {{alias.metadata}}; ${there}`],
    ["{{Alias.name}}", `has the unknown placeholder {{Alias.name}}; ${there}`],
    ["{{{alias.name}}", `has the unknown placeholder {{{alias.name}}; ${there}`],
    ["{{alias.name", 'opens a placeholder that is never closed: "{{alias.name"'],
    ["{{alias.name}", 'opens a placeholder that is never closed: "{{alias.name}"'],
    ["{{alias.name}} and {{", 'opens a placeholder that is never closed: "{{"'],
    ["alias.name}}", 'closes a placeholder that was never opened: "alias.name}}"'],
    ["}}{{alias.name}}", 'closes a placeholder that was never opened: "}}"'],
  ] as const) {
    it(`are refused in ${JSON.stringify(format)}`, () => {
      assert.equal(usernameFormatProblem(format), problem);
    });
  }

  it("are always judged, and all braces of a good format are those of placeholders", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "{{", "}}", "alias.name", "x") }), (format) => {
        if (usernameFormatProblem(format) === undefined) {
          assert.doesNotMatch(format.replaceAll("{{alias.name}}", " "), /\{\{|\}\}/);
        }
      }),
    );
  });
});
