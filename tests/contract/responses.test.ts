import assert from "node:assert/strict";
import { failureOf, partialOf } from "../support/values";
import {
  type ManagedProject,
  projectInputs,
  projectStub,
  ProvisioningContract,
  token,
} from "./support/contracts";

const projectList = /\/organizations\/[^/]+\/projects$/;

describe("read in the provider process", () => {
  const contract = new ProvisioningContract();

  afterEach(() => contract.emulator.faults.clear());

  it("finds what has not moved as it was, inputs and outputs", async () => {
    const { id, inputs, outputs } = await contract.project();
    assert.deepEqual(await contract.provider.refresh(id, outputs), { id, inputs, outputs });
  });

  it("shows drift in the inputs as well, where the next plan sees it", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.provisioning.changeProject(id, { name: "by hand" });
    const read = await contract.provider.refresh(id, outputs);
    assert.deepEqual(read, {
      id,
      inputs: { ...inputs, name: "by hand" },
      outputs: { ...outputs, name: "by hand" },
    });
    const { changes } = await contract.provider.diff(id, read.outputs, inputs);
    assert.equal(changes, "unknown");
  });

  it("gives back the inputs that nobody sees, lest they show as removed", async () => {
    const organization = contract.organization();
    const hidden = { __secrets: [] };
    const inputs = projectInputs({ organization, name: "payments", ...hidden });
    const { id, outputs } = await contract.provider.create(inputs);
    assert.deepEqual((await contract.provider.refresh(id, outputs)).inputs, inputs);
  });

  it("keeps arguments of creation among the inputs", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments", adopt: true });
    const { id, outputs } = await contract.provider.create(inputs);
    assert.deepEqual((await contract.provider.refresh(id, outputs)).inputs, inputs);
  });

  it("of a get returns outputs alone: nothing is managed, no input is invented", async () => {
    const organization = contract.organization();
    const { id } = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    assert.deepEqual(await contract.provider.get(id, projectInputs({})), {
      id,
      inputs: undefined,
      outputs: {
        organization,
        name: "payments",
        permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
        __provider: projectStub,
      },
    });
  });

  it("of a get of what does not exist says that a token may be the reason", async () => {
    const { message } = await failureOf(contract.provider.get("prj-nowhere", projectInputs({})));
    assert.match(
      message,
      /returned 404 for project prj-nowhere: it does not exist, or the token has no access to it/,
    );
  });

  it("says that an object is gone only when its list lacks it", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.provisioning.removeProject(id);
    assert.deepEqual(await contract.provider.refresh(id, outputs), {
      id: "",
      inputs: undefined,
      outputs: { __provider: projectStub },
    });
    assert.ok(contract.emulator.journal.count({ method: "GET", path: projectList }) > 0);
  });

  it("keeps an object whose read returns 404 while its list shows it", async () => {
    const { id, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "GET", path: single, status: 404 });
    const { message } = await failureOf(contract.provider.refresh(id, outputs));
    assert.match(message, new RegExp(`404 for project ${id}, although it exists`));
  });

  for (const status of [401, 403, 404, 500]) {
    it(`keeps an object whose read returns 404 while its list returns ${status}, and names the ways out`, async () => {
      const { id, outputs } = await contract.project();
      contract.emulator.faults.add({ method: "GET", path: single, status: 404 });
      contract.emulator.faults.add({ method: "GET", path: projectList, status });
      const { message } = await failureOf(contract.provider.refresh(id, outputs));
      assert.match(message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b`));
      assert.match(message, /`pulumi state delete`/);
      assert.match(message, new RegExp(`\\b${status}\\b`));
    });
  }

  it("trusts the user that an object is gone, unless it exists", async () => {
    const gone = await contract.project();
    const there = await contract.project();
    const provider = await contract.start({}, { TRIVIUM_ASSUME_GONE: `${there.id}, ${gone.id}` });
    contract.emulator.faults.add({ method: "GET", path: `/api/v2/projects/${gone.id}`, status: 404 });
    contract.emulator.faults.add({ method: "GET", path: projectList, status: 403 });
    assert.equal((await provider.refresh(gone.id, gone.outputs)).id, "");
    assert.deepEqual(await provider.refresh(there.id, there.outputs), {
      id: there.id,
      inputs: there.inputs,
      outputs: there.outputs,
    });
  });

  for (const status of [401, 403, 500]) {
    it(`never treats ${status} as gone`, async () => {
      const { id, outputs } = await contract.project();
      contract.emulator.faults.add({ method: "GET", path: single, status });
      const { message } = await failureOf(contract.provider.refresh(id, outputs));
      assert.match(message, new RegExp(`Could not read the project ${id}.*returned ${status}`));
    });
  }

  it("never treats a wrong token as gone, and says where the token came from", async () => {
    const { id, outputs } = await contract.project();
    const provider = await contract.start({ "trivium:provisioningToken": `${token}-wrong` });
    const { message } = await failureOf(provider.refresh(id, outputs));
    assert.match(message, /401.*trivium:provisioningToken/);
  });

  it("never treats a token that may not see the organization as gone", async () => {
    const { id, outputs } = await contract.project();
    const blind = contract.emulator.provisioning.addToken({ access: "none" });
    const provider = await contract.start({ "trivium:provisioningToken": blind });
    const { message } = await failureOf(provider.refresh(id, outputs));
    assert.match(message, /could not find out which/);
  });
});

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

describe("strange responses, in the provider process", () => {
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

describe("a response that gets lost, in the provider process", () => {
  const contract = new ProvisioningContract(1);
  const posts = (organization: string): number =>
    contract.emulator.journal.count({
      method: "POST",
      path: `/api/v2/organizations/${organization}/projects`,
    });

  afterEach(() => contract.emulator.faults.clear());

  for (const [what, fault] of [
    ["cut off", { drop: "after" }],
    ["broken off in the middle", { truncate: true }],
    ["replaced by a proxy's error", { status: 502, body: "<html>Bad Gateway</html>", when: "after" }],
    ["replaced by a proxy's page", { status: 200, body: "<html>Welcome</html>", when: "after" }],
  ] as const) {
    it(`adopts what a creation created whose response is ${what}`, async () => {
      const organization = contract.organization();
      contract.emulator.faults.add({ method: "POST", ...fault });
      const { id, outputs } = await contract.provider.create(
        projectInputs({ organization, name: "payments" }),
      );
      assert.equal(outputs.name, "payments");
      assert.equal(outputs.id, undefined);
      assert.deepEqual(contract.projectNames(organization), ["payments"]);
      assert.equal(posts(organization), 1);
      const made = contract.emulator.inspect().provisioning.projects.find((project) => project.id === id);
      assert.equal(made?.organization, organization);
      const { severity } = await contract.provider.engine.line(
        new RegExp(`Exactly one object has its name, ${id}: this resource manages it from now on\\.`),
      );
      assert.equal(severity, "warning");
    });
  }

  it("reports a creation that was cut off before it was made, and never makes two", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "payments" });
    contract.emulator.faults.add({ method: "POST", drop: "before" });
    const { message, partial } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /Could not create the project "payments"/);
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(organization), []);
    assert.equal(posts(organization), 1);
    await contract.provider.create(inputs);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("says how to adopt it when it is unknown whether it was created", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "payments" });
    contract.emulator.faults.add({ method: "POST", drop: "after" });
    contract.emulator.faults.add({ method: "GET", path: projectList, times: 2, status: 500 });
    const { message } = await failureOf(contract.provider.create(inputs));
    assert.match(message, /may nevertheless have been created.*`adopt: true`/);

    const again = await failureOf(contract.provider.create(inputs));
    assert.match(again.message, /already exists \(id prj-/);
    const { outputs } = await contract.provider.create({ ...inputs, adopt: true });
    assert.equal(outputs.name, "payments");
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
    assert.equal(posts(organization), 2);
  });

  it("makes it after all when it was turned away before it could be made", async () => {
    const organization = contract.organization();
    const wait = { "Retry-After": "0.05" };
    contract.emulator.faults.add({ method: "POST", status: 429, headers: wait });
    await contract.provider.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
    assert.equal(posts(organization), 2);
  });

  it("applies an update once more when its response is lost", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "PATCH", drop: "after" });
    const updated = await contract.provider.update(id, outputs, { ...inputs, name: "renamed" });
    assert.equal(updated.name, "renamed");
    assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
  });

  it("counts a deletion as done when its response is lost", async () => {
    const { id, inputs, outputs } = await contract.project();
    contract.emulator.faults.add({ method: "DELETE", drop: "after" });
    await contract.provider.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });
});

const unknownStub = projectStub.replace("Project", "Nothing");

describe("errors of the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  before(async () => {
    project = await contract.project();
  });

  afterEach(() => {
    assert.equal(contract.provider.output, "", "an error is answered, and nothing is printed beside");
    contract.emulator.faults.clear();
  });

  /** Something that says the token, as careless services do. */
  const talkative = {
    status: 422,
    body: { errors: [{ status: "422", title: "invalid", detail: `not with Bearer ${token} and ${token}` }] },
  };
  const failures: Readonly<Record<string, () => Promise<unknown>>> = {
    check: () => contract.provider.check({}, { __provider: unknownStub }),
    diff: () => contract.provider.diff(project.id, project.outputs, { __provider: unknownStub }),
    create: () => contract.provider.create({ ...project.inputs, name: "other" }),
    read: () => contract.provider.refresh(project.id, project.outputs),
    update: () => contract.provider.update(project.id, project.outputs, { ...project.inputs, name: "other" }),
    delete: () => contract.provider.delete(project.id, project.outputs),
  };
  for (const [call, fail] of Object.entries(failures)) {
    it(`of ${call} are one message`, async () => {
      contract.emulator.faults.add({ ...talkative, times: 100 });
      const { message, partial } = await failureOf(fail());
      assert.match(message, /^[A-Z][^\n]*[.)]$/);
      assert.equal(partial, undefined);
    });
  }

  it("say what was tried, what the service said without what it may not say, and where the token came from", async () => {
    contract.emulator.faults.add({ ...talkative, status: 403 });
    const { message } = await failureOf(contract.provider.refresh(project.id, project.outputs));
    assert.ok(message.startsWith(`Could not read the project ${project.id}: GET http://127.0.0.1:`), message);
    assert.match(message, /returned 403: .*not with Bearer \[secret\] and \[secret\]/);
    assert.match(message, /The token comes from the configuration value trivium:provisioningToken/);
  });

  it("hide what the program marked as secret", async () => {
    const name = "canary-marked-name";
    contract.emulator.faults.add({
      method: "POST",
      status: 422,
      body: { errors: [{ detail: `${name} is bad` }] },
    });
    const { message } = await failureOf(
      contract.provider.create(projectInputs({ ...project.inputs, name, __secrets: ["name"] })),
    );
    assert.ok(!message.includes("canary"), message);
    assert.match(message, /\[secret\] is bad/);
  });

  it("of a creation that is half done have the same message as its reason", async () => {
    contract.emulator.faults.add({ ...talkative, method: "GET", path: "/api/v2/projects/:id" });
    const creation = contract.provider.create({ ...project.inputs, name: "half done" });
    const { reasons } = await partialOf(creation);
    const { message } = await failureOf(creation);
    assert.deepEqual(reasons, [message]);
  });

  it("of a type that the installed version does not know say to upgrade it", async () => {
    const inputs = { __provider: unknownStub };
    for (const call of [
      contract.provider.check({}, inputs),
      contract.provider.create(inputs),
      contract.provider.refresh("prj-1", inputs),
      contract.provider.delete("prj-1", inputs),
    ]) {
      const { message } = await failureOf(call);
      assert.match(message, /has no resource type provisioning:Nothing.*Upgrade pulumi-trivium/);
    }
  });

  it("of a newer version's state come alone also as the first call of a process", async () => {
    const provider = await contract.start();
    await failureOf(provider.refresh("prj-1", { __provider: unknownStub }));
    assert.equal(provider.output, "");
  });
});
