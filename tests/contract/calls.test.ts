import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { useReceiver } from "../engine/support/receiver";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { createWithoutNotes, troubles } from "../faults/support/records";
import type { Properties, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { failureOf, inClear, partialOf, secret, unknownValues } from "../support/values";
import {
  type ManagedProject,
  projectInputs,
  projectStub,
  ProvisioningContract,
  token,
} from "./support/contracts";

const single = "/api/v2/projects/:id";
const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
const unknownStub = projectStub.replace("Project", "Nothing");
const urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Project::payments";

type Change = (values: Properties) => Properties;
const same: Change = (values) => values;
const withName = (name: unknown) => (inputs: Properties) => ({ ...inputs, name }) as Properties;
const withOrganization = (organization: unknown) => (inputs: Properties) =>
  ({ ...inputs, organization }) as Properties;
const unmanaged: Change = ({ __managed, ...outputs }) => outputs;
/** What state has of a project that was created with both arguments. */
const marksAt = (__at: string) => ({ __at, __managed: { organization: true, name: true } });

/** What the lifecycle does is tested without a process: here is what the SDK's process and its calls add. */
describe("calls of the provider process", () => {
  const contract = new ProvisioningContract();
  const check = (args: Properties, olds: Properties = {}) =>
    contract.provider.check(olds, projectInputs(args));

  afterEach(() => contract.emulator.faults.clear());

  it("calls have the configuration, also the first 30 at once", async () => {
    const organization = contract.organization();
    const names = Array.from({ length: 30 }, (_, index) => `project-${String(index).padStart(2, "0")}`);
    const provider = await contract.start();
    const created = await Promise.all(
      names.map((name) => provider.create(projectInputs({ organization, name }))),
    );
    assert.equal(new Set(created.map(({ id }) => id)).size, 30);
    assert.deepEqual(contract.projectNames(organization).sort(), names);
  });

  it("calls find the service in the environment too", async () => {
    const { address, token } = contract.emulator.provisioning;
    const none = { "trivium:provisioningAddress": "", "trivium:provisioningToken": "" };
    const environment = { PROVISIONING_ADDR: address, PROVISIONING_TOKEN: token };
    const provider = await contract.start(none, environment);
    const organization = contract.organization();
    await provider.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  describe("check", () => {
    const args = { organization: "acme", name: "payments" };

    it("check returns what the program has, adds nothing, and marks its secrets", async () => {
      const hidden = { __urn: "test::test::::y", __run: { ignored: ["name"] } };
      assert.deepEqual(await check({ ...args, ...hidden }), { inputs: projectInputs(args), failures: [] });
      const marked = { ...args, name: "canary-checked", __secrets: ["name"] };
      const { inputs } = await check(marked);
      assert.deepEqual(inputs, projectInputs({ ...marked, name: secret("canary-checked") }));
    });

    for (const [kind, unknown] of Object.entries(unknownValues)) {
      it(`check accepts an unknown value, which the engine may get in another form: ${kind}`, async () => {
        const all = (value: string) => [
          { organization: value, name: value, adopt: value },
          { organization: { a: [value] }, name: [[value]], adopt: [{ b: { c: value } }] },
        ];
        const [flat = {}, deep = {}] = all(unknownValues.string).map(projectInputs);
        for (const [index, inputs] of [flat, deep].entries()) {
          assert.deepEqual(await check(all(unknown)[index] ?? {}), { inputs, failures: [] });
        }
      });
    }

    it("check reports all problems at once, each with its argument unless the engine has no value to show", async () => {
      const { failures } = await check({ name: "a/", organisation: "acme", adopt: "yes" });
      assert.deepEqual(failures.map(({ property }) => property).sort(), ["", "", "adopt", "name"]);
      const general = failures.filter(({ property }) => property === "").map(({ reason }) => reason);
      assert.deepEqual(general.sort(), [
        "organisation is not a valid argument; did you mean organization?",
        "organization is required",
      ]);
      const { failures: missing } = await check({ organization: "acme" }, projectInputs(args));
      assert.deepEqual(missing, [{ property: "", reason: "name is required" }]);
    });

    it("check shows a warning on the resource's line", async () => {
      await check({ ...args, name: "Zahlungen für Köln", __urn: urn });
      const { message: _message, ...line } = await contract.provider.engine.line(/^name contains letters/);
      assert.deepEqual(line, { severity: "warning", urn, ephemeral: false });
    });
  });

  describe("diff", () => {
    let project: ManagedProject;
    before(async () => {
      project = await contract.project();
    });

    const replaces = ["organization"];
    const rows: readonly [
      what: string,
      state: Change,
      program: Change,
      changes: string,
      replaces?: string[],
    ][] = [
      ["nothing changed", same, same, "none"],
      ["the name changed", same, withName("other"), "unknown"],
      ["the name is unknown", same, withName(unknownValues.string), "unknown"],
      ["the organization changed", same, withOrganization("other"), "unknown", replaces],
      [
        "`adopt` disappeared",
        (outputs) => ({ ...outputs, __managed: { organization: true, name: true, adopt: { as: true } } }),
        same,
        "none",
      ],
      ["the parent changed", same, (inputs) => ({ ...inputs, __urn: "test::other::x::y" }), "none"],
      ["state does not record the managed arguments", unmanaged, same, "some"],
    ];
    for (const [what, state, program, changes, replaced = []] of rows) {
      it(`diff returns ${changes} if ${what}${replaced.length === 0 ? "" : ", and replaces"}`, async () => {
        const { id, outputs, inputs } = project;
        const requests = await contract.requestsOf(async () => {
          assert.deepEqual(await contract.provider.diff(id, state(outputs), program(inputs)), {
            changes,
            replaces: replaced,
            deleteBeforeReplace: replaced.length === 0,
          });
        });
        assert.equal(requests, 0);
      });
    }
  });

  describe("create", () => {
    it("create returns the id and all outputs", async () => {
      const { organization, outputs } = await contract.project();
      assert.deepEqual(outputs, {
        organization,
        name: "payments",
        permissions,
        ...marksAt(contract.place),
        __provider: projectStub,
      });
    });

    it("create records an adoption, whose argument is no output but an input that a refresh returns", async () => {
      const organization = contract.organization();
      const existing = contract.emulator.provisioning.addProject({ organization, name: "payments" });
      const inputs = projectInputs({ organization, name: "payments", adopt: true });
      const { id, outputs } = await contract.provider.create(inputs);
      const { __managed } = marksAt("");
      assert.deepEqual([id, outputs.__managed], [existing.id, { ...__managed, adopt: { as: true } }]);
      assert.equal(Object.hasOwn(outputs, "adopt"), false);
      assert.deepEqual((await contract.provider.refresh(id, outputs)).inputs, inputs);
    });

    it("create adopts what it has created if the response is cut off, and warns", async () => {
      const organization = contract.organization();
      contract.emulator.faults.add({ method: "POST", drop: "after" });
      const { id } = await contract.provider.create(projectInputs({ organization, name: "payments" }));
      const { severity } = await contract.provider.engine.line(
        new RegExp(`Exactly one object has its name, ${id}: this resource manages it from now on\\.`),
      );
      assert.equal(severity, "warning");
      assert.deepEqual(contract.projectNames(organization), ["payments"]);
    });
  });

  describe("create, whose final read fails,", () => {
    const create = async () => {
      const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
      contract.emulator.faults.add({ method: "GET", path: single, status: 500 });
      return { inputs, partial: await partialOf(contract.provider.create(inputs)) };
    };

    it("a creation whose final read fails keeps the object, with all that is known and why it is not all", async () => {
      const { inputs, partial } = await create();
      assert.deepEqual(partial.properties, { ...inputs, ...marksAt(contract.place) });
      assert.equal(partial.reasons.length, 1);
      assert.match(
        partial.reasons[0] ?? "",
        new RegExp(`${partial.id} was written, but reading it back failed.*500`),
      );
    });

    it("a creation whose final read fails is completed by an update without changes, once that can read", async () => {
      const { inputs, partial } = await create();
      const { id, properties } = partial;
      contract.emulator.faults.add({ method: "GET", path: single, status: 500 });
      const again = await partialOf(contract.provider.update(id, properties, inputs));
      assert.deepEqual({ ...again, reasons: [] }, { ...partial, reasons: [] });
      const before = contract.emulator.journal.count({ method: "PATCH" });
      const outputs = await contract.provider.update(id, properties, inputs);
      assert.deepEqual(outputs, { ...properties, permissions });
      assert.equal(contract.emulator.journal.count({ method: "PATCH" }), before);
    });
  });

  describe("read", () => {
    it("read returns unchanged outputs and inputs as they were, and drift in both", async () => {
      const { id, inputs, outputs } = await contract.project();
      assert.deepEqual(await contract.provider.refresh(id, outputs), { id, inputs, outputs });
      contract.emulator.provisioning.changeProject(id, { name: "by hand" });
      const drifted = { id, inputs: withName("by hand")(inputs), outputs: withName("by hand")(outputs) };
      assert.deepEqual(await contract.provider.refresh(id, outputs), drifted);
    });

    it("read returns the outputs alone for a resource that the program only reads", async () => {
      const organization = contract.organization();
      const { id } = contract.emulator.provisioning.addProject({ organization, name: "payments" });
      const outputs = { organization, name: "payments", permissions, __provider: projectStub };
      assert.deepEqual(await contract.provider.get(id, projectInputs({})), {
        id,
        inputs: undefined,
        outputs,
      });
    });

    it("read returns no id only if the object is proven to be gone", async () => {
      const { id, outputs } = await contract.project();
      contract.emulator.provisioning.removeProject(id);
      const gone = { id: "", inputs: undefined, outputs: { __provider: projectStub } };
      assert.deepEqual(await contract.provider.refresh(id, outputs), gone);
      const wrong = await contract.start({ "trivium:provisioningToken": `${token}-wrong` });
      assert.match((await failureOf(wrong.refresh(id, outputs))).message, /401.*trivium:provisioningToken/);
    });
  });

  describe("for an object that another service has created", () => {
    const old = "https://old.example/api/v2";
    const projectOf = async (at: string): Promise<ManagedProject> => {
      const made = await contract.project();
      return { ...made, outputs: { ...made.outputs, __at: at } };
    };
    type Call = (provider: ProviderProcess, project: ManagedProject) => Promise<unknown>;
    const calls: Readonly<Record<string, Call>> = {
      read: (provider, { id, outputs }) => provider.refresh(id, outputs),
      update: (provider, { id, inputs, outputs }) =>
        provider.update(id, outputs, { ...inputs, name: "renamed" }),
      "update without a change": (provider, { id, inputs, outputs }) => provider.update(id, outputs, inputs),
      delete: (provider, { id, outputs }) => provider.delete(id, outputs),
    };
    for (const [what, call] of Object.entries(calls)) {
      it(`calls for an object of another service make no request and name both services: ${what}`, async () => {
        const project = await projectOf(old);
        const requests = await contract.requestsOf(async () => {
          const { message, partial } = await failureOf(call(contract.provider, project));
          assert.ok(message.includes(`created at ${old}`), message);
          const here = `${contract.emulator.provisioning.address}/api/v2`;
          assert.ok(message.includes(`configured as ${here}`), message);
          assert.match(message, /pulumi config set trivium:provisioningMovedFrom/);
          assert.equal(partial, undefined);
        });
        assert.equal(requests, 0);
      });
    }

    it("calls for an object of another service bind it to this service if that has moved, and to no third one", async () => {
      const moved = await contract.start({
        "trivium:provisioningMovedFrom": "https://other.example, https://old.example",
      });
      const { id, inputs, outputs } = await projectOf(old);
      const rebound = { ...outputs, __at: contract.place };
      assert.deepEqual(await moved.refresh(id, outputs), { id, inputs, outputs: rebound });
      assert.deepEqual(await moved.update(id, outputs, inputs), rebound);
      const renamed = await moved.update(id, outputs, { ...inputs, name: "renamed" });
      assert.equal(renamed.__at, contract.place);
      const third = { ...outputs, __at: "https://old.example.org/api/v2" };
      assert.match((await failureOf(moved.delete(id, third))).message, /old\.example\.org/);
      await moved.delete(id, outputs);
      assert.deepEqual(contract.projectNames(inputs.organization), []);
    });
  });

  describe("that fail", () => {
    let project: ManagedProject;
    before(async () => {
      project = await contract.project();
    });
    afterEach(() => assert.equal(contract.provider.output, "", "a failure prints nothing"));

    /** As careless services repeat a token. */
    const talkative = {
      status: 422,
      body: {
        errors: [{ status: "422", title: "invalid", detail: `not with Bearer ${token} and ${token}` }],
      },
    };
    const failures: Readonly<Record<string, () => Promise<unknown>>> = {
      check: () => contract.provider.check({}, { __provider: unknownStub }),
      diff: () => contract.provider.diff(project.id, project.outputs, { __provider: unknownStub }),
      create: () => contract.provider.create({ ...project.inputs, name: "other" }),
      read: () => contract.provider.refresh(project.id, project.outputs),
      update: () =>
        contract.provider.update(project.id, project.outputs, { ...project.inputs, name: "other" }),
      delete: () => contract.provider.delete(project.id, project.outputs),
    };
    for (const [call, fail] of Object.entries(failures)) {
      it(`a failing ${call} returns one message`, async () => {
        contract.emulator.faults.add({ ...talkative, times: 100 });
        const { message, partial } = await failureOf(fail());
        assert.match(message, /^[A-Z][^\n]*[.)]$/);
        assert.equal(partial, undefined);
      });
    }

    it("failures say what was tried, what the service said without secrets, and where the token comes from", async () => {
      contract.emulator.faults.add({ ...talkative, status: 403 });
      const { message } = await failureOf(contract.provider.refresh(project.id, project.outputs));
      assert.ok(
        message.startsWith(`Could not read the project ${project.id}: GET http://127.0.0.1:`),
        message,
      );
      assert.match(message, /returned 403: .*not with Bearer \[secret\] and \[secret\]/);
      assert.match(message, /The token comes from the configuration value trivium:provisioningToken/);
    });

    it("failures give an object that exists the same reason as the message", async () => {
      contract.emulator.faults.add({ ...talkative, method: "GET", path: single });
      const creation = contract.provider.create({ ...project.inputs, name: "half done" });
      const { reasons } = await partialOf(creation);
      assert.deepEqual(reasons, [(await failureOf(creation)).message]);
    });

    it("failures say to upgrade if the installed version does not know the type, also in a new process", async () => {
      const inputs = { __provider: unknownStub };
      const provider = await contract.start();
      for (const call of [
        provider.refresh("prj-1", inputs),
        provider.check({}, inputs),
        provider.create(inputs),
        provider.delete("prj-1", inputs),
      ]) {
        const { message } = await failureOf(call);
        assert.match(message, /has no resource type provisioning:Nothing.*Upgrade pulumi-trivium/);
      }
      assert.equal(provider.output, "");
    });
  });

  it("calls return with the mark what the program has marked as secret", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "canary-payments", __secrets: ["name"] });
    const name = secret("canary-payments");
    const { id, outputs } = await contract.provider.create(inputs);
    const read = await contract.provider.refresh(id, inClear(outputs));
    const news = { ...inputs, name: "canary-other" };
    const updated = await contract.provider.update(id, inClear(outputs), news);
    assert.deepEqual([outputs.name, read.outputs.name, read.inputs?.name], [name, name, name]);
    assert.deepEqual(updated.name, secret("canary-other"));
    for (const { __managed } of [outputs, read.outputs, updated]) {
      assert.ok(!JSON.stringify(__managed ?? null).includes("canary"), "a hidden output holds a secret");
    }
  });
});

/** One that a repeated creation finds by its name, and one whose secret is returned once. */
const types = ["provisioning:Project", "secrets/directory:LibraryCheckout"];

describe("a creation whose notes cannot be written, of which the whole matrix is `npm run test:faults`", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, tokens });
  const receiver = useReceiver();

  for (const adapter of ["dynamic", "plugin"] as const) {
    for (const type of types) {
      it(`a creation brings ${type} into state when the directory is missing or the disk is full (${adapter})`, async () => {
        const faultCase = resourceCases.get(type) ?? assert.fail(type);
        const findings = await createWithoutNotes({ emulator, receiver }, faultCase, adapter);
        assert.deepEqual(findings, new Map(troubles.map((trouble) => [trouble, []])));
      });
    }
  }
});
