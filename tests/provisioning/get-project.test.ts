import assert from "node:assert/strict";
import { CancelledError, ContractError, InputError } from "../../sdk/base/errors";
import { getProject, type GetProjectArgs } from "../../sdk/provisioning/get-project";
import { type Emulator, startEmulator } from "../../sdk/testing";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";

describe("provisioning.getProject", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  const addProject = (name: string, organization = "acme"): string =>
    emulator.provisioning.addProject({ organization, name }).id;
  const all = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };

  it("reads a project by its id", async () => {
    const id = addProject("payments");
    assert.deepEqual(await getProject({ id }), {
      id,
      name: "payments",
      organization: "acme",
      permissions: all,
    });
    assert.deepEqual(
      emulator.journal.requests().map(({ target }) => target),
      [`/api/v2/projects/${id}`],
    );
  });

  it("reads a project by organization and name", async () => {
    emulator.provisioning.addOrganization({ name: "other" });
    addProject("payments", "other");
    const id = addProject("payments");
    const project = await getProject({ organization: "acme", name: "payments" });
    assert.deepEqual(project, { id, name: "payments", organization: "acme", permissions: all });
    assert.equal(emulator.journal.requests()[0]?.query["filter[names]"], "payments");
  });

  it("takes the exact name, although the service's filter ignores case", async () => {
    addProject("Payments");
    const id = addProject("payments");
    addProject("PAYMENTS");
    assert.equal((await getProject({ organization: "acme", name: "payments" })).id, id);
    const error = await failure(getProject({ organization: "acme", name: "pAYMENTS" }));
    assert.match(error.message, /^There is no project "pAYMENTS" in the organization acme/);
  });

  it("sees at once what was made a moment ago", async () => {
    for (const name of ["one", "two", "three", "four"]) {
      const id = addProject(name);
      assert.equal((await getProject({ organization: "acme", name })).id, id);
    }
  });

  it("says what the token may do", async () => {
    const id = addProject("payments");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "read" });
    const { permissions } = await getProject({ id });
    assert.deepEqual(permissions, { canUpdate: false, canDestroy: false, canCreateWorkspace: false });
  });

  const missing: readonly [string, GetProjectArgs, RegExp][] = [
    ["an id", { id: "prj-none" }, /^There is no project prj-none, or this token may not see it\.$/],
    [
      "a name",
      { organization: "acme", name: "none" },
      /^There is no project "none" in the organization acme, or/,
    ],
    ["an organization", { organization: "none", name: "payments" }, /organization none: GET .* 404/],
  ];
  for (const [name, args, message] of missing) {
    it(`says so when there is no such thing: ${name}`, async () => {
      assert.match((await failure(getProject(args))).message, message);
    });
  }

  const either = /^provisioning\.getProject: takes either id, or organization and name\.$/;
  const refused: readonly [string, unknown, RegExp][] = [
    ["nothing", {}, either],
    ["an id and a name", { id: "prj-1", name: "payments" }, either],
    ["an id and an organization", { id: "prj-1", organization: "acme" }, either],
    ["a name alone", { name: "payments" }, either],
    ["an organization alone", { organization: "acme" }, either],
    ["an empty id", { id: "" }, /^provisioning\.getProject: id must not be empty/],
    ["an empty name", { organization: "acme", name: "" }, /: name must not be empty/],
    ["an id that is no text", { id: 5 }, /: id must be text, not a number/],
    ["an unknown argument", { id: "prj-1", projectId: "prj-1" }, /has no member "projectId"/],
    ["no arguments at all, from JavaScript", undefined, either],
  ];
  for (const [name, args, message] of refused) {
    it(`refuses ${name} without a request`, async () => {
      const error = await failure(getProject(args as GetProjectArgs));
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, message);
      assert.equal(emulator.journal.count(), 0);
    });
  }

  it("refuses an answer without permissions, for they are promised", async () => {
    const project = { id: "prj-1", type: "projects", attributes: { name: "payments" } };
    const owner = { organization: { data: { id: "acme", type: "organizations" } } };
    emulator.faults.add({ method: "GET", status: 200, body: { data: { ...project, relationships: owner } } });
    const error = await failure(getProject({ id: "prj-1" }));
    assert.ok(ContractError.isInstance(error), error.message);
    assert.equal(error.at, "data.attributes.permissions");
    assert.match(error.message, /GET \/projects\/prj-1/);
  });

  it("takes the organization that was asked about when the answer names none", async () => {
    const permissions = { "can-update": true, "can-destroy": true, "can-create-workspace": true };
    const data = {
      id: "prj-1",
      type: "projects",
      attributes: { name: "payments", permissions },
      relationships: {},
    };
    emulator.faults.add({ method: "GET", status: 200, body: { data: [data] } });
    const found = await getProject({ organization: "acme", name: "payments" });
    assert.equal(found.organization, "acme");
    emulator.faults.add({ method: "GET", status: 200, body: { data } });
    const error = await failure(getProject({ id: "prj-1" }));
    assert.ok(ContractError.isInstance(error));
    assert.equal(error.at, "data.relationships.organization");
  });

  it("ends when its signal is aborted", async () => {
    emulator.faults.add({ method: "GET", delay: "forever" });
    const controller = new AbortController();
    const call = failure(getProject({ id: "prj-1" }, { signal: controller.signal }));
    controller.abort();
    assert.ok(CancelledError.isInstance(await call));
  });
});
