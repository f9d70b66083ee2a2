import assert from "node:assert/strict";
import { z } from "zod";
import { ContractError, InputError } from "../../sdk/base/errors";
import type { Dialect } from "../../sdk/base/settings";
import {
  getProject,
  type GetProjectArgs,
  listProjects,
  type ListProjectsArgs,
  projectDefinition,
} from "../../sdk/provisioning/project";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { lifecycleOn, FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";
import { stepOn } from "./emulated-client";

describe("the name of a provisioning.Project", () => {
  const checked = (name: string, dialect: Dialect) =>
    checkArguments(projectDefinition, z, dialect, { organization: "acme", name });
  const problems = (name: string, dialect: Dialect): string[] =>
    checked(name, dialect).failures.map(({ property, reason }) => `${property} ${reason}`);
  const short = "name must have at least 3 characters";
  const long = (most: number): string => `name must have at most ${most} characters`;
  const characters = "name may only contain letters, numbers, spaces, - and _";
  const spaces = "name must not start or end with a space";
  const names: readonly [string, string, documented?: string, hashicorp?: string][] = [
    ["two characters", "ab", short, short],
    ["three characters", "abc"],
    ["36 characters", "x".repeat(36)],
    ["37 characters", "x".repeat(37), long(36)],
    ["40 characters", "x".repeat(40), long(36)],
    ["41 characters", "x".repeat(41), long(36), long(40)],
    ["all kinds of characters", "Web app_2 - blue"],
    ["letters of other scripts", "zahlung für süd"],
    ["36 letters that take two units each", "\u{10400}".repeat(36)],
    ["36 letters, each with a mark of its own", "e\u0301".repeat(36)],
    ["a letter and its mark, which are one letter", "ae\u0301", short, short],
    ["marks that are no part of a letter", "web \u0301", characters, characters],
    ["letters that have no form with their marks", "x\u0301yz"],
    ["a symbol", "web€app", characters, characters],
    ["a space before", " web", undefined, spaces],
    ["a space behind", "web ", undefined, spaces],
    ["a line break", "web\napp", characters, characters],
  ];
  for (const [what, name, documented, hashicorp] of names) {
    it(`the name of a project with ${what}: accepted or refused as in each dialect`, () => {
      assert.deepEqual(problems(name, "documented"), [documented ?? []].flat());
      assert.deepEqual(problems(name, "hashicorp"), [hashicorp ?? []].flat());
    });
  }

  it("the name of a project has a warning only if it has letters or numbers beyond ASCII", () => {
    const warning =
      "name contains letters or numbers other than A to Z and 0 to 9: the service may reject them";
    assert.deepEqual(checked("zahlung für süd", "documented").warnings, [warning]);
    assert.deepEqual(checked("Web app_2 - blue", "documented").warnings, []);
  });
});

const args = { organization: "acme", name: "payments" };
const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
const shown = { "can-update": true, "can-destroy": true, "can-create-workspace": true };

for (const dialect of ["documented", "hashicorp"] satisfies Dialect[]) {
  describe(`provisioning.Project in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect });
    const settings = { "trivium:provisioningDialect": dialect };
    const create = (values: object = args) =>
      lifecycleOn(emulator, projectDefinition, settings).create({ ...values });
    const list = "/api/v2/organizations/acme/projects";

    beforeEach(() => emulator.provisioning.addOrganization({ name: "acme" }));
    afterEach(stopServers);

    const requests = (): readonly string[] =>
      emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);

    it("a project is created with one POST when the name is free, and read back where a response lacks permissions", async () => {
      const { id, outs } = await create();
      const readBack = dialect === "documented" ? [`GET /api/v2/projects/${id}`] : [];
      assert.deepEqual(requests(), [`POST ${list}`, ...readBack]);
      assert.deepEqual((outs as { permissions?: unknown }).permissions, permissions);
    });

    it("a project looks for what exists once the service has refused it, and names `adopt`", async () => {
      const { id } = emulator.provisioning.addProject(args);
      await assert.rejects(create(), {
        message: `provisioning:Project already exists (id ${id}); nothing was changed. To adopt it, set \`adopt: true\`. Did you rename the resource? Use its option \`aliases\`.`,
      });
      assert.deepEqual(requests(), [`POST ${list}`, `GET ${list}`]);
    });

    it("a project looks first where it adopts, so that no service creates a second one", async () => {
      const { id } = emulator.provisioning.addProject(args);
      assert.equal((await create({ ...args, adopt: true })).id, id);
      assert.deepEqual(requests(), [`GET ${list}`]);
    });

    it("a project names the missing right and doctor after a 404, which may hide the organization", () =>
      assert.rejects(create({ ...args, organization: "missing" }), {
        message:
          /404.*the token may not create projects in it, which takes the permission to manage projects.*doctor provisioning` checks the token\.$/,
      }));

    for (const isLost of [false, true]) {
      it(`a project is created in a service with several of a name, ${isLost ? "but none is taken over after a lost response" : "which does not refuse it"}`, async () => {
        const relationships = { organization: { data: { id: "acme", type: "organizations" } } };
        const attributes = { name: "payments", permissions: shown };
        const [before, made] = ["prj-before", "prj-new"].map((id) => ({
          ...{ id, type: "projects", attributes, relationships },
        }));
        const { address } = await startServer((response, { method, url }) => {
          if (method === "POST" && isLost) {
            response.destroy();
          } else {
            json(response, 200, { data: url.includes("filter") ? [before, made] : made });
          }
        });
        const managed = new FakeEngine(projectDefinition, emulator, {
          ...settings,
          "trivium:provisioningAddress": address,
        });
        if (isLost) {
          await assert.rejects(managed.up(args), {
            message:
              /may nevertheless have been created.*several projects named "payments": prj-before, prj-new\./,
          });
        } else {
          await managed.up(args);
          assert.equal(managed.id, "prj-new");
        }
      });
    }
  });
}

describe("what only the products know of a provisioning.Project", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  const settings = { "trivium:provisioningDialect": "hashicorp" };
  useEnvironment(() => ({ ...emulator.environment, PROVISIONING_DIALECT: "hashicorp" }));
  const inAgent = { defaultExecutionMode: "agent", defaultAgentPoolId: "apool-1" };
  const tags = { team: "payments" };
  const managed = (): FakeEngine => new FakeEngine(projectDefinition, emulator, settings);
  const project = () => emulator.inspect().provisioning.projects.at(-1) ?? assert.fail();
  const writes = (): unknown[] =>
    emulator.journal
      .requests()
      .filter(({ method }) => method !== "GET")
      .map(({ body }) => (body as { readonly data: unknown }).data);

  beforeEach(() => emulator.provisioning.addOrganization({ name: "acme" }));
  afterEach(stopServers);

  it("a setting of the products alone is sent when it changes: a mode with its pool, and neither to inherit both", async () => {
    const stack = managed();
    await stack.up({ ...args, ...inAgent, tags });
    emulator.journal.clear();
    await stack.up({ ...args, ...inAgent, tags: {} });
    await stack.up({ ...args, tags: null, description: "Payments" });
    const document = (attributes: object, relationships?: object) => ({
      type: "projects",
      attributes,
      ...(relationships && { relationships }),
    });
    const inherited = { "default-execution-mode": false, "default-agent-pool": false };
    const actual = writes();
    assert.deepEqual(actual, [
      document({}, { "tag-bindings": { data: [] } }),
      document({ description: "Payments", "setting-overwrites": inherited }),
    ]);
    const { defaultExecutionMode, defaultAgentPoolId } = stack.outputs;
    assert.deepEqual([defaultExecutionMode, defaultAgentPoolId], [null, null]);
    await stack.up({ ...args, ...inAgent });
    const { attributes } = writes().at(-1) as { readonly attributes: object };
    assert.deepEqual(attributes, {
      "default-execution-mode": "agent",
      "default-agent-pool-id": "apool-1",
      description: "",
      "setting-overwrites": { "default-execution-mode": true, "default-agent-pool": true },
    });
  });

  it("a project keeps the tags of others with ignoreAdditionalTags, and shows neither them nor their changes", async () => {
    const { id } = emulator.provisioning.addProject({ ...args, tags: { cost: "c-17", team: "unknown" } });
    const stack = managed();
    const program = { ...args, tags, ignoreAdditionalTags: true, adopt: true };
    await stack.up(program);
    assert.deepEqual([stack.id, stack.outputs.tags, project().tags], [id, tags, { cost: "c-17", ...tags }]);
    emulator.provisioning.changeProject(id, { tags: { cost: "c-18", ...tags } });
    await stack.refresh();
    assert.equal(await stack.up(program), "same");
    await stack.up({ ...program, tags: { owner: "ada" } });
    assert.deepEqual(project().tags, { cost: "c-18", owner: "ada" });
    await stack.up({ ...args, ignoreAdditionalTags: true });
    assert.deepEqual(project().tags, { cost: "c-18" });
  });

  it("a project is read with many others from one list", async () => {
    const organization = "many";
    emulator.provisioning.addOrganization({ name: organization });
    const ids = ["one", "two", "three", "four", "five"].map(
      (name) => emulator.provisioning.addProject({ organization, name, tags: { name } }).id,
    );
    const provider = lifecycleOn(emulator, projectDefinition, settings);
    for (const id of ids) {
      const { props } = await provider.read(id, {
        ...args,
        organization,
        tags: {},
        __managed: { tags: true },
      });
      const { name, tags: found } = props as { readonly name: string; readonly tags: object };
      assert.deepEqual(found, { name });
    }
    assert.equal(emulator.journal.count(), 3);
  });

  it("a setting is left out by a release that does not know it, and a project is managed all the same", async () => {
    const relationships = { organization: { data: { id: "acme", type: "organizations" } } };
    const attributes = { name: "payments", permissions: shown };
    const made = { id: "prj-1", type: "projects", attributes, relationships };
    const { address, received } = await startServer((response, { url }) => {
      json(response, url.includes("include") ? 400 : 200, { data: made });
    });
    const stack = new FakeEngine(projectDefinition, emulator, {
      ...settings,
      "trivium:provisioningAddress": address,
    });
    await stack.up(args);
    assert.equal(received.length, 1, "nothing is read for what the program does not give");
    const program = { ...args, tags, description: "Payments", autoDestroyActivityDuration: "14d" };
    await stack.up(program);
    assert.deepEqual([stack.outputs.description, stack.outputs.tags], [null, null]);
    await stack.refresh();
    assert.equal(await stack.up(program), "same");
  });

  it("the library refuses what the products refuse, by name", async () => {
    const problemOf = async (more: object): Promise<string> =>
      (await managed().problems({ ...args, ...more })).join("; ");
    const ofKeys = "tags must not have an empty key, or one that begins with hc: or hcp:";
    const ofTags =
      "tags may only contain letters, numbers, spaces and _.=+-@:, at most 128 in a key and 256 in a value";
    const pool = (reason: string): string => `defaultAgentPoolId is ${reason} defaultExecutionMode "agent"`;
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, "v"]));
    for (const [more, problem] of [
      [{ description: "x".repeat(257) }, "description must have at most 256 characters"],
      [{ tags: { "hc:a": "b" } }, ofKeys],
      [{ tags: { "": "b" } }, ofKeys],
      [{ tags: { a: "b;" } }, ofTags],
      [{ tags: { ["k".repeat(129)]: "b" } }, ofTags],
      [{ tags: eleven }, "tags must have at most 10 tags"],
      [
        { autoDestroyActivityDuration: "2w" },
        'autoDestroyActivityDuration must be 1 to 4 digits and d or h, such as "14d"',
      ],
      [{ defaultExecutionMode: "agent" }, pool("required with")],
      [{ defaultAgentPoolId: "apool-1" }, pool("only possible with")],
      [{ ...inAgent, defaultExecutionMode: "local" }, pool("only possible with")],
    ] as const) {
      assert.equal(await problemOf(more), problem);
    }
  });

  it("what only products know is in the results of functions, which select by tags and sort", async () => {
    const add = (name: string, more: object) =>
      emulator.provisioning.addProject({ organization: "acme", name, ...more }).id;
    const id = add("alpha", { tags: { env: "test", ...tags }, ...inAgent, description: "Alpha" });
    add("beta", { tags });
    const found = await listProjects({ organization: "acme", tags, sort: "-name" });
    assert.deepEqual(
      found.projects.map(({ name }) => name),
      ["beta", "alpha"],
    );
    const alpha = {
      ...{ id, organization: "acme", name: "alpha", description: "Alpha", permissions, ...inAgent },
      ...{ tags: { env: "test", ...tags }, autoDestroyActivityDuration: null },
    };
    assert.deepEqual((await listProjects({ organization: "acme", tags: { env: "test" } })).projects, [alpha]);
    assert.deepEqual(await getProject({ id }), alpha);
    assert.deepEqual(await getProject({ organization: "acme", name: "alpha" }), alpha);
  });
});

describe("provisioning.Project and functions of projects", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  beforeEach(() => ["acme", "other"].forEach((name) => emulator.provisioning.addOrganization({ name })));

  const add = (...names: readonly string[]): string[] =>
    names.map((name) => emulator.provisioning.addProject({ organization: "acme", name }).id);
  const respond = (data: unknown): void =>
    void emulator.faults.add({ method: "GET", status: 200, body: { data } });

  it("a project's name has one form of letters with marks, whichever the program has, and is found in both", async () => {
    const name = "cre\u0301dit";
    const managed = new FakeEngine(projectDefinition, emulator);
    await managed.up({ ...args, name });
    const { body } = emulator.journal.requests({ method: "POST" })[0] ?? assert.fail();
    assert.deepEqual(body, { data: { type: "projects", attributes: { name: "crédit" } } });
    assert.equal(await managed.up({ ...args, name }), "same");
    assert.equal(await managed.up({ ...args, name: "crédit" }), "same");
    assert.equal((await getProject({ ...args, name })).id, managed.id);
    const { projects } = await listProjects({ organization: "acme", names: [name], q: name });
    assert.deepEqual([projects[0]?.id, projects[0]?.name], [managed.id, "crédit"]);
    const adopted = await FakeEngine.create(projectDefinition, emulator, { ...args, name, adopt: true });
    assert.equal(adopted.id, managed.id);
  });

  it("a project cannot be deleted while it holds workspaces, and says what helps", async () => {
    const [id = ""] = add("payments");
    emulator.provisioning.addWorkspace({ organization: "acme", project: id });
    const error = await failure(projectDefinition.delete(stepOn(emulator), id, args));
    assert.match(error.message, /still contains 1 workspace.*fallbackProjectId/);
  });

  it("a project is deleted also where its organization is not known", async () => {
    const [id = ""] = add("payments");
    await projectDefinition.delete(stepOn(emulator), id, {});
    assert.ok(emulator.inspect().provisioning.projects.every(({ name }) => name !== "payments"));
  });

  it("getProject reads a project by its id", async () => {
    const [id = ""] = add("payments");
    assert.deepEqual(await getProject({ id }), { id, ...args, permissions });
    assert.equal(emulator.journal.requests()[0]?.target, `/api/v2/projects/${id}`);
  });

  it("getProject takes the exact name in the organization, although the service's filter ignores case", async () => {
    emulator.provisioning.addProject({ ...args, organization: "other" });
    const [, id] = add("Payments", "payments", "PAYMENTS");
    assert.deepEqual(await getProject(args), { id, ...args, permissions });
    assert.equal(emulator.journal.requests()[0]?.query["filter[names]"], "payments");
  });

  it("getProject says what the token may do", async () => {
    const [id = ""] = add("payments");
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "read" });
    const none = { canUpdate: false, canDestroy: false, canCreateWorkspace: false };
    assert.deepEqual((await getProject({ id })).permissions, none);
  });

  const missing: readonly [GetProjectArgs, RegExp][] = [
    [{ id: "prj-none" }, /^The project prj-none does not exist, or the token has no access to it\.$/],
    [{ ...args, name: "pAYMENTS" }, /^The project "pAYMENTS" in the organization acme does not exist, or/],
    [{ ...args, organization: "none" }, /organization none: GET .* 404/],
  ];
  it("getProject names what does not exist", async () => {
    add("payments");
    for (const [wanted, message] of missing) {
      await assert.rejects(getProject(wanted), { message });
    }
  });

  it("getProject refuses a response without permissions, or without an organization that nothing else names", async () => {
    const project = { id: "prj-1", type: "projects", attributes: { name: "payments", permissions: shown } };
    respond([project]);
    assert.equal((await getProject(args)).organization, "acme");
    const relationships = { organization: { data: { id: "acme", type: "organizations" } } };
    for (const [at, data] of [
      ["data.relationships.organization", project],
      ["data.attributes.permissions", { ...project, attributes: { name: "payments" }, relationships }],
    ] as const) {
      respond(data);
      const error = await failure(getProject({ id: "prj-1" }));
      assert.ok(ContractError.isInstance(error) && error.at === at, error.message);
      assert.match(error.message, /GET \/projects\/prj-1/);
    }
  });

  const namesOf = async (more: Omit<ListProjectsArgs, "organization">): Promise<string[]> =>
    (await listProjects({ organization: "acme", ...more })).projects.map(({ name }) => name);

  it("listProjects lists the projects of one organization, with what the caller may do", async () => {
    emulator.provisioning.addProject({ organization: "other", name: "payments of others" });
    const [id] = add("payments");
    const { projects, statusCounts } = await listProjects({ organization: "acme" });
    assert.deepEqual(projects.slice(1), [{ id, ...args, permissions }]);
    assert.deepEqual(statusCounts, { total: 2, matching: 2 });
  });

  it("listProjects lists all pages in the service's order", async () => {
    const names = Array.from({ length: 134 }, (_, index) => `project ${index}`);
    add(...names);
    assert.deepEqual(await namesOf({}), ["Default Project", ...names]);
    assert.equal(emulator.journal.count(), 2);
  });

  it("listProjects searches in names, whatever their case, and prefers exact names to the search", async () => {
    add("Payments", "billing", "web and app", "old payments");
    assert.deepEqual(await namesOf({ q: "PAY" }), ["Payments", "old payments"]);
    const { statusCounts } = await listProjects({ organization: "acme", q: "PAY" });
    assert.deepEqual(statusCounts, { total: 5, matching: 2 });
    assert.deepEqual(await namesOf({ q: "pay", names: ["billing", "web and app", "none"] }), [
      "billing",
      "web and app",
    ]);
  });

  it("listProjects lists those in which the caller may do everything that is asked", async () => {
    const [readable = "", updatable = "", both = ""] = add("readable", "updatable", "both");
    const projects = {
      [readable]: "read",
      [updatable]: { updateProjects: true },
      [both]: { updateProjects: true, createWorkspaces: true },
    } as const;
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "read", projects });
    assert.deepEqual(await namesOf({ permissions: ["update"] }), ["updatable", "both"]);
    assert.deepEqual(await namesOf({ permissions: ["createWorkspace"] }), ["both"]);
    assert.deepEqual(await namesOf({ permissions: ["update", "createWorkspace"] }), ["both"]);
    assert.equal((await namesOf({ permissions: [] })).length, 4);
  });

  it("listProjects has no counts where the service has none", async () => {
    for (const meta of [undefined, {}, { "status-counts": null }]) {
      emulator.faults.add({ method: "GET", status: 200, body: { data: [], meta } });
      assert.deepEqual(await listProjects({ organization: "acme" }), {
        projects: [],
        statusCounts: undefined,
      });
    }
  });

  it("listProjects fails when there is no such organization", async () => {
    const message = /^Could not list the projects of the organization none: GET .* 404/;
    await assert.rejects(listProjects({ organization: "none" }), { message });
  });

  const either = /^provisioning\.getProject: takes either id, or organization and name\.$/;
  const ofNames = /: names must contain at least one name, and only names without a comma/;
  const inAcme = (more: object) => () => listProjects({ organization: "acme", ...more });
  const refused: readonly [string, () => Promise<unknown>, RegExp][] = [
    ["nothing", () => getProject({}), either],
    ["an id and a name", () => getProject({ id: "prj-1", name: "payments" }), either],
    ["a name alone", () => getProject({ name: "payments" }), either],
    ["an empty name", () => getProject({ ...args, name: "" }), /: name must not be empty/],
    ["no arguments, from JavaScript", () => getProject(undefined as unknown as GetProjectArgs), either],
    ["a name with a comma", inAcme({ names: ["a", "b,c"] }), ofNames],
    ["no names in a list", inAcme({ names: [] }), ofNames],
    [
      "an argument of another dialect",
      inAcme({ tags: { a: "b" } }),
      /: tags only exists in the hashicorp dialect, and this service has the documented one/,
    ],
    [
      "an unknown permission",
      inAcme({ permissions: ["update", "destroy"] }),
      /: permissions\[1\] must be one of/,
    ],
  ];
  for (const [what, call, message] of refused) {
    it(`the function refuses ${what} without a request`, async () => {
      const error = await failure(call());
      assert.ok(InputError.isInstance(error));
      assert.match(error.message, message);
      assert.equal(emulator.journal.count(), 0);
    });
  }
});
