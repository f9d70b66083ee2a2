import assert from "node:assert/strict";
import { definitionIn } from "../../sdk/resource/definition";
import { z } from "zod";
import { ContractError, InputError } from "../../sdk/base/errors";
import type { Dialect } from "../../sdk/base/settings";
import { getProject, listProjects, projectDefinition } from "../../sdk/provisioning/project";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { claimsOf } from "../../sdk/resource/lifecycle/ownership";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { FakeEngine, lifecycleOn } from "../support/fake-engine";
import { at, call } from "../testing/call";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { stepOn } from "./emulated-client";

const organization = "acme";
const args = { organization, name: "payments" };
const seed = { organizations: [{ name: organization }, { name: "other" }] };
const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
const wirePermissions = { "can-update": true, "can-destroy": true, "can-create-workspace": true };
const made = (id: string) => ({
  id,
  type: "projects",
  attributes: { name: "payments", permissions: wirePermissions },
  relationships: { organization: { data: { id: organization, type: "organizations" } } },
});

describe("the name of a provisioning.Project", () => {
  const checked = (name: string, dialect: Dialect): string[] => {
    const { failures, warnings } = checkArguments(definitionIn(projectDefinition, dialect), z, {
      organization,
      name,
    });
    return [...failures.map(({ property, reason }) => `${property} ${reason}`), ...warnings];
  };
  const short = "name must have at least 3 characters";
  const long = (most: number): string => `name must have at most ${most} characters`;
  const characters = "name can contain only letters, numbers, spaces, - and _";
  const spaces = "name must not start or end with a space";
  const warning =
    "name contains letters or numbers other than A to Z and 0 to 9: the service might reject them";
  const names: readonly [string, string, documented?: string, hashicorp?: string][] = [
    ["two characters", "ab", short, short],
    ["36 characters", "x".repeat(36)],
    ["37 characters", "x".repeat(37), long(36)],
    ["40 characters", "x".repeat(40), long(36)],
    ["41 characters", "x".repeat(41), long(36), long(40)],
    ["all kinds of characters", "Web app_2 - blue"],
    ["36 letters, each with a mark of its own", "e\u0301".repeat(36), warning, warning],
    ["a letter and its mark, which are one letter", "ae\u0301", short, short],
    ["marks that are no part of a letter", "web \u0301", characters, characters],
    ["letters that have no form with their marks", "x\u0301yz", warning, warning],
    ["a symbol", "web€app", characters, characters],
    ["a space before", " web", undefined, spaces],
    ["a space behind", "web ", undefined, spaces],
    ["a line break", "web\napp", characters, characters],
  ];
  for (const [what, name, documented = [], hashicorp = []] of names) {
    it(`the name of a project with ${what} is accepted or rejected by dialect`, () => {
      assert.deepEqual(checked(name, "documented"), [documented].flat());
      assert.deepEqual(checked(name, "hashicorp"), [hashicorp].flat());
    });
  }
});

for (const dialect of ["documented", "hashicorp"] satisfies Dialect[]) {
  describe(`provisioning.Project in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect, seed, provisioning: { uniqueProjectNames: true } });
    const list = "/api/v2/organizations/acme/projects";
    const engine = (more: object = {}) =>
      new FakeEngine(projectDefinition, emulator, { "trivium:provisioningDialect": dialect, ...more });
    afterEach(stopServers);

    it("a project is created with one POST if the name is free, read back if a response lacks permissions, and looked for after a rejection, or before adoption", async () => {
      const [managed, another] = [engine(), engine()];
      await managed.up(args);
      assert.deepEqual(managed.outputs.permissions, permissions);
      const readBack = dialect === "documented" ? [`GET /api/v2/projects/${managed.id}`] : [];
      const advice =
        "To adopt it, set `adopt: true`. If another stack manages it, remove it from that stack first. If you renamed the resource, add its former name to the `aliases` option. If another resource gives it up in the same update, run `pulumi up` again.";
      await assert.rejects(another.up(args), {
        message: `provisioning:Project already exists (id ${managed.id}); nothing was changed. ${advice}`,
      });
      await another.up({ ...args, adopt: true });
      assert.equal(another.id, managed.id);
      const requests = emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);
      const [post, get] = [`POST ${list}`, `GET ${list}`];
      assert.deepEqual(requests, [post, ...readBack, post, get, get]);
    });

    it("a project cannot be given another one's name, and the error names its ID and what to do", async () => {
      const [first, second] = [engine(), engine()];
      await first.up(args);
      await second.up({ ...args, name: "billing" });
      await assert.rejects(second.up(args), ({ message }: Error) => {
        assert.match(message, /422.*Name has already been taken/);
        const advice =
          "Choose another name. If another resource gives it up in the same update, run `pulumi up` again.";
        assert.ok(
          message.endsWith(`provisioning:Project ${first.id} already has this name. ${advice}`),
          message,
        );
        return true;
      });
      assert.equal(second.outputs.name, "billing");
    });

    it("the error for a project's 404, which might hide the organization, names the missing permission and doctor", () =>
      assert.rejects(engine().up({ ...args, organization: "missing" }), {
        message:
          /404.*the token is not allowed to create projects in it, which requires the "manage projects" permission.*doctor provisioning` checks the token\.$/,
      }));

    for (const isLost of [false, true]) {
      it(`a project is created in a service with several of one name, ${isLost ? "but none is adopted after a lost response" : "which does not reject it"}`, async () => {
        const { address } = await startServer((response, { method, url }) => {
          if (method === "POST" && isLost) {
            response.destroy();
          } else {
            const found = [made("prj-before"), made("prj-new")];
            json(response, 200, { data: url.includes("filter") ? found : found[1] });
          }
        });
        const managed = engine({ "trivium:provisioningAddress": address });
        const created = managed.up(args);
        if (isLost) {
          const several =
            /might still have been created.*several projects named "payments": prj-before, prj-new\./;
          await assert.rejects(created, { message: several });
        } else {
          await created;
          assert.equal(managed.id, "prj-new");
        }
      });
    }
  });
}

describe("the products' own settings of a provisioning.Project", () => {
  const emulator = useEmulator({ dialect: "hashicorp", seed });
  const settings = { "trivium:provisioningDialect": "hashicorp" };

  // Source: terraform-provider-tfe, pull request 958.
  it("a project whose name exists in another case is identified by its ID in the error, and adopted as the service compares names", async () => {
    const { id } = emulator.provisioning.addProject({ organization: "acme", name: "PAYMENTS" });
    const project = () => new FakeEngine(projectDefinition, emulator, settings);
    const exists = `provisioning:Project already exists (id ${id}), named "PAYMENTS"; nothing was changed.`;
    await assert.rejects(project().up(args), ({ message }: Error) => message.startsWith(exists));
    const adopting = project();
    await adopting.up({ ...args, adopt: true });
    assert.deepEqual([adopting.id, adopting.outputs.name], [id, args.name]);
    assert.equal(await adopting.up({ ...args, adopt: true }), "same");
    const definition = definitionIn(projectDefinition, "hashicorp");
    const [one, other] = [args.name, "PAYMENTS"].map(
      (name) => claimsOf(definition, { ...args, name })[0]?.key,
    );
    assert.equal(one, other);
  });
  useEnvironment(() => ({ ...emulator.environment, PROVISIONING_DIALECT: "hashicorp" }));
  const inAgent = { defaultExecutionMode: "agent", defaultAgentPoolId: "apool-1" };
  const tags = { team: "payments" };
  let managed: FakeEngine;
  beforeEach(() => {
    managed = new FakeEngine(projectDefinition, emulator, settings);
  });
  afterEach(stopServers);

  const project = () => emulator.inspect().provisioning.projects.at(-1) ?? assert.fail();
  /** The last request of an update. */
  const sentFor = async (more: Properties) => {
    await managed.up({ ...args, ...more });
    const { data } = emulator.journal.requests().findLast(({ method }) => method !== "GET")?.body as {
      readonly data: { readonly attributes: object; readonly relationships?: object };
    };
    return [data.attributes, data.relationships];
  };

  it("a setting that only the products have is sent when it changes: a mode with its pool, and neither to inherit both", async () => {
    await sentFor({ ...inAgent, tags });
    assert.deepEqual(await sentFor({ ...inAgent, tags: {} }), [{}, { "tag-bindings": { data: [] } }]);
    const overwrites = (own: boolean) => ({
      "setting-overwrites": { "default-execution-mode": own, "default-agent-pool": own },
    });
    const inherits = await sentFor({ tags: null, description: "Payments" });
    assert.deepEqual(inherits, [{ description: "Payments", ...overwrites(false) }, undefined]);
    const { defaultExecutionMode, defaultAgentPoolId } = managed.outputs;
    assert.deepEqual([defaultExecutionMode, defaultAgentPoolId], [null, null]);
    const sent = { "default-execution-mode": "agent", "default-agent-pool-id": "apool-1", description: "" };
    assert.deepEqual(await sentFor(inAgent), [{ ...sent, ...overwrites(true) }, undefined]);
  });

  // HCP Terraform, api-docs/projects, request body: of a tag binding only the key is required.
  it("a project with a tag without a value can be read, adopted, refreshed and listed", async () => {
    const { id } = emulator.provisioning.addProject({ ...args, tags: { legacy: "", ...tags } });
    const found = { legacy: "", ...tags };
    const sent = await call(emulator, "provisioning", "GET", `/api/v2/projects/${id}/tag-bindings`);
    assert.deepEqual(at(sent.body, "data", 0, "attributes"), { key: "legacy" });
    assert.deepEqual((await getProject({ id })).tags, found);
    assert.deepEqual((await getProject({ organization, name: args.name })).tags, found);
    assert.deepEqual(
      (await listProjects({ organization })).projects.map((each) => each.tags),
      [{}, found],
    );
    assert.deepEqual((await listProjects({ organization, tags: { legacy: "" } })).projects.length, 1);
    await managed.up({ ...args, tags: found, adopt: true });
    assert.deepEqual([managed.id, managed.outputs.tags], [id, found]);
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ ...args, tags: found }), "same");
    await managed.up({ ...args, tags: { fresh: "" } });
    assert.deepEqual([managed.outputs.tags, project().tags], [{ fresh: "" }, { fresh: "" }]);
  });

  it("a project with ignoreAdditionalTags keeps the tags of others, and does not show them or their changes", async () => {
    const { id } = emulator.provisioning.addProject({ ...args, tags: { cost: "c-17", team: "unknown" } });
    const program = { ...args, tags, ignoreAdditionalTags: true, adopt: true };
    await managed.up(program);
    const found = [managed.id, managed.outputs.tags, project().tags];
    assert.deepEqual(found, [id, tags, { cost: "c-17", ...tags }]);
    emulator.provisioning.changeProject(id, { tags: { cost: "c-18", ...tags } });
    await managed.refresh();
    assert.equal(await managed.up(program), "same");
    await managed.up({ ...program, tags: { owner: "ada" } });
    assert.deepEqual(project().tags, { cost: "c-18", owner: "ada" });
    await managed.up({ ...args, ignoreAdditionalTags: true });
    assert.deepEqual(project().tags, { cost: "c-18" });
  });

  it("a project is read from one list with many others, including its tags", async () => {
    const provider = lifecycleOn(emulator, projectDefinition, settings);
    // No other test reads a list of this organization.
    const other = { organization: "other" };
    const add = (name: string) => emulator.provisioning.addProject({ ...other, name, tags: { name } });
    for (const { id, name } of ["one", "two", "three", "four", "five"].map(add)) {
      const { props } = await provider.read(id, { ...other, name, tags: {}, __managed: { tags: true } });
      assert.deepEqual(props?.tags, { name });
    }
    assert.equal(emulator.journal.count(), 3);
  });

  it("a setting is omitted by a release that does not support it, and the project is managed anyway", async () => {
    const { address, received } = await startServer((response, { url }) => {
      json(response, url.includes("include") ? 400 : 200, { data: made("prj-1") });
    });
    const older = { ...settings, "trivium:provisioningAddress": address };
    const stack = new FakeEngine(projectDefinition, emulator, older);
    await stack.up(args);
    assert.equal(received.length, 1, "nothing is read for what the program does not give");
    const program = { ...args, tags, description: "Payments", autoDestroyActivityDuration: "14d" };
    await stack.up(program);
    assert.deepEqual([stack.outputs.description, stack.outputs.tags], [null, null]);
    await stack.refresh();
    assert.equal(await stack.up(program), "same");
  });

  it("the library rejects by name what the products reject", async () => {
    const ofKeys = "tags must not have an empty key, or one that begins with hc: or hcp:";
    const ofTags =
      "tags can contain only letters, numbers, spaces and _.=+-@:, at most 128 in a key and 256 in a value";
    const ofDuration = 'autoDestroyActivityDuration must be 1 to 4 digits and d or h, such as "14d"';
    const pool = (reason: string): string => `defaultAgentPoolId is ${reason} defaultExecutionMode "agent"`;
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, "v"]));
    const refused: readonly [Properties, string][] = [
      [{ description: "x".repeat(257) }, "description must have at most 256 characters"],
      [{ tags: { "hc:a": "b" } }, ofKeys],
      [{ tags: { "": "b" } }, ofKeys],
      [{ tags: { a: "b;" } }, ofTags],
      [{ tags: { ["k".repeat(129)]: "b" } }, ofTags],
      [{ tags: eleven }, "tags must have at most 10 tags"],
      [{ autoDestroyActivityDuration: "2w" }, ofDuration],
      [{ autoDestroyActivityDuration: "0d" }, "autoDestroyActivityDuration must be greater than 0"],
      [{ defaultExecutionMode: "agent" }, pool("required with")],
      [{ defaultAgentPoolId: "apool-1" }, pool("only possible with")],
      [{ ...inAgent, defaultExecutionMode: "local" }, pool("only possible with")],
      [{ ...inAgent, defaultAgentPoolId: "" }, "defaultAgentPoolId must not be empty"],
    ];
    for (const [more, problem] of refused) {
      assert.deepEqual(await managed.problems({ ...args, ...more }), [problem]);
    }
  });

  it("functions for projects return the products' own attributes, and can filter by tags and sort", async () => {
    const alpha = { ...args, name: "alpha", tags: { env: "test", ...tags }, ...inAgent, description: "A" };
    const { id } = emulator.provisioning.addProject(alpha);
    emulator.provisioning.addProject({ organization, name: "beta", tags });
    const { projects } = await listProjects({ organization, tags, sort: "-name" });
    assert.equal(projects.map(({ name }) => name).join(), "beta,alpha");
    const expected = { id, ...alpha, permissions, autoDestroyActivityDuration: null };
    assert.deepEqual((await listProjects({ organization, tags: { env: "test" } })).projects, [expected]);
    assert.deepEqual(await getProject({ id }), expected);
    assert.deepEqual(await getProject({ organization, name: "alpha" }), expected);
  });
});

describe("provisioning.Project and functions of projects", () => {
  const emulator = useEmulator({ seed });
  useEnvironment(() => emulator.environment);

  const add = (...names: readonly string[]): string[] =>
    names.map((name) => emulator.provisioning.addProject({ organization, name }).id);

  it("a project's name is sent in one form of letters with combining marks, and found in both forms", async () => {
    const name = "cre\u0301dit";
    const managed = await FakeEngine.create(projectDefinition, emulator, { ...args, name });
    const [{ body } = assert.fail()] = emulator.journal.requests({ method: "POST" });
    assert.deepEqual(body, { data: { type: "projects", attributes: { name: "crédit" } } });
    assert.equal(await managed.up({ ...args, name }), "same");
    assert.equal(await managed.up({ ...args, name: "crédit" }), "same");
    assert.equal((await getProject({ ...args, name })).id, managed.id);
    const { projects } = await listProjects({ organization, names: [name], q: name });
    assert.deepEqual([projects[0]?.id, projects[0]?.name], [managed.id, "crédit"]);
    const adopted = await FakeEngine.create(projectDefinition, emulator, { ...args, name, adopt: true });
    assert.equal(adopted.id, managed.id);
  });

  it("a project with workspaces cannot be deleted, and the error says what to do; others can, even if the organization is unknown", async () => {
    const [id = "", empty = ""] = add("payments", "empty");
    emulator.provisioning.addWorkspace({ organization, project: id });
    const error = await failure(projectDefinition.delete(stepOn(emulator), id, args));
    assert.match(error.message, /still contains 1 workspace.*fallbackProjectId/);
    await projectDefinition.delete(stepOn(emulator), empty, { ...args, name: "empty" });
    assert.ok(emulator.inspect().provisioning.projects.every(({ name }) => name !== "empty"));
  });

  it("getProject reads a project by its ID, and returns what the token is allowed to do", async () => {
    const [id = ""] = add("payments");
    assert.deepEqual(await getProject({ id }), { id, ...args, permissions });
    assert.equal(emulator.journal.requests()[0]?.target, `/api/v2/projects/${id}`);
    process.env.PROVISIONING_TOKEN = emulator.provisioning.addToken({ access: "read" });
    const none = { canUpdate: false, canDestroy: false, canCreateWorkspace: false };
    assert.deepEqual((await getProject({ id })).permissions, none);
  });

  it("getProject takes the exact name in the organization, although the service's filter ignores case", async () => {
    emulator.provisioning.addProject({ ...args, organization: "other" });
    const [, id] = add("Payments", "payments", "PAYMENTS");
    assert.deepEqual(await getProject(args), { id, ...args, permissions });
    assert.equal(emulator.journal.requests()[0]?.query["filter[names]"], "payments");
  });

  it("a function for projects names the missing object", async () => {
    add("payments");
    const none = { organization: "none" };
    const isMissing = "does not exist, or the token has no access";
    for (const [call, message] of [
      [getProject({ id: "prj-none" }), `^The project prj-none ${isMissing}`],
      [getProject({ ...args, name: "pAYMENTS" }), `project "pAYMENTS" in the organization acme ${isMissing}`],
      [getProject({ ...args, ...none }), "organization none: GET .* 404"],
      [listProjects(none), "^Could not list the projects of the organization none: GET .* 404"],
    ] as const) {
      await assert.rejects(call, { message: new RegExp(message) });
    }
  });

  it("getProject rejects a response without permissions, or without the organization if it is not known otherwise", async () => {
    const respond = (data: unknown): void =>
      void emulator.faults.add({ method: "GET", status: 200, body: { data } });
    const project = { ...made("prj-1"), relationships: {} };
    respond([project]);
    assert.equal((await getProject(args)).organization, organization);
    for (const [at, data] of [
      ["data.relationships.organization", project],
      ["data.attributes.permissions", { ...made("prj-1"), attributes: { name: "payments" } }],
    ] as const) {
      respond(data);
      const error = await failure(getProject({ id: "prj-1" }), ContractError);
      assert.equal(error.at, at);
      assert.match(error.message, /GET \/projects\/prj-1/);
    }
  });

  const namesOf = async (more: object): Promise<string[]> =>
    (await listProjects({ organization, ...more })).projects.map(({ name }) => name);

  it("listProjects lists all projects of one organization in the service's order, with the caller's permissions", async () => {
    emulator.provisioning.addProject({ organization: "other", name: "payments of others" });
    const names = Array.from({ length: 134 }, (_, index) => `project ${index}`);
    const [id] = add(...names);
    const { projects, statusCounts } = await listProjects({ organization });
    assert.equal(emulator.journal.count(), 2);
    assert.deepEqual(await namesOf({}), ["Default Project", ...names]);
    assert.deepEqual(projects[1], { id, organization, name: "project 0", permissions });
    assert.deepEqual(statusCounts, { total: 135, matching: 135 });
  });

  it("listProjects searches in names, ignoring case, and exact names take precedence over the search", async () => {
    add("Payments", "billing", "web and app", "old payments");
    assert.deepEqual(await namesOf({ q: "PAY" }), ["Payments", "old payments"]);
    const { statusCounts } = await listProjects({ organization, q: "PAY" });
    assert.deepEqual(statusCounts, { total: 5, matching: 2 });
    const exact = await namesOf({ q: "pay", names: ["billing", "web and app", "none"] });
    assert.deepEqual(exact, ["billing", "web and app"]);
  });

  it("listProjects lists projects in which the caller has all requested permissions", async () => {
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

  it("listProjects does not return counts if the service does not", async () => {
    for (const meta of [undefined, {}, { "status-counts": null }]) {
      emulator.faults.add({ method: "GET", status: 200, body: { data: [], meta } });
      assert.deepEqual(await listProjects({ organization }), { projects: [], statusCounts: undefined });
    }
  });

  const either = /^provisioning\.getProject: takes either id, or organization and name\.$/;
  const ofNames = /: names must contain at least one name, and names must not contain commas/;
  const ofTags =
    /: tags is only available in the hashicorp dialect, but this service uses the documented dialect/;
  const inAcme = (more: object) => () => listProjects({ organization, ...more });
  const refused: readonly [string, () => Promise<unknown>, RegExp][] = [
    ["nothing", () => getProject({}), either],
    ["an id and a name", () => getProject({ id: "prj-1", name: "payments" }), either],
    ["a name alone", () => getProject({ name: "payments" }), either],
    ["an empty name", () => getProject({ ...args, name: "" }), /: name must not be empty/],
    ["a name with a comma", inAcme({ names: ["a", "b,c"] }), ofNames],
    ["no names in a list", inAcme({ names: [] }), ofNames],
    ["an argument of another dialect", inAcme({ tags: { a: "b" } }), ofTags],
    ["an unknown permission", inAcme({ permissions: ["update", "go"] }), /: permissions\[1\] must be one/],
  ];
  for (const [what, call, message] of refused) {
    it(`a function for projects rejects ${what} without a request`, async () => {
      assert.match((await failure(call(), InputError)).message, message);
      assert.equal(emulator.journal.count(), 0);
    });
  }
});
