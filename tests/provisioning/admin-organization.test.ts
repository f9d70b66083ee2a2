import assert from "node:assert/strict";
import { z } from "zod";
import {
  adminOrganizationDefinition,
  getAdminOrganization,
  type GetAdminOrganizationResult,
  listAdminOrganizations,
  type ListAdminOrganizationsArgs,
  organizationKind,
} from "../../sdk/provisioning/admin-organization";
import { listModuleConsumers, listProviderConsumers } from "../../sdk/provisioning/module-consumers";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { PartialSuccessError } from "../../sdk/engine/calls";
import { projectMember } from "../../sdk/provisioning/project";
import type { OrganizationRecord } from "../../sdk/testing";
import type { Properties } from "../support/provider-process";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";
import type { Dialect } from "../../sdk/base/settings";

describe("provisioning.AdminOrganization", () => {
  const problems = (args: Record<string, unknown>): string[] =>
    checkArguments(adminOrganizationDefinition, z, "documented", { name: "acme", ...args }).failures.map(
      ({ property, reason }) => `${property} ${reason}`,
    );

  describe("its time limits", () => {
    const explanation = 'must be a number with a unit, such as "2h" or "1.5h"';
    const bad = ["2 hours", "1h30m", "1,5h", "h", "2", "", " 2h", "2h ", "2h\n", ".h", "1h2"];
    for (const text of bad) {
      it(`may not be ${JSON.stringify(text)}`, () => {
        assert.deepEqual(problems({ iacBuildWorkerApplyTimeout: text, iacBuildWorkerPlanTimeout: text }), [
          `iacBuildWorkerApplyTimeout ${explanation}`,
          `iacBuildWorkerPlanTimeout ${explanation}`,
        ]);
      });
    }

    const unit = "has a unit other than h, m or s: the service may reject it";
    for (const [text, warning] of [
      ["2h", undefined],
      ["1.5m", undefined],
      ["30s", undefined],
      ["1d", unit],
      ["500ms", unit],
      ["2H", unit],
      ["2hours", unit],
      ["-1h", unit],
      ["+1h", unit],
      [".5h", unit],
      ["1.h", unit],
      ["0h", "is 0: no run can finish in that time"],
    ] as const) {
      it(`may be ${text}, ${warning === undefined ? "without" : "with"} a warning`, () => {
        const { failures, warnings } = checkArguments(adminOrganizationDefinition, z, "documented", {
          name: "acme",
          iacBuildWorkerPlanTimeout: text,
        });
        assert.deepEqual(failures, []);
        assert.deepEqual(warnings, warning === undefined ? [] : [`iacBuildWorkerPlanTimeout ${warning}`]);
      });
    }
  });

  describe("its other arguments", () => {
    const refused: readonly [Record<string, unknown>, string][] = [
      [{ workspaceLimit: 1.5 }, "workspaceLimit must be a whole number"],
    ];
    for (const [args, problem] of refused) {
      it(`may not be ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), [problem]));
    }

    it("may be a negative limit, with a warning", () => {
      const { failures, warnings } = checkArguments(adminOrganizationDefinition, z, "documented", {
        name: "acme",
        workspaceLimit: -1,
      });
      assert.deepEqual([failures, warnings], [[], ["workspaceLimit is negative: the service may reject it"]]);
    });
  });

  describe("in the service", () => {
    const emulator = useEmulator();
    const patch = { method: "PATCH", path: "/api/v2/admin/organizations/:name" };

    beforeEach(() => {
      emulator.provisioning.addOrganization({
        name: "acme",
        accessBetaTools: true,
        workspaceLimit: 10,
        iacBuildWorkerApplyTimeout: "5h",
        globalProviderSharing: true,
      });
    });

    const acme = (): OrganizationRecord | undefined =>
      emulator.inspect().provisioning.organizations.find(({ name }) => name === "acme");
    const sent = (): unknown[] =>
      emulator.journal
        .requests(patch)
        .map(({ body }) => (body as { data: { attributes: unknown } }).data.attributes);
    const manage = async (args: Properties): Promise<Managed> => {
      const managed = new Managed(adminOrganizationDefinition, emulator);
      await managed.up({ name: "acme", ...args });
      return managed;
    };

    it("is sent false, 0 and null as they are, and nothing that was not given", async () => {
      const before = acme();
      await manage({ accessBetaTools: false, workspaceLimit: 0, globalProviderSharing: null });
      assert.deepEqual(sent(), [
        { "access-beta-tools": false, "global-provider-sharing": false, "workspace-limit": 0 },
      ]);
      assert.deepEqual(acme(), {
        ...before,
        accessBetaTools: false,
        globalProviderSharing: false,
        workspaceLimit: 0,
      });
    });

    it("is sent the documented default for what is cleared, not null", async () => {
      const cleared = {
        workspaceLimit: null,
        iacBuildWorkerApplyTimeout: null,
        iacBuildWorkerPlanTimeout: null,
      };
      const managed = await manage(cleared);
      assert.deepEqual(sent(), [
        {
          "iac-build-worker-apply-timeout": "24h",
          "iac-build-worker-plan-timeout": "2h",
          "workspace-limit": 0,
        },
      ]);
      assert.equal(await managed.up({ name: "acme", ...cleared }), "same");
      await managed.up({ name: "acme", workspaceLimit: 20, iacBuildWorkerPlanTimeout: "3h" });
      await managed.up({ name: "acme" });
      assert.deepEqual(sent().slice(2), [{ "iac-build-worker-plan-timeout": "2h", "workspace-limit": 0 }]);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ name: "acme" }), "same");
    });

    it("is sent nothing at all when nothing but its name is given", async () => {
      const managed = await manage({});
      assert.deepEqual(sent(), []);
      assert.equal(managed.outputs.workspaceLimit, 10);
    });

    for (const [what, body] of [
      ["a page", "<html>Welcome</html>"],
      ["about another organization", { data: { id: "other", type: "organizations", attributes: {} } }],
    ] as const) {
      it(`is partly managed, with its former values, when the response to its first change is ${what}`, async () => {
        emulator.faults.add({ method: "PATCH", status: 200, body, when: "after" });
        await assert.rejects(manage({ workspaceLimit: 20 }), (error: unknown) => {
          assert.ok(error instanceof PartialSuccessError);
          assert.equal(error.id, "acme");
          const { former } = (error.properties.__memory ?? {}) as { former?: Properties };
          assert.equal(former?.workspaceLimit, 10);
          return true;
        });
        assert.equal(acme()?.workspaceLimit, 20);
      });
    }

    it("is closed to its users while it is disabled, and open again afterwards", async () => {
      const project = emulator.provisioning.addProject({ organization: "acme", name: "web" }).id;
      const client = clientOf(emulator);
      const managed = await manage({ isDisabled: true });
      assert.equal(await client.show(projectMember(project)), undefined);
      await managed.up({ name: "acme", isDisabled: false });
      assert.equal((await client.show(projectMember(project)))?.state.name, "web");
    });

    it("keeps the workspaces that it has when its limit is below their number", async () => {
      const workspaces = ["a", "b", "c"].map(
        (name) => emulator.provisioning.addWorkspace({ organization: "acme", name }).id,
      );
      const managed = await manage({ workspaceLimit: 1 });
      assert.equal(managed.outputs.workspaceLimit, 1);
      assert.deepEqual(
        emulator.inspect().provisioning.workspaces.map(({ id }) => id),
        workspaces,
      );
    });

    it("is sent what changed, and what is no longer given", async () => {
      const managed = await manage({ workspaceLimit: 20, isDisabled: true });
      await managed.up({ name: "acme", workspaceLimit: 30, isDisabled: true });
      await managed.up({ name: "acme", workspaceLimit: 30 });
      assert.deepEqual(sent().slice(1), [{ "workspace-limit": 30 }, { "is-disabled": false }]);
    });

    it("is sent what a response does not show, as an older release may not", async () => {
      const data = { id: "acme", type: "organizations", attributes: { name: "acme" } };
      emulator.faults.add({ method: "GET", status: 200, body: { data } });
      await manage({ globalProviderSharing: false });
      assert.deepEqual(sent(), [{ "global-provider-sharing": false }]);
    });

    it("gets back what was managed of it, and nothing else", async () => {
      const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
      await managed.up({ name: "acme", workspaceLimit: 30, accessBetaTools: false, onDestroy: "restore" });
      // Not managed: whoever changes it meanwhile has changed it for good.
      emulator.provisioning.changeOrganization("acme", { iacBuildWorkerApplyTimeout: "9h" });
      emulator.journal.clear();
      assert.equal(await managed.refresh(), true);
      await managed.destroy();
      assert.deepEqual(sent(), [{ "access-beta-tools": true, "workspace-limit": 10 }]);
      assert.equal(acme()?.iacBuildWorkerApplyTimeout, "9h");
    });

    it("gets back what was managed once and then cleared", async () => {
      const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
      await managed.up({ name: "acme", onDestroy: "restore" });
      assert.equal(acme()?.workspaceLimit, 0);
      await managed.destroy();
      assert.equal(acme()?.workspaceLimit, 10);
    });

    it("gets back the documented default where it had null, or null from a service that refuses that", async () => {
      const once = { workspaceLimit: 20, iacBuildWorkerPlanTimeout: "1h", onDestroy: "restore" };
      const former = { "iac-build-worker-plan-timeout": "2h", "workspace-limit": 10 };
      const managed = await manage(once);
      await managed.destroy();
      assert.deepEqual(sent().slice(1), [former]);
      emulator.provisioning.changeOrganization("acme", { iacBuildWorkerPlanTimeout: null });
      emulator.journal.clear();
      const again = await manage(once);
      emulator.faults.add({ ...patch, times: 1, status: 422, body: { errors: [{ title: "wrong type" }] } });
      await assert.rejects(Promise.resolve(again.destroy()), { message: /422/ });
      assert.deepEqual(sent().slice(1), [former, { ...former, "iac-build-worker-plan-timeout": null }]);
    });

    it("needs nothing back when it is gone", async () => {
      const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
      emulator.provisioning.removeOrganization("acme");
      await managed.destroy();
      assert.equal(managed.id, undefined);
    });

    it("is deleted with all it holds when that is asked for", async () => {
      const managed = await manage({ workspaceLimit: 20, onDestroy: "delete" });
      await managed.destroy();
      assert.equal(acme(), undefined);
    });

    it("is gone in a refresh after it was deleted", async () => {
      const managed = await manage({ workspaceLimit: 20 });
      emulator.provisioning.removeOrganization("acme");
      assert.equal(await managed.refresh(), false);
    });

    for (const [who, access] of [
      ["nobody", {}],
      ["a token that is no site administrator's", { siteAdministrator: false }],
    ] as const) {
      it(`cannot be managed, and says why, for ${who}`, async () => {
        if (who === "nobody") {
          emulator.provisioning.removeOrganization("acme");
        }
        const token = emulator.provisioning.addToken(access);
        const managed = new Managed(adminOrganizationDefinition, emulator, {
          "trivium:provisioningToken": token,
        });
        await assert.rejects(managed.up({ name: "acme", workspaceLimit: 20 }), {
          message:
            "The organization acme does not exist, or the token is not that of a site administrator. " +
            "AdminOrganization manages existing organizations and does not create them.",
        });
        assert.equal(managed.id, undefined);
        assert.deepEqual(sent(), []);
      });
    }

    for (const [what, act] of [
      ["refreshed", (managed: Managed) => managed.refresh()],
      ["restored", (managed: Managed) => managed.destroy()],
    ] as const) {
      it(`is not treated as gone when it is ${what} with a token that is not an administrator's`, async () => {
        const managed = await manage({ workspaceLimit: 20, onDestroy: "restore" });
        const token = emulator.provisioning.addToken({ siteAdministrator: false });
        const unprivileged = new Managed(adminOrganizationDefinition, emulator, {
          "trivium:provisioningToken": token,
        });
        Object.assign(unprivileged, { id: managed.id, inputs: managed.inputs, outputs: managed.outputs });
        await assert.rejects(Promise.resolve(act(unprivileged)), {
          message:
            /organization acme.*could not find out which.*State is unchanged.*TRIVIUM_ASSUME_GONE=acme/,
        });
        assert.equal(acme()?.workspaceLimit, 20);
      });
    }
  });
});

function read(attributes: object, relationships: object = {}, dialect: Dialect = "documented") {
  const shape = organizationKind.shape(z, dialect);
  return shape.parse({ type: "organizations", id: "acme", attributes, relationships }).state;
}

describe("administrative organizations on the wire", () => {
  it("are known by their id when they say no name", () => {
    assert.equal(read({}).name, "acme");
    assert.equal(read({ name: "Acme" }).name, "Acme");
  });

  it("tell null from nothing", () => {
    const nulls = read(
      {
        "workspace-limit": null,
        "iac-build-worker-plan-timeout": null,
        "iac-build-worker-apply-timeout": "24h",
      },
      { subscription: { data: null }, "feature-set": {}, owners: { data: [] } },
    );
    assert.deepEqual(
      [nulls.workspaceLimit, nulls.iacBuildWorkerPlanTimeout, nulls.iacBuildWorkerApplyTimeout],
      [null, null, "24h"],
    );
    assert.deepEqual([nulls.subscriptionId, nulls.featureSetId, nulls.ownerIds], [null, undefined, []]);
    const nothing = read({});
    assert.deepEqual(nothing, { name: "acme" });
  });

  it("are understood with the products' old and new names", () => {
    for (const [apply, plan] of [
      ["terraform-build-worker-apply-timeout", "terraform-build-worker-plan-timeout"],
      ["apply-timeout", "plan-timeout"],
    ] as const) {
      const attributes = { [apply]: "9h", [plan]: null, "terraform-worker-sudo-enabled": true };
      const state = read(attributes, {}, "hashicorp");
      assert.deepEqual(
        [state.iacBuildWorkerApplyTimeout, state.iacBuildWorkerPlanTimeout, state.iacWorkerSudoEnabled],
        ["9h", null, true],
      );
      const elsewhere = read(attributes);
      assert.deepEqual(
        [elsewhere.iacBuildWorkerApplyTimeout, elsewhere.iacWorkerSudoEnabled],
        [undefined, undefined],
      );
    }
  });

  it("are sent the named attributes only, whatever their values", () => {
    const values = { workspaceLimit: 0, isDisabled: false, iacBuildWorkerPlanTimeout: "2h", name: "acme" };
    const isSent = (name: string): boolean => name in values && name !== "name";
    const document = (dialect: Dialect): unknown =>
      JSON.parse(JSON.stringify(organizationKind.document(values, dialect, { isSent })));
    const attributes = { "is-disabled": false, "workspace-limit": 0 };
    assert.deepEqual(document("documented"), {
      data: { type: "organizations", attributes: { ...attributes, "iac-build-worker-plan-timeout": "2h" } },
    });
    assert.deepEqual(document("hashicorp"), {
      data: {
        type: "organizations",
        attributes: { ...attributes, "terraform-build-worker-plan-timeout": "2h" },
      },
    });
  });
});

describe("functions for site administrators", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);

  const add = (name: string, more: object = {}) => emulator.provisioning.addOrganization({ name, ...more });
  const owner = (username: string): string => emulator.provisioning.addUser({ username }).id;
  const demote = (): void => {
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ siteAdministrator: false });
  };
  const namesOf = (organizations: readonly GetAdminOrganizationResult[]): string[] =>
    organizations.map(({ name }) => name);

  describe("provisioning.getAdminOrganization", () => {
    it("reads everything that administrators see", async () => {
      const ownerIds = [owner("ada")];
      const { externalId } = add("acme", {
        ownerIds,
        workspaceLimit: 0,
        iacBuildWorkerPlanTimeout: "90m",
        subscriptionId: "sub-1",
        isDisabled: true,
      });
      assert.deepEqual(await getAdminOrganization({ name: "acme" }), {
        name: "acme",
        accessBetaTools: false,
        globalModuleSharing: false,
        globalProviderSharing: false,
        isDisabled: true,
        iacBuildWorkerApplyTimeout: null,
        iacBuildWorkerPlanTimeout: "90m",
        workspaceLimit: 0,
        externalId,
        notificationEmail: "admin@example.com",
        ssoEnabled: false,
        iacWorkerSudoEnabled: false,
        ownerIds,
        subscriptionId: "sub-1",
        featureSetId: null,
      });
      assert.deepEqual(emulator.journal.requests()[0]?.query, {});
    });

    it("reads the owners too when it is asked to", async () => {
      const ownerIds = [owner("ada"), owner("bob")];
      add("acme", { ownerIds });
      const { owners } = await getAdminOrganization({ name: "acme", include: "owners" });
      assert.deepEqual(emulator.journal.requests()[0]?.query, { include: "owners" });
      assert.deepEqual(
        owners?.map(({ id, attributes }) => [id, attributes]),
        [
          [ownerIds[0], { username: "ada" }],
          [ownerIds[1], { username: "bob" }],
        ],
      );
    });

    for (const who of ["nobody", "a token that is no administrator's"]) {
      it(`says what may be wrong: ${who}`, async () => {
        if (who !== "nobody") {
          add("acme");
          demote();
        }
        const error = await failure(getAdminOrganization({ name: "acme" }));
        assert.equal(
          error.message,
          "The organization acme does not exist, or the token is not that of a site administrator.",
        );
      });
    }
  });

  describe("provisioning.listAdminOrganizations", () => {
    const queries: readonly [ListAdminOrganizationsArgs, Record<string, string>][] = [
      [{}, {}],
      [{ q: "ac&me" }, { q: "ac&me" }],
      [{ moduleProducer: false }, { "filter[module_producer]": "false" }],
      [
        { q: "a", email: "b", name: "c", moduleProducer: true, providerProducer: false, include: "owners" },
        {
          q: "a",
          "q[email]": "b",
          "q[name]": "c",
          "filter[module_producer]": "true",
          "filter[provider_producer]": "false",
          include: "owners",
        },
      ],
    ];
    for (const [args, query] of queries) {
      it(`asks with ${JSON.stringify(args)}`, async () => {
        await listAdminOrganizations(args);
        assert.deepEqual(emulator.journal.requests()[0]?.query, {
          ...query,
          "page[number]": "1",
          "page[size]": "100",
        });
      });
    }

    it("finds by name, by e-mail address, and by what is shared", async () => {
      add("acme", { notificationEmail: "ops@acme.example", globalModuleSharing: true });
      add("platform", { notificationEmail: "acme@platform.example", providerConsumers: ["acme"] });
      add("other");
      const found = async (args: ListAdminOrganizationsArgs): Promise<string[]> =>
        namesOf((await listAdminOrganizations(args)).organizations);
      assert.deepEqual(await found({}), ["acme", "platform", "other"]);
      assert.deepEqual(await found({ q: "ACME" }), ["acme", "platform"]);
      assert.deepEqual(await found({ name: "acme" }), ["acme"]);
      assert.deepEqual(await found({ email: "acme@" }), ["platform"]);
      assert.deepEqual(await found({ email: "acme", name: "plat" }), ["platform"]);
      assert.deepEqual(await found({ moduleProducer: true }), ["acme"]);
      assert.deepEqual(await found({ moduleProducer: false }), ["platform", "other"]);
      assert.deepEqual(await found({ providerProducer: true }), ["platform"]);
    });

    it("lists all pages, counts, and gives each organization its own owners", async () => {
      const [ada, bob] = [owner("ada"), owner("bob")];
      const names = Array.from({ length: 230 }, (_, index) => `organization-${index}`);
      names.forEach((name, index) =>
        add(name, { isDisabled: index < 5, ownerIds: index === 0 ? [ada] : index === 229 ? [ada, bob] : [] }),
      );
      const { organizations, statusCounts } = await listAdminOrganizations({ include: "owners" });
      assert.deepEqual(namesOf(organizations), names);
      assert.deepEqual(statusCounts, { total: 230, active: 225, disabled: 5 });
      const ownersOf = (index: number): unknown =>
        organizations[index]?.owners?.map(({ attributes }) => attributes.username);
      assert.deepEqual([ownersOf(0), ownersOf(1), ownersOf(229)], [["ada"], [], ["ada", "bob"]]);
      assert.equal(emulator.journal.count(), 3);
    });

    it("fails for a token that is no administrator's", async () => {
      demote();
      const error = await failure(listAdminOrganizations());
      assert.match(error.message, /^Could not list the organizations as an administrator: .* 404/);
    });
  });

  for (const [name, list, member, path] of [
    ["listModuleConsumers", listModuleConsumers, "moduleConsumers", "module-consumers"],
    ["listProviderConsumers", listProviderConsumers, "providerConsumers", "provider-consumers"],
  ] as const) {
    describe(`provisioning.${name}`, () => {
      it("lists all of them, with all that listAdminOrganizations returns", async () => {
        const consumers = Array.from({ length: 130 }, (_, index) => `consumer-${index}`);
        consumers.forEach((consumer) => add(consumer));
        add("plat form", { [member]: consumers });
        const { organizations } = await list({ organization: "plat form" });
        assert.deepEqual(namesOf(organizations), consumers);
        assert.deepEqual(
          emulator.journal.requests().map(({ path: asked }) => asked),
          Array.from({ length: 2 }, () => `/api/v2/admin/organizations/plat%20form/relationships/${path}`),
        );
        const all = await listAdminOrganizations();
        assert.deepEqual(
          organizations,
          all.organizations.filter(({ name }) => consumers.includes(name)),
        );
      });

      it("is empty when it is shared with everybody, or with nobody", async () => {
        add("acme", { globalModuleSharing: true, globalProviderSharing: true });
        add("other");
        for (const organization of ["acme", "other"]) {
          assert.deepEqual(await list({ organization }), { organizations: [] });
        }
      });

      it("says what may be wrong when there is no response", async () => {
        const error = await failure(list({ organization: "acme" }));
        assert.equal(
          error.message,
          "The organization acme does not exist, or the token is not that of a site administrator.",
        );
      });
    });
  }
});
