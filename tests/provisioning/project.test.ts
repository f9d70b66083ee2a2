import assert from "node:assert/strict";
import { z } from "zod";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import {
  getProject,
  type GetProjectArgs,
  listProjects,
  type ListProjectsArgs,
  projectDefinition,
} from "../../sdk/provisioning/project";
import { ContractError, InputError, ServiceError } from "../../sdk/base/errors";
import { useEnvironment } from "../connection/environment";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../sdk/base/settings";
import type { RemoteState, Step } from "../../sdk/resource/definition";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";
import { clientOf, type ClientOptions } from "./emulated-client";
import { json, startServer, stopServers } from "../http/server";
import { lifecycleOn, Managed } from "../support/managed";

describe("provisioning.Project", () => {
  describe("its name", () => {
    const problems = (name: string, dialect: Dialect): string[] =>
      checkArguments(projectDefinition, z, dialect, { organization: "acme", name }).failures.map(
        ({ property, reason }) => `${property} ${reason}`,
      );

    const atLeast = "name must have at least 3 characters";
    const atMost = (most: number): string => `name must have at most ${most} characters`;
    const characters = "name may only contain letters, numbers, spaces, - and _";
    const spaces = "name must not start or end with a space";
    const names: readonly [string, string, readonly string[], readonly string[]][] = [
      ["two characters", "ab", [atLeast], [atLeast]],
      ["three characters", "abc", [], []],
      ["36 characters", "x".repeat(36), [], []],
      ["37 characters", "x".repeat(37), [atMost(36)], []],
      ["40 characters", "x".repeat(40), [atMost(36)], []],
      ["41 characters", "x".repeat(41), [atMost(36)], [atMost(40)]],
      ["all kinds of characters", "Web app_2 - blue", [], []],
      ["letters of other scripts", "zahlung für süd", [], []],
      ["36 letters that take two units each", "\u{10400}".repeat(36), [], []],
      ["a symbol", "web€app", [characters], [characters]],
      ["a space before", " web", [], [spaces]],
      ["a space behind", "web ", [], [spaces]],
      ["a line break", "web\napp", [characters], [characters]],
    ];
    for (const [what, name, documented, hashicorp] of names) {
      it(`with ${what}: ${documented.length === 0 ? "accepted" : "refused"}, ${hashicorp.length === 0 ? "accepted" : "refused"} by the products`, () => {
        assert.deepEqual(problems(name, "documented"), documented);
        assert.deepEqual(problems(name, "hashicorp"), hashicorp);
      });
    }
  });

  it("is warned of characters that only some services take for letters and numbers", () => {
    for (const dialect of ["documented", "hashicorp"] as const) {
      const warnings = (name: string): readonly string[] =>
        checkArguments(projectDefinition, z, dialect, { organization: "acme", name }).warnings;
      assert.deepEqual(warnings("zahlung für süd"), [
        "name contains letters or numbers other than A to Z and 0 to 9: the service may reject them",
      ]);
      assert.deepEqual(warnings("Web app_2 - blue"), []);
    }
  });

  describe("in the service", () => {
    const emulator = useEmulator();
    let step: Step<ProvisioningClient>;

    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
      step = stepWith({});
    });

    function stepWith(options: ClientOptions): Step<ProvisioningClient> {
      return {
        client: clientOf(emulator, options),
        signal: new AbortController().signal,
        progress: () => undefined,
        announce: () => undefined,
        managed: new Set(),
        memory: {},
      };
    }

    const known: RemoteState = { organization: "acme", name: "payments" };
    const desired = (name: string): { organization: string; name: string; adopt: undefined } => ({
      organization: "acme",
      name,
      adopt: undefined,
    });
    const add = (name: string): string => emulator.provisioning.addProject({ organization: "acme", name }).id;

    it("is read back after its creation, whose response lacks permissions", async () => {
      const { id, state } = await projectDefinition.create(step, desired("payments"));
      assert.equal(state.permissions, undefined);
      assert.deepEqual(await projectDefinition.read(step, id, known), {
        name: "payments",
        organization: "acme",
        permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
      });
    });

    it("is never found under a name that this process has given away, nor once it has deleted it", async () => {
      const id = add("payments");
      const found = async (name: string): Promise<string | undefined> =>
        (await projectDefinition.find?.(step, desired(name), false))?.id;
      // Each question is about what is to be created: it is answered by a list that was begun after it.
      assert.deepEqual(
        [await found("payments"), await found("none"), await found("payments")],
        [id, undefined, id],
      );
      await projectDefinition.update(step, id, desired("billing"), new Set(["name"]), known);
      assert.deepEqual([await found("payments"), await found("billing")], [undefined, id]);
      await projectDefinition.delete(step, id, known);
      assert.deepEqual([await found("payments"), await found("billing")], [undefined, undefined]);
      const made = await projectDefinition.create(step, desired("billing"));
      assert.equal(await found("billing"), made.id);
      assert.equal(emulator.journal.count({ method: "GET" }), 8);
    });

    it("cannot be deleted while it holds workspaces, and says what helps", async () => {
      const id = add("payments");
      emulator.provisioning.addWorkspace({ organization: "acme", project: id });
      const error = await failure(projectDefinition.delete(step, id, known));
      assert.match(error.message, /still contains 1 workspace.*fallbackProjectId/);
      assert.equal(
        (await projectDefinition.read(step, id, known))?.name,
        "payments",
        "it is not taken for deleted",
      );
    });

    it("is deleted also where its organization is not known", async () => {
      const id = add("payments");
      await projectDefinition.delete(step, id, {});
      assert.deepEqual(
        emulator.inspect().provisioning.projects.map(({ name }) => name),
        ["Default Project"],
      );
    });
  });
});

const args = { organization: "acme", name: "payments" };
const shown = { "can-update": true, "can-destroy": true, "can-create-workspace": true };

for (const dialect of ["documented", "hashicorp"] satisfies Dialect[]) {
  describe(`the creation of a project in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect });
    const settings = { "trivium:provisioningDialect": dialect };
    const lifecycle = () => lifecycleOn(emulator, projectDefinition, settings);

    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
    });
    afterEach(stopServers);

    /** The requests since the last call. */
    function requests(): readonly string[] {
      const sent = emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);
      emulator.journal.clear();
      return sent;
    }

    const list = "/api/v2/organizations/acme/projects";

    it("is one POST when the name is free, and nothing is looked for", async () => {
      const { id } = await lifecycle().create(args);
      // Only the products tell all permissions in the response to a creation.
      const readBack = dialect === "documented" ? [`GET /api/v2/projects/${id}`] : [];
      assert.deepEqual(requests(), [`POST ${list}`, ...readBack]);
    });

    it("looks for what exists once the service has refused it", async () => {
      const { id } = emulator.provisioning.addProject(args);
      await assert.rejects(lifecycle().create(args), {
        message: `provisioning:Project already exists (id ${id}); nothing was changed. To adopt it, set \`adopt: true\`. Did you rename the resource? Use its option \`aliases\`.`,
      });
      assert.deepEqual(requests(), [`POST ${list}`, `GET ${list}`]);
    });

    it("names the missing right and doctor after a 404, which may hide the organization", async () => {
      await assert.rejects(lifecycle().create({ ...args, organization: "missing" }), {
        message:
          /404.*the token may not create projects in it, which takes the permission to manage projects.*doctor provisioning --organization missing/,
      });
    });

    it("looks first where it adopts, so that no service creates a second one", async () => {
      const { id } = emulator.provisioning.addProject(args);
      const managed = new Managed(projectDefinition, emulator, settings);
      await managed.up({ ...args, adopt: true });
      assert.equal(managed.id, id);
      assert.deepEqual(requests(), [`GET ${list}`]);
    });

    describe("by a service that does not refuse a second project of a name", () => {
      /** @param lost whether the response to the creation is lost */
      async function permissive(lost: boolean): Promise<Record<string, string>> {
        const ids = ["prj-before"];
        const project = (id: string): object => ({
          id,
          type: "projects",
          attributes: { name: "payments", permissions: shown },
          relationships: { organization: { data: { id: "acme", type: "organizations" } } },
        });
        const { address } = await startServer((response, { method, url }) => {
          if (method === "POST") {
            ids.push("prj-new");
            if (lost) {
              response.destroy();
            } else {
              json(response, 201, { data: project("prj-new") });
            }
          } else if (url.includes("filter")) {
            json(response, 200, { data: ids.map(project) });
          } else {
            json(response, 200, { data: project("prj-new") });
          }
        });
        return { ...settings, "trivium:provisioningAddress": address };
      }

      it("is not refused by the library", async () => {
        const managed = new Managed(projectDefinition, emulator, await permissive(false));
        await managed.up(args);
        assert.equal(managed.id, "prj-new");
      });

      it("takes none over when the response is lost and several have the name", async () => {
        const managed = new Managed(projectDefinition, emulator, await permissive(true));
        await assert.rejects(managed.up(args), {
          message:
            /may nevertheless have been created.*several projects named "payments": prj-before, prj-new\./,
        });
      });
    });
  });
}

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
    ["a name alone", { name: "payments" }, either],
    ["an empty name", { organization: "acme", name: "" }, /: name must not be empty/],
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
    [
      "a name with a comma",
      { organization: "acme", names: ["a", "b,c"] },
      /: names\[1\] must be a name without a comma/,
    ],
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
