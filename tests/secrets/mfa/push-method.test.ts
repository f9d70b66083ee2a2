import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/check";
import { inspect } from "node:util";
import { pushMethodDefinition, usernameFormatProblem } from "../../../sdk/secrets/mfa/push-method";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-answers";

const path = "/v1/sys/mfa/method/pushauth/:name";
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

  it("is made with what the program says, and told of in full", async () => {
    const managed = managedMethod();
    await managed.up(full());
    assert.equal(managed.id, "phone");
    assert.deepEqual(settings(), full());
    const { __managed, __at, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...full(), methodId: methods()[0]?.id, type: "pushauth" });
    assert.equal(await managed.up(full()), "same");
  });

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

  for (const argument of ["usernameFormat", "secretKey", "integrationKey", "apiHostname", "pushInfo"]) {
    it(`clears ${argument} when it is removed, and does not treat a missing value as a change`, async () => {
      const managed = managedMethod();
      await managed.up(full());
      const without = Object.fromEntries(Object.entries(full()).filter(([name]) => name !== argument));
      assert.equal(await managed.up(without), "updated");
      assert.deepEqual(settings(), { ...full(), [argument]: "" });
      assert.equal(await managed.up(without), "same");
      assert.equal(await managed.up({ ...without, [argument]: "" }), "same");
      await managed.refresh();
      assert.equal(await managed.up(without), "same");
    });
  }

  it("is refused when it exists, changes nothing, and is adopted with `adopt`", async () => {
    emulator.secrets.addPushMethod({ name: "phone", mountAccessor: "another" });
    const before = methods();
    await assert.rejects(managedMethod().up(full()), {
      message:
        /already exists \(id phone\); nothing was changed\. To adopt it, set `adopt: true`\. Did you rename the resource\? Use its option `aliases`\.$/,
    });
    assert.deepEqual(methods(), before);
    await managedMethod().up({ ...full(), adopt: true });
    assert.deepEqual(settings(), full());
  });

  it("is made by one of two that want the same name at once", async () => {
    const outcomes = await Promise.allSettled([
      managedMethod().up(full()),
      managedMethod().up(args({ pushInfo: "second" })),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.deepEqual(settings(), full());
  });

  it("is found when the response to its creation is lost", async () => {
    emulator.faults.add({ method: "POST", path, drop: "after" });
    const managed = managedMethod();
    await managed.up(full());
    assert.equal(managed.id, "phone");
    assert.equal(emulator.journal.count({ method: "POST" }), 1);
  });

  it("is replaced when its name changes, and the former one is deleted", async () => {
    const managed = managedMethod();
    await managed.up(full());
    assert.equal(await managed.up({ ...full(), name: "with space/slash" }), "replaced");
    assert.deepEqual(settings(), { ...full(), name: "with space/slash" });
    assert.equal(emulator.journal.count({ method: "DELETE" }), 1);
    await managed.destroy();
    assert.deepEqual(methods(), []);
    await managed.up(full());
    emulator.secrets.removePushMethod("phone");
    assert.equal(await managed.refresh(), false);
  });

  it("shows that a key was changed in the service, without the key", async () => {
    const managed = managedMethod();
    await managed.up(full());
    emulator.secrets.changePushMethod("phone", { secretKey: "canary-other-key" });
    await managed.refresh();
    assert.equal(managed.inputs.secretKey, "canary-other-key");
    const { secretKey: _secret, integrationKey: _integration, ...shown } = { ...managed.outputs };
    assert.doesNotMatch(inspect(shown, { depth: null }), /canary/);
    assert.equal(await managed.up(full()), "updated");
    assert.deepEqual(settings(), full());
  });

  it("keeps its keys where the service does not answer them", async () => {
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

  it("tells no key in an error", async () => {
    emulator.faults.add({
      method: "POST",
      path,
      status: 400,
      body: { errors: [`${secretKey} and ${integrationKey} are wrong`] },
    });
    await assert.rejects(managedMethod().up(full()), ({ message }: Error) => {
      assert.match(message, /are wrong/);
      assert.doesNotMatch(message, /canary/);
      return true;
    });
  });

  it("is refused before anything is asked when an argument cannot be right", async () => {
    assert.deepEqual(
      await managedMethod().problems({ name: "", usernameFormat: "{{alias.nme}}", secretKey: 5 }),
      [
        "name must not be empty",
        "mountAccessor is required",
        "usernameFormat has the unknown placeholder {{alias.nme}}; expected one of {{alias.name}}, {{entity.name}}, " +
          "{{alias.metadata.<key>}} and {{entity.metadata.<key>}}",
        "secretKey must be a string, not a number",
      ],
    );
    assert.equal(emulator.journal.count(), 0);
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

  it("are allowed everywhere in a text without braces", () => {
    const text = fc.string().map((value) => value.replace(/[{}]/g, ""));
    const placeholder = fc.constantFrom("{{alias.name}}", "{{entity.name}}", "{{entity.metadata.k}}");
    fc.assert(
      fc.property(fc.array(fc.oneof(text, placeholder)), (parts) => {
        assert.equal(usernameFormatProblem(parts.join("")), undefined);
      }),
    );
  });

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
