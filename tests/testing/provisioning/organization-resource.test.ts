import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { at, call, type Reply } from "../call";

describe("an organization as the emulator shows it to site administrators", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

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
