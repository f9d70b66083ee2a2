import assert from "node:assert/strict";
import type { NewOrganization, OrganizationAttributes } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, type CallOptions, type Reply } from "../call";
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
  const consumers = (...names: readonly string[]) => ({
    body: { data: names.map((id) => ({ id, type: "organizations" })) },
  });

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

  it("the list of provider consumers cannot be set", async () => {
    add("acme");
    const reply = await ask("PATCH", "/acme/relationships/provider-consumers", consumers());
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get("allow"), "GET");
  });
});

describe("narrowing the emulator's list of organizations", () => {
  const emulator = useEmulator();

  const list = async (query: string): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2/admin/organizations?${query}`);

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
});
