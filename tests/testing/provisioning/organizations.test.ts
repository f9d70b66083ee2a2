import assert from "node:assert/strict";
import type { NewOrganization, OrganizationAttributes } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("setting up the emulator's organizations", () => {
  const emulator = useEmulator();

  it("gives every organization its default project", () => {
    const organization = emulator.provisioning.addOrganization({ name: "acme" });
    assert.deepEqual(emulator.inspect().provisioning, {
      organizations: [organization],
      workspaces: [],
      users: [],
      notificationConfigurations: [],
      projects: [
        { id: organization.defaultProjectId, name: "Default Project", organization: "acme", isDefault: true },
      ],
    });
    assert.throws(() => emulator.provisioning.addOrganization({ name: "acme" }), /already/);
  });

  it("puts workspaces into the default project, or into the one given by name or id", () => {
    const { defaultProjectId } = emulator.provisioning.addOrganization({ name: "acme" });
    const { id } = emulator.provisioning.addProject({ organization: "acme", name: "web" });
    const first = emulator.provisioning.addWorkspace({ organization: "acme" });
    assert.match(first.id, /^ws-[A-Za-z0-9]{16}$/);
    assert.deepEqual(
      { ...first, id: "" },
      { id: "", name: "workspace-1", organization: "acme", projectId: defaultProjectId },
    );
    assert.equal(emulator.provisioning.addWorkspace({ organization: "acme", project: id }).projectId, id);
    const named = emulator.provisioning.addWorkspace({ organization: "acme", project: "web", name: "shop" });
    assert.deepEqual([named.projectId, named.name], [id, "shop"]);
    assert.equal(emulator.provisioning.moveWorkspace(first.id, "web").projectId, id);
    emulator.provisioning.removeWorkspace(named.id);
    assert.equal(emulator.inspect().provisioning.workspaces.length, 2);
  });

  it("adds users, in organizations or not", () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    const user = emulator.provisioning.addUser({ organization: "acme", username: "alice" });
    assert.match(user.id, /^user-[A-Za-z0-9]{16}$/);
    assert.deepEqual(emulator.inspect().provisioning.users, [
      { id: user.id, username: "alice", organizations: ["acme"] },
    ]);
    const other = emulator.provisioning.addUser();
    assert.deepEqual([other.username, other.organizations], ["user-1", []]);
    emulator.provisioning.removeUser(user.id);
    assert.deepEqual(
      emulator.inspect().provisioning.users.map(({ id }) => id),
      [other.id],
    );
  });

  it("removes an organization with all that is in it", async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addWorkspace({ organization: "acme" });
    const user = emulator.provisioning.addUser({ organization: "acme" });
    emulator.provisioning.removeOrganization("acme");
    const reply = await call(emulator, "provisioning", "GET", "/api/v2/organizations/acme/projects");
    assert.equal(reply.status, 404);
    assert.deepEqual(emulator.inspect().provisioning, {
      organizations: [],
      workspaces: [],
      users: [{ ...user, organizations: [] }],
      notificationConfigurations: [],
      projects: [],
    });
  });

  it("gives an organization what site administrators see, and changes it", () => {
    const { provisioning } = emulator;
    const { id } = provisioning.addUser();
    const first = provisioning.addOrganization({ name: "acme" });
    assert.match(first.externalId, /^org-[A-Za-z0-9]{16}$/);
    assert.deepEqual(first, {
      name: "acme",
      defaultProjectId: first.defaultProjectId,
      externalId: first.externalId,
      notificationEmail: "admin@example.com",
      accessBetaTools: false,
      isDisabled: false,
      iacBuildWorkerApplyTimeout: null,
      iacBuildWorkerPlanTimeout: null,
      iacWorkerSudoEnabled: false,
      globalModuleSharing: false,
      globalProviderSharing: false,
      ssoEnabled: false,
      workspaceLimit: null,
      ownerIds: [],
      subscriptionId: null,
      featureSetId: null,
      moduleConsumers: [],
      providerConsumers: [],
    });
    const attributes = {
      externalId: "org-1",
      notificationEmail: "ops@acme.example",
      accessBetaTools: true,
      iacBuildWorkerApplyTimeout: "2h",
      iacBuildWorkerPlanTimeout: "90m",
      iacWorkerSudoEnabled: true,
      ssoEnabled: true,
      workspaceLimit: 0,
      ownerIds: [id],
      subscriptionId: "sub-1",
      featureSetId: "fs-1",
      moduleConsumers: ["acme"],
      providerConsumers: ["acme"],
    };
    const second = provisioning.addOrganization({ name: "other", ...attributes });
    assert.deepEqual(second, { ...second, ...attributes, isDisabled: false });
    assert.deepEqual(provisioning.changeOrganization("acme", attributes), { ...first, ...attributes });
    assert.deepEqual(emulator.inspect().provisioning.users[0]?.organizations, ["other", "acme"]);
  });

  it("shares with all organizations or with some", () => {
    const { provisioning } = emulator;
    const sharing = (change: Partial<OrganizationAttributes>): unknown[] => {
      const changed = provisioning.changeOrganization("acme", change);
      return [
        changed.globalModuleSharing,
        changed.moduleConsumers,
        changed.globalProviderSharing,
        changed.providerConsumers,
      ];
    };
    provisioning.addOrganization({ name: "other" });
    provisioning.addOrganization({ name: "acme" });
    const some = { moduleConsumers: ["other"], providerConsumers: ["other"] };
    assert.deepEqual(sharing(some), [false, ["other"], false, ["other"]]);
    assert.deepEqual(sharing({ globalModuleSharing: true }), [true, [], false, ["other"]]);
    assert.deepEqual(sharing({ globalProviderSharing: true }), [true, [], true, []]);
    assert.deepEqual(sharing({ moduleConsumers: [] }), [false, [], true, []]);
    assert.deepEqual(sharing(some), [false, ["other"], false, ["other"]]);
  });

  it("leaves no reference to an organization or a user that is removed", () => {
    const { provisioning } = emulator;
    const { id } = provisioning.addUser();
    provisioning.addOrganization({ name: "other" });
    provisioning.addOrganization({
      name: "acme",
      ownerIds: [id],
      moduleConsumers: ["other"],
      providerConsumers: ["other"],
    });
    provisioning.removeOrganization("other");
    provisioning.removeUser(id);
    const [acme] = emulator.inspect().provisioning.organizations;
    assert.deepEqual([acme?.ownerIds, acme?.moduleConsumers, acme?.providerConsumers], [[], [], []]);
  });

  it("throws for what does not exist", () => {
    const { provisioning } = emulator;
    provisioning.addOrganization({ name: "acme" });
    const { id } = provisioning.addWorkspace({ organization: "acme" });
    assert.throws(() => provisioning.removeOrganization("nobody"), /no organization "nobody"/);
    assert.throws(() => provisioning.addWorkspace({ organization: "nobody" }), /no organization "nobody"/);
    assert.throws(() => provisioning.addWorkspace({ organization: "acme", project: "x" }), /no project "x"/);
    assert.throws(() => provisioning.moveWorkspace(id, "x"), /no project "x"/);
    assert.throws(() => provisioning.moveWorkspace("ws-x", "x"), /no workspace "ws-x"/);
    assert.throws(() => provisioning.removeWorkspace("ws-x"), /no workspace "ws-x"/);
    assert.throws(() => provisioning.addUser({ organization: "nobody" }), /no organization "nobody"/);
    assert.throws(() => provisioning.removeUser("user-x"), /no user "user-x"/);
    const { organizations } = emulator.inspect().provisioning;
    assert.throws(() => provisioning.changeOrganization("nobody", {}), /no organization "nobody"/);
    for (const name of ["acme", "new"]) {
      const set = (attributes: Partial<OrganizationAttributes>): unknown =>
        name === "new"
          ? provisioning.addOrganization({ name, ...attributes })
          : provisioning.changeOrganization(name, attributes);
      assert.throws(() => set({ ownerIds: ["user-x"] }), /no user "user-x"/);
      assert.throws(() => set({ moduleConsumers: ["nobody"] }), /no organization "nobody"/);
      assert.throws(() => set({ providerConsumers: ["nobody"] }), /no organization "nobody"/);
    }
    assert.deepEqual(emulator.inspect().provisioning.organizations, organizations);
  });
});

describe("the emulator's organizations for site administrators", () => {
  const emulator = useEmulator();

  const root = "/api/v2/admin/organizations";
  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, root + path, options);
  const add = (name: string, attributes: Omit<NewOrganization, "name"> = {}) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const stored = (name: string) => {
    const found = emulator
      .inspect()
      .provisioning.organizations.find((organization) => organization.name === name);
    assert.ok(found);
    return found;
  };
  const changing = (attributes: unknown) => ({ body: { data: { type: "organizations", attributes } } });
  const consumers = (...names: readonly string[]) => ({
    body: { data: names.map((id) => ({ id, type: "organizations" })) },
  });
  const idsIn = (reply: Reply, member = "data"): unknown[] => {
    const items = at(reply.body, member);
    assert.ok(Array.isArray(items), JSON.stringify(reply.body));
    return items.map((item: unknown) => at(item, "id"));
  };

  describe("show", () => {
    it("includes the owners on request, and nothing else", async () => {
      const { id } = emulator.provisioning.addUser({ username: "alice" });
      add("acme", { ownerIds: [id] });
      const included = [{ id, type: "users", attributes: { username: "alice" } }];
      assert.deepEqual(at((await ask("GET", "/acme?include=owners")).body, "included"), included);
      assert.equal(at((await ask("GET", "/acme")).body, "included"), undefined);
      assertRefused(await ask("GET", "/acme?include=users"), 400, /owners/, "?include");
      assertRefused(await ask("GET", "/acme?q=a"), 400, /unknown/, "?q");
    });
  });

  describe("list", () => {
    it("has 20 to a page unless told otherwise, and absolute links", async () => {
      for (let number = 1; number <= 21; number++) {
        add(`organization-${number}`);
      }
      const first = await ask("GET", "");
      assert.equal(idsIn(first).length, 20);
      assert.deepEqual(at(first.body, "meta", "pagination"), {
        "current-page": 1,
        "prev-page": null,
        "next-page": 2,
        "total-pages": 2,
        "total-count": 21,
      });
      const next = textAt(first.body, "links", "next");
      assert.ok(next.startsWith(`${emulator.provisioning.address}${root}?`), next);
      const second = await call(
        emulator,
        "provisioning",
        "GET",
        next.slice(emulator.provisioning.address.length),
      );
      assert.deepEqual(idsIn(second), ["organization-21"]);
      assert.equal(at(second.body, "links", "next"), null);
      assert.deepEqual(idsIn(await ask("GET", "?page[size]=2&page[number]=3")), [
        "organization-5",
        "organization-6",
      ]);
    });

    it("includes the owners of the page, each once", async () => {
      const [both, second] = [emulator.provisioning.addUser(), emulator.provisioning.addUser()];
      emulator.provisioning.addUser();
      add("one", { ownerIds: [both.id] });
      add("two", { ownerIds: [both.id, second.id] });
      assert.deepEqual(idsIn(await ask("GET", "?include=owners"), "included"), [both.id, second.id]);
      assert.deepEqual(idsIn(await ask("GET", "?include=owners&page[size]=1"), "included"), [both.id]);
      assert.equal(at((await ask("GET", "")).body, "included"), undefined);
    });

    it("refuses what it does not know", async () => {
      assertRefused(await ask("GET", "?sort=name"), 400, /unknown/, "?sort");
      assertRefused(await ask("GET", "?include=users"), 400, /owners/, "?include");
    });
  });

  describe("update", () => {
    it("answers 200 with the changed resource, and accepts the name as id", async () => {
      const before = add("acme", { workspaceLimit: 5 });
      const data = { type: "organizations", id: "acme", attributes: { "access-beta-tools": true } };
      const reply = await ask("PATCH", "/acme", { body: { data } });
      assert.equal(reply.status, 200);
      assert.equal(at(reply.body, "data", "attributes", "access-beta-tools"), true);
      assert.deepEqual((await ask("GET", "/acme")).body, reply.body);
      assert.deepEqual(stored("acme"), { ...before, accessBetaTools: true });
    });

    it("empties the consumers when it turns global sharing on, of the same kind only", async () => {
      add("other");
      add("acme", { moduleConsumers: ["other"], providerConsumers: ["other"] });
      await ask("PATCH", "/acme", changing({ "access-beta-tools": true, "global-module-sharing": false }));
      assert.deepEqual(stored("acme").moduleConsumers, ["other"]);
      await ask("PATCH", "/acme", changing({ "global-module-sharing": true }));
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/module-consumers")), []);
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/provider-consumers")), ["other"]);
      await ask("PATCH", "/acme", changing({ "global-provider-sharing": true }));
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/provider-consumers")), []);
    });
  });

  it("a disabled organization answers 404 to all but site administration, until it is enabled", async () => {
    add("acme");
    const { provisioning } = emulator;
    const { id: projectId } = provisioning.addProject({ organization: "acme", name: "web" });
    const { id: workspace } = provisioning.addWorkspace({ organization: "acme" });
    const { id } = provisioning.addNotificationConfiguration({ workspace, name: "x" });
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        [
          "/organizations/acme/projects",
          `/projects/${projectId}`,
          `/workspaces/${workspace}/notification-configurations`,
          `/notification-configurations/${id}`,
          "/admin/organizations/acme",
        ].map(async (path) => (await call(emulator, "provisioning", "GET", `/api/v2${path}`)).status),
      );
    await ask("PATCH", "/acme", changing({ "is-disabled": true }));
    assert.deepEqual(await statuses(), [404, 404, 404, 404, 200]);
    await ask("PATCH", "/acme", changing({ "is-disabled": false }));
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);
  });

  describe("delete", () => {
    it("answers 204 and takes projects, workspaces and their configurations along", async () => {
      add("other");
      add("acme", { moduleConsumers: ["other"] });
      const { provisioning } = emulator;
      provisioning.changeOrganization("other", { moduleConsumers: ["acme"] });
      const kept = provisioning.addWorkspace({ organization: "other" }).id;
      const lost = provisioning.addWorkspace({ organization: "acme" }).id;
      for (const workspace of [kept, lost]) {
        provisioning.addNotificationConfiguration({ workspace, name: "x" });
      }
      const reply = await ask("DELETE", "/acme");
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      assertRefused(await ask("DELETE", "/acme"), 404, /may not/);
      const left = emulator.inspect().provisioning;
      assert.deepEqual(
        left.organizations.map(({ name, moduleConsumers }) => [name, moduleConsumers]),
        [["other", []]],
      );
      assert.deepEqual(
        left.projects.map(({ organization }) => organization),
        ["other"],
      );
      assert.deepEqual(
        left.workspaces.map(({ id }) => id),
        [kept],
      );
      assert.deepEqual(
        left.notificationConfigurations.map(({ workspaceId }) => workspaceId),
        [kept],
      );
    });

    it("refuses a body", async () => {
      add("acme");
      assertRefused(await ask("DELETE", "/acme", { body: {} }), 400, /no body/);
    });
  });

  for (const [kind, member] of [
    ["module-consumers", "moduleConsumers"],
    ["provider-consumers", "providerConsumers"],
  ] as const) {
    describe(`list of ${kind}`, () => {
      const path = `/acme/relationships/${kind}`;

      it("shows organizations as they are shown, in pages", async () => {
        const names = Array.from({ length: 21 }, (_, index) => `organization-${index + 1}`);
        for (const name of names) {
          add(name);
        }
        add("acme", { [member]: names });
        const first = await ask("GET", path);
        assert.equal(first.status, 200);
        assert.deepEqual(idsIn(first), names.slice(0, 20));
        assert.deepEqual(at(first.body, "meta"), {
          pagination: {
            "current-page": 1,
            "prev-page": null,
            "next-page": 2,
            "total-pages": 2,
            "total-count": 21,
          },
        });
        assert.ok(
          textAt(first.body, "links", "next").startsWith(`${emulator.provisioning.address}${root}${path}?`),
        );
        assert.deepEqual(idsIn(await ask("GET", `${path}?page[number]=2`)), names.slice(20));
        const shown = await ask("GET", "/organization-1");
        assert.deepEqual(at(first.body, "data", 0, "attributes"), at(shown.body, "data", "attributes"));
        const related = `${root}/organization-1/relationships/provider-consumers`;
        assert.deepEqual(
          at(first.body, "data", 0, "relationships", "provider-consumers"),
          kind === "provider-consumers" ? { links: { related } } : undefined,
        );
      });

      it("is empty when there are none", async () => {
        add("acme");
        const reply = await ask("GET", path);
        assert.equal(reply.status, 200);
        assert.deepEqual(idsIn(reply), []);
        assertRefused(await ask("GET", `${path}?q=a`), 400, /unknown/, "?q");
      });
    });
  }

  it("the list of provider consumers cannot be set", async () => {
    add("acme");
    const reply = await ask("PATCH", "/acme/relationships/provider-consumers", consumers());
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get("allow"), "GET");
  });

  describe("update of the module consumers", () => {
    const path = "/acme/relationships/module-consumers";
    beforeEach(() => {
      for (const name of ["one", "two", "three"]) {
        add(name);
      }
    });

    it("replaces the list, each once, and answers 204", async () => {
      add("acme", { moduleConsumers: ["one"] });
      const reply = await ask("PATCH", path, consumers("three", "two", "three"));
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      assert.deepEqual(idsIn(await ask("GET", path)), ["three", "two"]);
      assert.equal((await ask("PATCH", path, consumers())).status, 204);
      assert.deepEqual(idsIn(await ask("GET", path)), []);
    });

    for (const names of [["one"], []]) {
      it(`turns global module sharing off with ${names.length} consumers, and leaves providers alone`, async () => {
        add("acme", { globalModuleSharing: true, globalProviderSharing: true });
        await ask("PATCH", path, consumers(...names));
        const { globalModuleSharing, globalProviderSharing, moduleConsumers } = stored("acme");
        assert.deepEqual([globalModuleSharing, globalProviderSharing], [false, true]);
        assert.deepEqual(moduleConsumers, names);
      });
    }

    it("refuses an unknown organization, and changes nothing", async () => {
      const before = add("acme", { globalModuleSharing: true });
      const reply = await ask("PATCH", path, consumers("one", "nobody"));
      assertRefused(reply, 422, /^Organization nobody not found$/, "/data");
      assert.deepEqual(stored("acme"), before);
    });
  });
});

describe("changing an organization of the emulator over the interface", () => {
  const emulator = useEmulator();

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

describe("narrowing the emulator's list of organizations", () => {
  const emulator = useEmulator();

  const list = async (query: string): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2/admin/organizations?${query}`);
  const add = (name: string, attributes: Omit<NewOrganization, "name">) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const namesIn = (reply: Reply): unknown[] => {
    const items = at(reply.body, "data");
    assert.ok(Array.isArray(items), JSON.stringify(reply.body));
    return items.map((item: unknown) => at(item, "id"));
  };

  const filled = (): void => {
    add("web", { notificationEmail: "one@acme.example", isDisabled: true });
    add("Web Shop", { notificationEmail: "two@other.example", moduleConsumers: ["web"] });
    add("api", { notificationEmail: "web@acme.example", globalModuleSharing: true });
    add("tools", { notificationEmail: "four@acme.example", globalProviderSharing: true });
    add("last", { notificationEmail: "five@acme.example", providerConsumers: ["web"] });
  };
  const everything = ["web", "Web Shop", "api", "tools", "last"];
  const queries: readonly [string, readonly string[]][] = [
    ["", everything],
    ["q=WEB", ["web", "Web Shop", "api"]],
    ["q=acme.EXAMPLE", ["web", "api", "tools", "last"]],
    ["q=", everything],
    ["q[name]=web", ["web", "Web Shop"]],
    ["q%5Bemail%5D=WEB", ["api"]],
    ["q[name]=web&q[email]=acme", ["web"]],
    ["q[name]=web&q[email]=web", []],
    ["q=tools&q[name]=web&q[email]=other", ["tools"]],
    ["filter[module_producer]=true", ["Web Shop", "api"]],
    ["filter[module_producer]=false", ["web", "tools", "last"]],
    ["filter[provider_producer]=true", ["tools", "last"]],
    ["filter[provider_producer]=false", ["web", "Web Shop", "api"]],
    ["filter[provider_producer]=false&filter[module_producer]=false&q=e", ["web"]],
  ];
  for (const [query, expected] of queries) {
    it(`narrows by ${query === "" ? "nothing" : query}`, async () => {
      filled();
      const reply = await list(query);
      assert.equal(reply.status, 200);
      assert.deepEqual(namesIn(reply), expected);
      assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 5, active: 4, disabled: 1 });
      assert.equal(at(reply.body, "meta", "pagination", "total-count"), expected.length);
    });
  }

  it("takes true and false only", async () => {
    for (const value of ["", "1", "yes", "True"]) {
      for (const name of ["filter[module_producer]", "filter[provider_producer]"]) {
        assertRefused(await list(`${name}=${value}`), 400, /true or false/, `?${name}`);
      }
    }
  });
});

describe("an organization as the emulator shows it to site administrators", () => {
  const emulator = useEmulator();

  const show = async (path: string): Promise<Reply> => call(emulator, "provisioning", "GET", path);

  it("has all that is documented", async () => {
    const { id } = emulator.provisioning.addUser();
    const { externalId } = emulator.provisioning.addOrganization({
      name: "a/b ü",
      ownerIds: [id],
      subscriptionId: "sub-1",
      featureSetId: "fs-1",
      notificationEmail: "ops@acme.example",
    });
    const reply = await show("/api/v2/admin/organizations/a%2Fb%20%C3%BC");
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
    const self = "/api/v2/admin/organizations/a%2Fb%20%C3%BC";
    assert.deepEqual(reply.body, {
      data: {
        id: "a/b ü",
        type: "organizations",
        attributes: {
          "access-beta-tools": false,
          "external-id": externalId,
          "is-disabled": false,
          name: "a/b ü",
          "iac-build-worker-apply-timeout": null,
          "iac-build-worker-plan-timeout": null,
          "iac-worker-sudo-enabled": false,
          "notification-email": "ops@acme.example",
          "global-module-sharing": false,
          "global-provider-sharing": false,
          "sso-enabled": false,
          "workspace-limit": null,
        },
        relationships: {
          owners: { data: [{ id, type: "users" }] },
          subscription: { data: { id: "sub-1", type: "subscriptions" } },
          "feature-set": { data: { id: "fs-1", type: "feature-sets" } },
          "module-consumers": { links: { related: `${self}/relationships/module-consumers` } },
        },
        links: { self },
      },
    });
    assert.equal((await show(self)).status, 200);
  });

  it("has null for what an organization does not have", async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    const { body } = await show("/api/v2/admin/organizations/acme");
    assert.deepEqual(at(body, "data", "relationships", "owners"), { data: [] });
    assert.deepEqual(at(body, "data", "relationships", "subscription"), { data: null });
    assert.deepEqual(at(body, "data", "relationships", "feature-set"), { data: null });
  });
});
