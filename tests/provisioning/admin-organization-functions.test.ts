import assert from "node:assert/strict";
import {
  type GetAdminOrganizationResult,
  getAdminOrganization,
  listAdminOrganizations,
  type ListAdminOrganizationsArgs,
} from "../../sdk/provisioning/admin-organization";
import { listModuleConsumers, listProviderConsumers } from "../../sdk/provisioning/module-consumers";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

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
      [{ email: "a@b.example" }, { "q[email]": "a@b.example" }],
      [{ name: "acme" }, { "q[name]": "acme" }],
      [{ moduleProducer: true }, { "filter[module_producer]": "true" }],
      [{ moduleProducer: false }, { "filter[module_producer]": "false" }],
      [{ providerProducer: true }, { "filter[provider_producer]": "true" }],
      [{ providerProducer: false }, { "filter[provider_producer]": "false" }],
      [{ include: "owners" }, { include: "owners" }],
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

    it("says no owners unless it is asked to", async () => {
      add("acme", { ownerIds: [owner("ada")] });
      const { organizations } = await listAdminOrganizations();
      assert.ok(organizations[0] !== undefined && !("owners" in organizations[0]));
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
