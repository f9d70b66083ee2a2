import assert from "node:assert/strict";
import { startEmulator, type Emulator, type OrganizationAttributes } from "../../../sdk/testing";
import { call } from "../call";

describe("setting up the emulator's organizations", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

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
