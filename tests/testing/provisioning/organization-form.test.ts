import assert from "node:assert/strict";
import { startEmulator, type Emulator, type NewOrganization } from "../../../sdk/testing";
import { at, call, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("changing an organization of the emulator over the interface", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2/admin/organizations${path}`, options);
  const add = (name: string, attributes: Omit<NewOrganization, "name"> = {}) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const stored = (name: string) =>
    emulator.inspect().provisioning.organizations.find((organization) => organization.name === name);
  const changing = (attributes: unknown) => ({ body: { data: { type: "organizations", attributes } } });

  const changes: readonly [string, unknown, string][] = [
    ["access-beta-tools", true, "accessBetaTools"],
    ["access-beta-tools", false, "accessBetaTools"],
    ["global-module-sharing", true, "globalModuleSharing"],
    ["global-module-sharing", false, "globalModuleSharing"],
    ["global-provider-sharing", true, "globalProviderSharing"],
    ["global-provider-sharing", false, "globalProviderSharing"],
    ["is-disabled", true, "isDisabled"],
    ["is-disabled", false, "isDisabled"],
    ["iac-build-worker-apply-timeout", "1.5h", "iacBuildWorkerApplyTimeout"],
    ["iac-build-worker-apply-timeout", null, "iacBuildWorkerApplyTimeout"],
    ["iac-build-worker-plan-timeout", "90m", "iacBuildWorkerPlanTimeout"],
    ["iac-build-worker-plan-timeout", "30s", "iacBuildWorkerPlanTimeout"],
    ["iac-build-worker-plan-timeout", null, "iacBuildWorkerPlanTimeout"],
    ["workspace-limit", 7, "workspaceLimit"],
    ["workspace-limit", 0, "workspaceLimit"],
    ["workspace-limit", null, "workspaceLimit"],
  ];
  const marked = {
    accessBetaTools: true,
    isDisabled: true,
    iacBuildWorkerApplyTimeout: "3h",
    iacBuildWorkerPlanTimeout: "4h",
    workspaceLimit: 5,
  };
  for (const [name, value, member] of changes) {
    for (const [start, attributes] of [
      ["unset", {}],
      ["set", marked],
    ] as const) {
      it(`sets ${name}, ${start} before, to ${JSON.stringify(value)} and nothing else`, async () => {
        const before = add("acme", attributes);
        const reply = await ask("PATCH", "/acme", changing({ [name]: value }));
        assert.equal(reply.status, 200);
        assert.deepEqual(at(reply.body, "data", "attributes", name), value);
        assert.deepEqual(stored("acme"), { ...before, [member]: value });
        assert.deepEqual((await ask("GET", "/acme")).body, reply.body);
      });
    }
  }

  it("changes nothing without attributes, and accepts the name as id", async () => {
    const before = add("acme", marked);
    for (const data of [
      { type: "organizations" },
      { type: "organizations", attributes: {} },
      { type: "organizations", id: "acme" },
    ]) {
      assert.equal((await ask("PATCH", "/acme", { body: { data } })).status, 200);
      assert.deepEqual(stored("acme"), before);
    }
  });

  const attributes: readonly [string, unknown][] = [
    ...["access-beta-tools", "global-module-sharing", "global-provider-sharing", "is-disabled"].flatMap(
      (name) => [null, "true", 1, []].map((value): [string, unknown] => [name, value]),
    ),
    ...["iac-build-worker-apply-timeout", "iac-build-worker-plan-timeout"].flatMap((name) =>
      ["", "2", "h", "2 h", "1h30m", "1,5h", ".h", 7200, true].map((value): [string, unknown] => [
        name,
        value,
      ]),
    ),
    ...[1.5, "7", true, [], 2 ** 60].map((value): [string, unknown] => ["workspace-limit", value]),
  ];
  for (const [name, value] of attributes) {
    it(`refuses ${JSON.stringify(value)} as ${name}`, async () => {
      const before = add("acme");
      const reply = await ask("PATCH", "/acme", changing({ "access-beta-tools": true, [name]: value }));
      assertRefused(reply, 422, /must/, `/data/attributes/${name}`);
      assert.deepEqual(stored("acme"), before);
    });
  }

  for (const name of [
    "name",
    "notification-email",
    "external-id",
    "sso-enabled",
    "iac-worker-sudo-enabled",
    "accessBetaTools",
    "x",
  ]) {
    it(`refuses the attribute ${name}`, async () => {
      add("acme");
      const reply = await ask("PATCH", "/acme", changing({ [name]: true }));
      assertRefused(reply, 422, /unknown/, `/data/attributes/${name}`);
    });
  }

  const bodies: readonly [unknown, string][] = [
    [undefined, ""],
    [{}, "/data"],
    [{ data: {} }, "/data/type"],
    [{ data: { type: "organization" } }, "/data/type"],
    [{ data: { type: "organizations", id: "other" } }, "/data/id"],
    [{ data: { type: "organizations", attributes: [] } }, "/data/attributes"],
    [{ data: { type: "organizations", relationships: {} } }, "/data/relationships"],
  ];
  for (const [body, place] of bodies) {
    it(`refuses the body ${JSON.stringify(body)}`, async () => {
      add("acme");
      assertRefused(await ask("PATCH", "/acme", { body }), 422, /./, place);
    });
  }

  describe("its consumers", () => {
    const lists: readonly [unknown, string][] = [
      [undefined, ""],
      [{ data: null }, "/data"],
      [{ data: { id: "one", type: "organizations" } }, "/data"],
      [{ data: ["one"] }, "/data/0"],
      [{ data: [{ id: "one", type: "organization" }] }, "/data/0/type"],
      [{ data: [{ type: "organizations" }] }, "/data/0/id"],
    ];
    for (const [body, place] of lists) {
      it(`refuses the body ${JSON.stringify(body)}`, async () => {
        add("acme");
        assertRefused(await ask("PATCH", "/acme/relationships/module-consumers", { body }), 422, /./, place);
      });
    }
  });
});
