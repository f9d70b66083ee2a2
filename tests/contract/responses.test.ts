import assert from "node:assert/strict";
import { projectInputs, projectStub, ProvisioningContract } from "./support/provisioning";
import { failureOf } from "./support/values";

const single = "/api/v2/projects/:id";

/** A project as no document describes it, but as a service may well answer one day. */
function strangeProject(id: string, organization: string): unknown {
  return {
    jsonapi: { version: "1.0" },
    data: {
      id,
      type: "projects",
      attributes: {
        name: "payments",
        description: null,
        "created-at": "2026-03-01T00:00:00Z",
        "default-execution-mode": { nested: [null, { deeper: null }] },
        __provider: "exports.handler=()=>{throw new Error('not from here')}",
        __managed: { everything: 1 },
        permissions: {
          "can-update": true,
          "can-destroy": false,
          "can-create-workspace": true,
          "can-fly": null,
        },
      },
      relationships: {
        organization: { data: { id: organization, type: "organizations" }, links: null },
        "something-new": { data: null },
      },
      links: { self: null },
    },
    included: null,
  };
}

describe("strange answers, in the provider process", () => {
  const contract = new ProvisioningContract();

  it("bring into state what the documents name, and nothing else", async () => {
    const { organization, id, inputs, outputs } = await contract.project();
    const body = strangeProject(id, organization);
    contract.emulator.faults.add({ method: "GET", path: single, status: 200, body });
    const expected = {
      ...outputs,
      permissions: { canUpdate: true, canDestroy: false, canCreateWorkspace: true },
    };
    assert.deepEqual(await contract.provider.refresh(id, outputs), { id, inputs, outputs: expected });
    contract.emulator.faults.add({ method: "PATCH", status: 200, body });
    assert.deepEqual(await contract.provider.update(id, outputs, { ...inputs, name: "other" }), {
      ...expected,
      __managed: ["*", { name: { as: "other" } }],
      __at: contract.place,
    });
  });

  it("to a creation are adopted as well", async () => {
    const organization = contract.organization();
    contract.emulator.faults.add({
      method: "POST",
      status: 201,
      body: strangeProject("prj-strange", organization),
    });
    const inputs = projectInputs({ organization, name: "payments" });
    assert.deepEqual(await contract.provider.create(inputs), {
      id: "prj-strange",
      outputs: {
        organization,
        name: "payments",
        permissions: { canUpdate: true, canDestroy: false, canCreateWorkspace: true },
        __at: `*${contract.place}`,
        __provider: projectStub,
      },
    });
  });

  it("that lack what a refresh needs leave state as it is", async () => {
    const { id, inputs, outputs } = await contract.project();
    const body = { data: { id, type: "projects", attributes: { name: "payments" }, relationships: {} } };
    contract.emulator.faults.add({ method: "GET", path: single, status: 200, body });
    assert.deepEqual(await contract.provider.refresh(id, outputs), { id, inputs, outputs });
  });

  it("that contradict the documents are an error which says where", async () => {
    const { id, outputs } = await contract.project();
    const body = { data: { id, type: "projects", attributes: { name: 5 }, relationships: {} } };
    contract.emulator.faults.add({ method: "GET", path: single, status: 200, body });
    const { message } = await failureOf(contract.provider.refresh(id, outputs));
    assert.match(message, /^Unexpected response to .*: data\.attributes\.name/);
  });
});
