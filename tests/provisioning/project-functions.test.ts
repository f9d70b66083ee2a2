import assert from "node:assert/strict";
import { CancelledError, ContractError, InputError, ServiceError } from "../../sdk/base/errors";
import {
  getProject,
  type GetProjectArgs,
  listProjects,
  type ListProjectsArgs,
} from "../../sdk/provisioning/project";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.getProject", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
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
    assert.match(error.message, /^The project "pAYMENTS" in the organization acme does not exist/);
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
    [
      "an id",
      { id: "prj-none" },
      /^The project prj-none does not exist, or the token has no access to it\.$/,
    ],
    [
      "a name",
      { organization: "acme", name: "none" },
      /^The project "none" in the organization acme does not exist, or/,
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
    ["an id that is no text", { id: 5 }, /: id must be a string, not a number/],
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

  it("refuses a response without permissions, for they are promised", async () => {
    const project = { id: "prj-1", type: "projects", attributes: { name: "payments" } };
    const owner = { organization: { data: { id: "acme", type: "organizations" } } };
    emulator.faults.add({ method: "GET", status: 200, body: { data: { ...project, relationships: owner } } });
    const error = await failure(getProject({ id: "prj-1" }));
    assert.ok(ContractError.isInstance(error), error.message);
    assert.equal(error.at, "data.attributes.permissions");
    assert.match(error.message, /GET \/projects\/prj-1/);
  });

  it("takes the organization that was asked about when the response names none", async () => {
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

describe("provisioning.listProjects", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addOrganization({ name: "other" });
    emulator.provisioning.addProject({ organization: "other", name: "payments of others" });
  });

  const add = (...names: readonly string[]): string[] =>
    names.map((name) => emulator.provisioning.addProject({ organization: "acme", name }).id);
  const namesOf = async (args: Omit<ListProjectsArgs, "organization">): Promise<string[]> =>
    (await listProjects({ organization: "acme", ...args })).projects.map(({ name }) => name);

  it("lists the projects of one organization, with what the caller may do", async () => {
    const [id] = add("payments");
    const { projects, statusCounts } = await listProjects({ organization: "acme" });
    assert.deepEqual(projects.slice(1), [
      {
        id,
        name: "payments",
        organization: "acme",
        permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
      },
    ]);
    assert.deepEqual(statusCounts, { total: 2, matching: 2 });
  });

  it("lists all pages in the service's order", async () => {
    const names = Array.from({ length: 234 }, (_, index) => `project ${index}`);
    add(...names);
    assert.deepEqual(await namesOf({}), ["Default Project", ...names]);
    assert.deepEqual(
      emulator.journal
        .requests()
        .map(({ query }) => `${String(query["page[number]"])}/${String(query["page[size]"])}`),
      ["1/100", "2/100", "3/100"],
    );
  });

  it("searches in names, whatever their case", async () => {
    add("Payments", "billing", "old payments");
    assert.deepEqual(await namesOf({ q: "PAY" }), ["Payments", "old payments"]);
    const { statusCounts } = await listProjects({ organization: "acme", q: "PAY" });
    assert.deepEqual(statusCounts, { total: 4, matching: 2 });
  });

  it("takes several names, and prefers them to the search", async () => {
    add("payments", "billing", "web and app");
    assert.deepEqual(await namesOf({ names: ["billing", "web and app", "none"] }), [
      "billing",
      "web and app",
    ]);
    assert.deepEqual(await namesOf({ q: "pay", names: ["billing"] }), ["billing"]);
  });

  it("lists those in which the caller may do everything that is asked", async () => {
    const [readable = "", updatable = "", both = ""] = add("readable", "updatable", "both");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({
      access: "read",
      projects: {
        [readable]: "read",
        [updatable]: { updateProjects: true },
        [both]: { updateProjects: true, createWorkspaces: true },
      },
    });
    assert.deepEqual(await namesOf({ permissions: ["update"] }), ["updatable", "both"]);
    assert.deepEqual(await namesOf({ permissions: ["createWorkspace"] }), ["both"]);
    assert.deepEqual(await namesOf({ permissions: ["update", "createWorkspace"] }), ["both"]);
    assert.equal((await namesOf({ permissions: [] })).length, 4);
    const filters = emulator.journal
      .requests()
      .map(({ query }) => Object.keys(query).filter((name) => name.startsWith("filter")));
    assert.deepEqual(filters, [
      ["filter[permissions][update]"],
      ["filter[permissions][create-workspace]"],
      ["filter[permissions][create-workspace]", "filter[permissions][update]"],
      [],
    ]);
  });

  it("counts for itself where the service does not", async () => {
    emulator.faults.add({ method: "GET", status: 200, body: { data: [] } });
    const { statusCounts } = await listProjects({ organization: "acme" });
    assert.deepEqual(statusCounts, { total: 0, matching: 0 });
  });

  it("fails when there is no such organization", async () => {
    const error = await failure(listProjects({ organization: "none" }));
    assert.ok(ServiceError.isInstance(error));
    assert.equal(error.status, 404);
    assert.match(error.message, /^Could not list the projects of the organization none: GET /);
  });

  const refused: readonly [string, unknown, RegExp][] = [
    ["no organization", {}, /^provisioning\.listProjects: organization is required\.$/],
    ["an empty one", { organization: "" }, /: organization must not be empty/],
    [
      "a name with a comma",
      { organization: "acme", names: ["a", "b,c"] },
      /: names\[1\] must be a name without a comma/,
    ],
    ["an empty name", { organization: "acme", names: [""] }, /: names\[0\] /],
    [
      "no names in a list",
      { organization: "acme", names: [] },
      /: names must contain at least one name; omit it/,
    ],
    [
      "an unknown permission",
      { organization: "acme", permissions: ["update", "destroy"] },
      /: permissions\[1\] must be one of "createWorkspace", "update"/,
    ],
    ["an unknown argument", { organization: "acme", query: "x" }, /has no member "query"/],
  ];
  for (const [name, args, message] of refused) {
    it(`refuses ${name} without a request`, async () => {
      const error = await failure(listProjects(args as ListProjectsArgs));
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, message);
      assert.equal(emulator.journal.count(), 0);
    });
  }
});
