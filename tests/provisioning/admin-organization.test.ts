import assert from "node:assert/strict";
import { definitionIn } from "../../sdk/resource/definition";
import { z } from "zod";
import type { Dialect } from "../../sdk/base/settings";
import {
  adminOrganizationDefinition,
  getAdminOrganization,
  listAdminOrganizations,
  type ListAdminOrganizationsArgs,
  organizationKind,
} from "../../sdk/provisioning/admin-organization";
import { listModuleConsumers } from "../../sdk/provisioning/module-consumers";
import { listProviderConsumers } from "../../sdk/provisioning/provider-consumers";
import { projectMember } from "../../sdk/provisioning/project";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { PartialSuccessError } from "../../sdk/engine/reports";
import { useEnvironment } from "../connection/environment";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const notFound =
  "The organization acme does not exist, or the token does not belong to a site administrator.";

describe("arguments of provisioning.AdminOrganization", () => {
  const limits = (reason: string | undefined, ...texts: readonly string[]) =>
    texts.map((text): readonly [Properties, string?] => [
      { iacBuildWorkerPlanTimeout: text },
      reason && `iacBuildWorkerPlanTimeout ${reason}`,
    ]);
  const noLimit = 'must be a number with a unit, such as "2h" or "1.5h"';
  const unknownUnit = "has a unit other than h, m or s: the service might reject it";
  const rows: readonly (readonly [Properties, string?])[] = [
    ...limits(noLimit, "2 hours", "1h30m", "1,5h", "h", "2", "", " 2h", "2h ", "2h\n", ".h", "1h2"),
    ...limits(undefined, "2h", "1.5m", "30s"),
    ...limits(unknownUnit, "1d", "500ms", "2H", "2hours", "-1h", "+1h", ".5h", "1.h"),
    ...limits("is 0: no run can finish in that time", "0h"),
    [{ iacBuildWorkerApplyTimeout: "2" }, `iacBuildWorkerApplyTimeout ${noLimit}`],
    [{ workspaceLimit: 1.5 }, "workspaceLimit must be a whole number"],
    [{ workspaceLimit: -1 }, "workspaceLimit is negative: the service might reject it"],
    [{ workspaceLimit: 0 }],
  ];
  for (const [args, expected = ""] of rows) {
    it(`the arguments of an organization are accepted, rejected or cause a warning: ${JSON.stringify(args)}`, () => {
      const all = { name: "acme", ...args };
      const { failures, warnings } = checkArguments(
        definitionIn(adminOrganizationDefinition, "documented"),
        z,
        all,
      );
      const refused = failures.map(({ property, reason }) => `${property} ${reason}`);
      const isWarning = /the service might|no run can/.test(expected);
      assert.deepEqual(isWarning ? [warnings.join(), refused] : [refused.join(), warnings], [expected, []]);
    });
  }
});

describe("provisioning.AdminOrganization", () => {
  const organization = {
    name: "acme",
    accessBetaTools: true,
    workspaceLimit: 10,
    iacBuildWorkerApplyTimeout: "5h",
    globalProviderSharing: true,
  };
  const emulator = useEmulator({ seed: { organizations: [organization] } });
  const patch = { method: "PATCH", path: "/api/v2/admin/organizations/:name" };

  const acme = () => emulator.inspect().provisioning.organizations.find(({ name }) => name === "acme");
  const sent = (): unknown[] =>
    emulator.journal
      .requests(patch)
      .map(({ body }) => (body as { data: { attributes: unknown } }).data.attributes);
  const manage = (args: Properties) =>
    FakeEngine.create(adminOrganizationDefinition, emulator, { name: "acme", ...args });
  const unprivileged = (): FakeEngine =>
    new FakeEngine(adminOrganizationDefinition, emulator, {
      "trivium:provisioningToken": emulator.provisioning.addToken({ siteAdministrator: false }),
    });

  const original = {
    "access-beta-tools": true,
    "global-module-sharing": false,
    "global-provider-sharing": true,
    "is-disabled": false,
    "iac-build-worker-apply-timeout": "5h",
    "workspace-limit": 10,
  };
  const writes: readonly [string, Properties, Properties | undefined][] = [
    [
      "false, 0 and null as they are",
      { accessBetaTools: false, workspaceLimit: 0, globalProviderSharing: null },
      { "access-beta-tools": false, "global-provider-sharing": false, "workspace-limit": 0 },
    ],
    [
      "the documented defaults for what is cleared",
      { workspaceLimit: null, iacBuildWorkerApplyTimeout: null },
      { "iac-build-worker-apply-timeout": "24h", "workspace-limit": 0 },
    ],
    ["nothing when only its name is set", {}, undefined],
  ];
  for (const [what, args, expected] of writes) {
    it(`an organization's update sends ${what}, and the current values of arguments that were not set`, async () => {
      const managed = await manage(args);
      assert.deepEqual(sent(), expected === undefined ? [] : [{ ...original, ...expected }]);
      assert.equal(await managed.up({ name: "acme", ...args }), "same");
    });
  }

  it("an organization's update sends what changed, what is no longer set, and what another client has set", async () => {
    const args = { name: "acme", workspaceLimit: 30 };
    const managed = await manage({ workspaceLimit: 20, isDisabled: true, iacBuildWorkerPlanTimeout: "3h" });
    emulator.provisioning.changeOrganization("acme", { accessBetaTools: false });
    await managed.up({ ...args, isDisabled: true, iacBuildWorkerPlanTimeout: "3h" });
    await managed.up(args);
    const left = { ...original, "access-beta-tools": false, "workspace-limit": 30 };
    const found = sent().slice(1);
    assert.deepEqual(found, [
      { ...left, "is-disabled": true, "iac-build-worker-plan-timeout": "3h" },
      { ...left, "is-disabled": false, "iac-build-worker-plan-timeout": "2h" },
    ]);
  });

  for (const unsentOrganizationSettings of ["kept", "reset"] as const) {
    describe(`in a service in which omitted members are ${unsentOrganizationSettings}`, () => {
      const settings = {
        accessBetaTools: true,
        globalProviderSharing: true,
        isDisabled: true,
        iacBuildWorkerApplyTimeout: "5h",
        iacBuildWorkerPlanTimeout: "1h",
      };
      const seed = { organizations: [{ name: "acme", workspaceLimit: 10, ...settings }] };
      const other = useEmulator({ seed, provisioning: { unsentOrganizationSettings } });

      it("an organization's write keeps values that the program does not set: creation, update and restoration", async () => {
        const managed = new FakeEngine(adminOrganizationDefinition, other);
        for (const workspaceLimit of [5, 6, 10]) {
          await (workspaceLimit === 10
            ? managed.destroy()
            : managed.up({ name: "acme", workspaceLimit, onDestroy: "restore" }));
          const [found] = other.inspect().provisioning.organizations;
          assert.deepEqual({ ...found, workspaceLimit, ...settings }, found);
        }
      });
    });
  }

  for (const body of [undefined, "", {}, { data: null }, { meta: {} }]) {
    it(`an organization is read back if the response to an update is ${JSON.stringify(body)}`, async () => {
      emulator.faults.add({ method: "PATCH", status: 200, body, when: "after", times: 3 });
      const args = { name: "acme", workspaceLimit: 20, onDestroy: "restore" };
      const managed = await manage(args);
      assert.deepEqual([managed.outputs.workspaceLimit, managed.outputs.isDisabled], [20, false]);
      await managed.up({ ...args, isDisabled: true });
      assert.equal(managed.outputs.isDisabled, true);
      await managed.destroy();
      assert.deepEqual([acme()?.workspaceLimit, acme()?.isDisabled], [10, false]);
    });
  }

  for (const [what, body] of [
    ["a page", "<html>Welcome</html>"],
    ["about another organization", { data: { id: "other", type: "organizations", attributes: {} } }],
  ] as const) {
    it(`an organization is partly managed, with its original values, if the response to its first change is ${what}`, async () => {
      emulator.faults.add({ method: "PATCH", status: 200, body, when: "after" });
      await assert.rejects(manage({ workspaceLimit: 20 }), (error: unknown) => {
        assert.ok(error instanceof PartialSuccessError);
        const { __private: own = {} } = error.properties as Properties;
        const { former } = own as { former?: Properties };
        assert.deepEqual([error.id, former?.workspaceLimit], ["acme", 10]);
        return true;
      });
      assert.equal(acme()?.workspaceLimit, 20);
    });
  }

  it("an organization cannot be used while it is disabled, can be used again afterwards, and keeps more workspaces than a new limit", async () => {
    const { id } = emulator.provisioning.addProject({ organization: "acme", name: "web" });
    ["a", "b", "c"].forEach((name) => emulator.provisioning.addWorkspace({ organization: "acme", name }));
    const found = async () => (await clientOf(emulator).show(projectMember(id)))?.state.name;
    const managed = await manage({ isDisabled: true });
    assert.equal(await found(), undefined);
    await managed.up({ name: "acme", isDisabled: false, workspaceLimit: 1 });
    const { length } = emulator.inspect().provisioning.workspaces;
    assert.deepEqual([await found(), managed.outputs.workspaceLimit, length], ["web", 1, 3]);
  });

  it("an organization's update sends values that a response does not show, as with an older release", async () => {
    const data = { id: "acme", type: "organizations", attributes: { name: "acme" } };
    emulator.faults.add({ method: "GET", status: 200, body: { data } });
    await manage({ globalProviderSharing: false });
    assert.deepEqual(sent(), [{ "global-provider-sharing": false }]);
  });

  it("an organization's deletion restores every value that was ever managed, even cleared ones, and nothing else", async () => {
    const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
    await managed.up({ name: "acme", accessBetaTools: false, onDestroy: "restore" });
    assert.equal(acme()?.workspaceLimit, 0);
    emulator.provisioning.changeOrganization("acme", { iacBuildWorkerApplyTimeout: "9h" });
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(sent().at(-1), { ...original, "iac-build-worker-apply-timeout": "9h" });
    assert.equal(acme()?.iacBuildWorkerApplyTimeout, "9h");
  });

  it("an organization's deletion restores the documented default for null, or null if the service rejects the default", async () => {
    const managed = await manage({ iacBuildWorkerPlanTimeout: "1h", onDestroy: "restore" });
    emulator.faults.add({ ...patch, status: 422, times: 1, body: { errors: [{ title: "wrong type" }] } });
    // The emulator refuses null.
    await assert.rejects(async () => managed.destroy(), { message: /returned 422/ });
    await managed.destroy();
    const limits = ["2h", null, "2h"];
    const restored = limits.map((limit) => ({ ...original, "iac-build-worker-plan-timeout": limit }));
    assert.deepEqual(sent().slice(1), restored);
  });

  it("an organization is deleted with everything in it if the program requests that", async () => {
    await (await manage({ workspaceLimit: 20, onDestroy: "delete" })).destroy();
    assert.equal(acme(), undefined);
  });

  it("an organization that was deleted is removed from state by a refresh, and nothing is restored", async () => {
    const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
    emulator.provisioning.removeOrganization("acme");
    await managed.destroy();
    managed.id = "acme";
    assert.equal(await managed.refresh(), false);
  });

  it("an organization cannot be managed, and the error says why, if it does not exist or the token does not belong to an administrator", async () => {
    const message = `${notFound} AdminOrganization manages existing organizations and does not create them.`;
    await assert.rejects(unprivileged().up({ name: "acme", workspaceLimit: 20 }), { message });
    emulator.provisioning.removeOrganization("acme");
    await assert.rejects(manage({ workspaceLimit: 20 }), { message });
    assert.deepEqual(sent(), []);
  });

  it("an organization is not treated as deleted when it is refreshed or restored with a token that does not belong to an administrator", async () => {
    const { id, inputs, outputs } = await manage({ workspaceLimit: 20, onDestroy: "restore" });
    const managed = Object.assign(unprivileged(), { id, inputs, outputs });
    for (const act of [() => managed.refresh(), async () => managed.destroy()]) {
      await assert.rejects(act, {
        message: /organization acme.*could not tell which.*State is unchanged.*TRIVIUM_ASSUME_GONE=acme/,
      });
    }
    assert.equal(acme()?.workspaceLimit, 20);
  });
});

describe("administrative organizations on the wire", () => {
  const read = (attributes: object, relationships: object = {}, dialect: Dialect = "documented") =>
    organizationKind.shape(z, dialect).parse({ type: "organizations", id: "acme", attributes, relationships })
      .state;

  it("organizations on the wire distinguish null from a missing value, and are identified by their ID if they have no name", () => {
    const attributes = { "workspace-limit": null, "iac-build-worker-plan-timeout": null };
    const relationships = { subscription: { data: null }, "feature-set": {}, owners: { data: [] } };
    assert.deepEqual(read(attributes, relationships), {
      name: "acme",
      workspaceLimit: null,
      iacBuildWorkerPlanTimeout: null,
      subscriptionId: null,
      ownerIds: [],
    });
    assert.deepEqual(read({ name: "Acme" }), { name: "Acme" });
  });

  for (const prefix of ["terraform-build-worker-", ""]) {
    it(`organizations on the wire are read with the products' names: ${prefix}apply-timeout`, () => {
      const limits = { [`${prefix}apply-timeout`]: "9h", [`${prefix}plan-timeout`]: null };
      const known = { iacBuildWorkerApplyTimeout: "9h", iacBuildWorkerPlanTimeout: null };
      const found = read({ ...limits, "terraform-worker-sudo-enabled": true }, {}, "hashicorp");
      assert.deepEqual(found, { name: "acme", ...known, iacWorkerSudoEnabled: true });
      assert.deepEqual(read(limits), { name: "acme" });
    });
  }

  it("organizations on the wire are sent with the products' current names", () => {
    const changed = new Set(["iacBuildWorkerPlanTimeout"]);
    const values = { name: "acme", iacBuildWorkerPlanTimeout: "2h" };
    const { data } = organizationKind.document(values, "hashicorp", { changed });
    assert.deepEqual(data.attributes, { "plan-timeout": "2h" });
  });
});

describe("functions for site administrators", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  const add = (name: string, more: object = {}) => emulator.provisioning.addOrganization({ name, ...more });
  const owner = (username: string) => emulator.provisioning.addUser({ username });
  const namesOf = ({ organizations }: { readonly organizations: readonly { readonly name: string }[] }) =>
    organizations.map(({ name }) => name);

  it("getAdminOrganization reads everything that administrators see, and the owners on request", async () => {
    const [ada, bob] = [owner("ada"), owner("bob")];
    const ownerIds = [ada.id, bob.id];
    const more = { workspaceLimit: 0, iacBuildWorkerPlanTimeout: "90m", isDisabled: true };
    const { externalId } = add("acme", { ...more, ownerIds, subscriptionId: "sub-1" });
    const expected = {
      name: "acme",
      ...more,
      externalId,
      ownerIds,
      subscriptionId: "sub-1",
      featureSetId: null,
      accessBetaTools: false,
      globalModuleSharing: false,
      globalProviderSharing: false,
      iacBuildWorkerApplyTimeout: null,
      notificationEmail: "admin@example.com",
      ssoEnabled: false,
      iacWorkerSudoEnabled: false,
    };
    assert.deepEqual(await getAdminOrganization({ name: "acme" }), expected);
    const owners = [ada, bob].map(({ id, username }) => ({ id, attributes: { username } }));
    const withOwners = await getAdminOrganization({ name: "acme", include: "owners" });
    assert.deepEqual(withOwners, { ...expected, owners });
    const queries = emulator.journal.requests().map(({ query }) => query);
    assert.deepEqual(queries, [{}, { include: "owners" }]);
  });

  it("listAdminOrganizations filters by name, by email address, and by what is shared", async () => {
    add("acme", { notificationEmail: "ops@acme.example", globalModuleSharing: true });
    add("platform", { notificationEmail: "acme@platform.example", providerConsumers: ["acme"] });
    add("other");
    const rows: readonly [ListAdminOrganizationsArgs, readonly string[]][] = [
      [{}, ["acme", "platform", "other"]],
      [{ q: "ACME" }, ["acme", "platform"]],
      [{ name: "acme" }, ["acme"]],
      [{ email: "acme", name: "plat" }, ["platform"]],
      [{ moduleProducer: false }, ["platform", "other"]],
      [{ providerProducer: true }, ["platform"]],
    ];
    for (const [args, expected] of rows) {
      assert.deepEqual(namesOf(await listAdminOrganizations(args)), expected);
    }
  });

  it("listAdminOrganizations returns all pages, the counts, and each organization's own owners", async () => {
    const [ada, bob] = [owner("ada").id, owner("bob").id];
    const names = Array.from({ length: 130 }, (_, index) => `organization-${index}`);
    names.forEach((name, index) =>
      add(name, { isDisabled: index < 5, ownerIds: index === 0 ? [ada] : index === 129 ? [ada, bob] : [] }),
    );
    const list = await listAdminOrganizations({ include: "owners" });
    assert.deepEqual(namesOf(list), names);
    assert.deepEqual(list.statusCounts, { total: 130, active: 125, disabled: 5 });
    const owners = [0, 1, 129].map((index) =>
      list.organizations[index]?.owners?.map(({ attributes }) => attributes.username),
    );
    assert.deepEqual(owners, [["ada"], [], ["ada", "bob"]]);
    assert.equal(emulator.journal.count(), 2);
    emulator.faults.add({ method: "GET", status: 200, body: { data: [] } });
    assert.deepEqual(await listAdminOrganizations(), { organizations: [], statusCounts: undefined });
  });

  it("functions for administrators fail with an explanation if the token does not belong to an administrator", async () => {
    add("acme");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ siteAdministrator: false });
    for (const [call, message] of [
      [() => getAdminOrganization({ name: "acme" }), notFound],
      [() => listModuleConsumers({ organization: "acme" }), notFound],
      [() => listProviderConsumers({ organization: "acme" }), notFound],
      [() => listAdminOrganizations(), /^Could not list the organizations as an .* 404/],
    ] as const) {
      await assert.rejects(call, { message });
    }
  });

  for (const [list, member, path] of [
    [listModuleConsumers, "moduleConsumers", "module-consumers"],
    [listProviderConsumers, "providerConsumers", "provider-consumers"],
  ] as const) {
    it(`the list function returns all ${path}, with everything that listAdminOrganizations returns`, async () => {
      const consumers = Array.from({ length: 130 }, (_, index) => `consumer-${index}`);
      consumers.forEach((consumer) => add(consumer));
      add("plat form", { [member]: consumers });
      const { organizations } = await list({ organization: "plat form" });
      const paths = new Set(emulator.journal.requests().map((request) => request.path));
      assert.deepEqual([...paths], [`/api/v2/admin/organizations/plat%20form/relationships/${path}`]);
      const all = await listAdminOrganizations();
      assert.deepEqual(organizations, all.organizations.slice(0, -1));
    });

    for (const global of [true, false]) {
      it(`the list function returns no ${path} if the organization shares with all organizations or with none`, async () => {
        add("acme", { globalModuleSharing: global, globalProviderSharing: global });
        assert.deepEqual(await list({ organization: "acme" }), { organizations: [] });
      });
    }
  }
});
