import assert from "node:assert/strict";
import { InputError, ServiceError } from "../../sdk/base/errors";
import { listProjects, type ListProjectsArgs } from "../../sdk/provisioning/list-projects";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

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

  it("encodes what stands in the query", async () => {
    await listProjects({ organization: "acme", q: "a&b=c #é%", names: ["x&page[number]=7"] });
    const [request] = emulator.journal.requests();
    assert.equal(request?.query.q, "a&b=c #é%");
    assert.equal(request.query["filter[names]"], "x&page[number]=7");
    assert.equal(request.query["page[number]"], "1");
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
      /: names\[1\] must be a name, without a comma/,
    ],
    ["an empty name", { organization: "acme", names: [""] }, /: names\[0\] /],
    [
      "no names in a list",
      { organization: "acme", names: [] },
      /: names must hold at least one name; leave it out/,
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
