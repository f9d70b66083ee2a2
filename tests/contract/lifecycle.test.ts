import assert from "node:assert/strict";
import type { Properties, ProviderProcess } from "../support/provider-process";
import { failureOf, inClear, partialOf } from "../support/values";
import {
  GadgetContract,
  type ManagedProject,
  projectInputs,
  projectStub,
  ProvisioningContract,
} from "./support/contracts";
import { bottomless, gadgetStub } from "./support/gadget";

describe("creation in the provider process", () => {
  const contract = new ProvisioningContract();

  it("returns the id and all outputs, with what the library remembers", async () => {
    const organization = contract.organization();
    const { id, outputs } = await contract.provider.create(projectInputs({ organization, name: "payments" }));
    assert.match(id, /^prj-/);
    assert.deepEqual(outputs, {
      organization,
      name: "payments",
      permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
      __at: `*${contract.place}`,
      __provider: projectStub,
    });
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("refuses to create what exists, and says how to adopt it", async () => {
    const { id, inputs } = await contract.project();
    const { message, partial } = await failureOf(contract.provider.create(inputs));
    assert.match(message, new RegExp(`already exists \\(id ${id}\\).*adopt`));
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(inputs.organization), ["payments"]);
  });

  it("adopts an existing object with `adopt`", async () => {
    const organization = contract.organization();
    const existing = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    const { id, outputs } = await contract.provider.create(
      projectInputs({ organization, name: "payments", adopt: true }),
    );
    assert.equal(id, existing.id);
    assert.deepEqual(outputs.__managed, ["*", { adopt: { as: true } }]);
    assert.equal(Object.hasOwn(outputs, "adopt"), false);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("makes a project of its own beside one whose name differs in case", async () => {
    const organization = contract.organization();
    const other = contract.emulator.provisioning.addProject({ organization, name: "Payments" });
    const { id } = await contract.provider.create(
      projectInputs({ organization, name: "payments", adopt: true }),
    );
    assert.notEqual(id, other.id);
  });

  it("says in one error everything that is missing to reach the service, and where to set it", async () => {
    const provider = await contract.start({
      "trivium:provisioningAddress": "",
      "trivium:provisioningToken": "",
    });
    const { message } = await failureOf(
      provider.create(projectInputs({ organization: "acme", name: "payments" })),
    );
    for (const name of [
      "trivium:provisioningAddress",
      "PROVISIONING_ADDR",
      "trivium:provisioningToken",
      "PROVISIONING_TOKEN",
    ]) {
      assert.equal(message.split(new RegExp(`${name}\\b`)).length, 2, `${name} once in: ${message}`);
    }
  });

  it("finds the service in the environment too", async () => {
    const { address, token } = contract.emulator.provisioning;
    const provider = await contract.start(
      { "trivium:provisioningAddress": "", "trivium:provisioningToken": "" },
      { PROVISIONING_ADDR: address, PROVISIONING_TOKEN: token },
    );
    const organization = contract.organization();
    await provider.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });
});

describe("update in the provider process", () => {
  const contract = new GadgetContract();
  const inputs: Properties = {
    owner: "team-a",
    label: "first",
    tags: ["web", "api"],
    period: "1h",
    onDestroy: "delete",
    __provider: gadgetStub,
  };

  const create = async () => {
    const { id, outputs } = await contract.provider.create(inputs);
    return { id, outputs: inClear(outputs) };
  };
  /** @returns the outputs, and the requests that were made */
  const update = async (id: string, olds: Properties, news: Properties) => {
    const before = contract.service.requests.length;
    const outputs = inClear(await contract.provider.update(id, olds, news));
    return { outputs, requests: contract.service.requests.slice(before) };
  };

  it("returns all outputs, the changed ones as the service has them", async () => {
    const { id, outputs } = await create();
    const updated = await update(id, outputs, { ...inputs, period: "2h", label: "second" });
    assert.deepEqual(updated.outputs, {
      ...outputs,
      label: "second",
      period: 7200,
      __managed: ["*", { tags: { as: ["web", "api"] }, period: { as: "2h" } }],
    });
    assert.deepEqual(updated.requests, [`PATCH /api/v2/widgets/${id}`]);
  });

  it("of behaviour makes no request and keeps everything else as the service has it", async () => {
    const { id, outputs } = await create();
    const updated = await update(id, outputs, { ...inputs, onDestroy: "retain" });
    assert.deepEqual(updated, { outputs: { ...outputs, onDestroy: "retain" }, requests: [] });
  });

  it("of behaviour keeps what cleared arguments read as", async () => {
    const { id, outputs } = await create();
    const cleared = await update(id, outputs, { ...inputs, period: null });
    assert.equal(cleared.outputs.period, 60);
    const updated = await update(id, cleared.outputs, { ...inputs, period: null, onDestroy: "retain" });
    assert.deepEqual(updated, { outputs: { ...cleared.outputs, onDestroy: "retain" }, requests: [] });
  });

  it("decides what delete does", async () => {
    const { id, outputs } = await create();
    const { outputs: retained } = await update(id, outputs, { ...inputs, onDestroy: "retain" });
    await contract.provider.delete(id, retained);
    assert.ok(contract.service.widgets.has(id));
    await contract.provider.delete(id, outputs);
    assert.ok(!contract.service.widgets.has(id));
  });
});

describe("a creation that cannot be completed, in the provider process", () => {
  const contract = new ProvisioningContract();

  /** Makes a project whose final read fails. */
  const create = async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
    contract.emulator.faults.add({ method: "GET", path: "/api/v2/projects/:id", status: 500 });
    return { inputs, partial: await partialOf(contract.provider.create(inputs)) };
  };

  it("keeps the object, with all that is known and why it is not all", async () => {
    const { inputs, partial } = await create();
    assert.match(partial.id, /^prj-/);
    assert.deepEqual(partial.properties, {
      ...inputs,
      __at: `*${contract.place}`,
      __provider: projectStub,
    });
    assert.equal(partial.reasons.length, 1);
    assert.match(
      partial.reasons[0] ?? "",
      new RegExp(`${partial.id} was written, but reading it back failed`),
    );
    assert.match(partial.reasons[0] ?? "", /500/);
  });

  it("is completed by an update without any change", async () => {
    const { inputs, partial } = await create();
    const { length } = contract.emulator.journal.requests({ method: ["POST", "PATCH"] });
    const outputs = await contract.provider.update(partial.id, partial.properties, inputs);
    assert.deepEqual(outputs, {
      ...partial.properties,
      permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
    });
    assert.equal(contract.emulator.journal.count({ method: ["POST", "PATCH"] }), length);
  });

  it("stays incomplete when that update cannot read it either, and is still kept", async () => {
    const { inputs, partial } = await create();
    contract.emulator.faults.add({ method: "GET", path: "/api/v2/projects/:id", status: 500 });
    const again = await partialOf(contract.provider.update(partial.id, partial.properties, inputs));
    assert.deepEqual({ ...again, reasons: [] }, { ...partial, reasons: [] });
  });

  it("can be changed by that update as well", async () => {
    const { inputs, partial } = await create();
    const outputs = await contract.provider.update(partial.id, partial.properties, {
      ...inputs,
      name: "renamed",
    });
    assert.equal(outputs.name, "renamed");
    assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
  });

  it("can be refreshed", async () => {
    const { partial } = await create();
    const { id, outputs } = await contract.provider.refresh(partial.id, partial.properties);
    assert.equal(id, partial.id);
    assert.ok(Object.hasOwn(outputs, "permissions"));
  });

  it("can be deleted", async () => {
    const { inputs, partial } = await create();
    await contract.provider.delete(partial.id, partial.properties);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  it("says so when the object is gone when read back", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
    contract.emulator.faults.add({
      method: "GET",
      path: "/api/v2/projects/:id",
      status: 404,
      where: ({ path }) => {
        contract.emulator.provisioning.removeProject(path.slice(path.lastIndexOf("/") + 1));
        return true;
      },
    });
    const { message } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /was written, but no longer exists: another client has deleted it/);
  });
});

describe("a creation whose response cannot be stored, in the provider process", () => {
  const contract = new GadgetContract();

  it("keeps the object as it was asked for, and is completed by the next update", async () => {
    const inputs = { owner: "team-a", label: bottomless, __provider: gadgetStub };
    const { id, properties, reasons } = await partialOf(contract.provider.create(inputs));
    assert.deepEqual([...contract.service.widgets.keys()], [id]);
    assert.deepEqual([properties.owner, properties.label], ["team-a", bottomless]);
    assert.match(reasons[0] ?? "", new RegExp(`${id} was created, but its response cannot be stored`));
    const completed = await contract.provider.update(id, properties, inputs);
    assert.deepEqual(completed.tags, []);
  });
});

const projectList = /\/organizations\/[^/]+\/projects$/;

describe("delete in the provider process", () => {
  const contract = new ProvisioningContract();

  afterEach(() => contract.emulator.faults.clear());

  it("deletes", async () => {
    const { id, inputs, outputs } = await contract.project();
    await contract.provider.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  it("counts an object as deleted that is proven to be gone", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.provisioning.removeProject(id);
    await contract.provider.delete(id, outputs);
    assert.equal(contract.emulator.journal.count({ method: "DELETE", path: `/api/v2/projects/${id}` }), 1);
  });

  it("fails when the service denies an object that its list shows", async () => {
    const { id, inputs, outputs } = await contract.project();
    const reader = contract.emulator.provisioning.addToken({ access: "read" });
    const provider = await contract.start({ "trivium:provisioningToken": reader });
    const { message } = await failureOf(provider.delete(id, outputs));
    assert.match(
      message,
      new RegExp(`404 for project ${id}, although it exists: the token lacks the permission`),
    );
    assert.deepEqual(contract.projectNames(inputs.organization), ["payments"]);
  });

  it("fails when it cannot be found out, and names the ways out", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "DELETE", status: 404 });
    contract.emulator.faults.add({ method: "GET", path: projectList, status: 403 });
    const { message } = await failureOf(contract.provider.delete(id, outputs));
    assert.match(message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b.*\`pulumi state delete\``));
  });

  it("explains what to do about workspaces inside", async () => {
    const { organization, id, outputs } = await contract.project();
    contract.emulator.provisioning.addWorkspace({ organization, project: id });
    const { message } = await failureOf(contract.provider.delete(id, outputs));
    assert.match(message, /403.*1 workspace.*fallbackProjectId/);
    assert.doesNotMatch(message, /token/);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });
});

const old = "https://old.example/api/v2";

describe("an object that was made at another service, in the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  let here: string;
  let place: string;

  beforeEach(async () => {
    const made = await contract.project();
    project = { ...made, outputs: { ...made.outputs, __at: old, __managed: "*" } };
    here = `${contract.emulator.provisioning.address}/api/v2`;
    place = contract.place;
  });

  const calls: Readonly<Record<string, (provider: ProviderProcess) => Promise<unknown>>> = {
    read: (provider) => provider.refresh(project.id, project.outputs),
    update: (provider) =>
      provider.update(project.id, project.outputs, { ...project.inputs, name: "renamed" }),
    "update without a change": (provider) => provider.update(project.id, project.outputs, project.inputs),
    delete: (provider) => provider.delete(project.id, project.outputs),
  };
  for (const [what, call] of Object.entries(calls)) {
    it(`is not touched by ${what}, whose error names both services and the way on`, async () => {
      const requests = await contract.requestsOf(async () => {
        const { message, partial } = await failureOf(call(contract.provider));
        assert.ok(message.includes(`created at ${old}`), message);
        assert.ok(message.includes(`configured as ${here}`), message);
        assert.match(message, /pulumi config set trivium:provisioningMovedFrom/);
        assert.equal(partial, undefined);
      });
      assert.equal(requests, 0);
    });
  }

  describe("that has moved here", () => {
    let moved: ProviderProcess;
    before(async () => {
      moved = await contract.start({
        "trivium:provisioningMovedFrom": "https://other.example, https://old.example",
      });
    });

    it("belongs here once it is refreshed", async () => {
      const { id, inputs, outputs } = project;
      const { __managed, ...others } = outputs;
      const rebound = { ...others, __at: `*${place}` };
      assert.deepEqual(await moved.refresh(id, outputs), { id, inputs, outputs: rebound });
    });

    it("belongs here once it is updated, with a change or without", async () => {
      const { id, inputs, outputs } = project;
      assert.equal((await moved.update(id, outputs, inputs)).__at, `*${place}`);
      assert.equal((await moved.update(id, outputs, { ...inputs, name: "renamed" })).__at, `*${place}`);
    });

    it("is deleted", async () => {
      await moved.delete(project.id, project.outputs);
      assert.deepEqual(contract.projectNames(project.inputs.organization), []);
    });

    it("is still not touched when it came from a third place", async () => {
      const outputs = { ...project.outputs, __at: "https://old.example.org/api/v2" };
      assert.match((await failureOf(moved.delete(project.id, outputs))).message, /old\.example\.org/);
    });
  });
});
