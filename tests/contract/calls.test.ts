import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { adapters } from "../engine/support/adapter";
import { useReceiver } from "../engine/support/receiver";
import { createWithoutNotes, troubles } from "../faults/support/records";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { failureOf, inClear, partialOf, secret, unknownValues } from "../support/values";
import { projectInputs, projectStub, ProvisioningContract, token } from "./support/contracts";

const single = "/api/v2/projects/:id";
const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
const unknownStub = projectStub.replace("Project", "Nothing");
const urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Project::payments";

/** What the lifecycle does is tested without a process: here is what the SDK's process and its calls add. */
describe("calls of the provider process", () => {
  const contract = new ProvisioningContract();
  const { emulator, provider } = contract;
  const args = { organization: "acme", name: "payments" };
  const check = (given: Properties) => provider.check({}, projectInputs(given));
  /** What state has of a project beside its arguments. */
  const marks = () => ({ __at: contract.place, __managed: { organization: true, name: true } });

  afterEach(() => emulator.faults.clear());

  it("calls have the configuration, also the first 30 at once", async () => {
    const organization = contract.organization();
    const names = Array.from({ length: 30 }, (_, index) => `project-${String(index).padStart(2, "0")}`);
    const started = await contract.start();
    const creations = names.map((name) => started.create(projectInputs({ organization, name })));
    assert.equal(new Set((await Promise.all(creations)).map(({ id }) => id)).size, 30);
    assert.deepEqual(contract.projectNames(organization).sort(), names);
  });

  it("calls find the service in the environment too", async () => {
    const { address, token: PROVISIONING_TOKEN } = emulator.provisioning;
    const none = { "trivium:provisioningAddress": "", "trivium:provisioningToken": "" };
    const started = await contract.start(none, { PROVISIONING_ADDR: address, PROVISIONING_TOKEN });
    const organization = contract.organization();
    await started.create(projectInputs({ organization, name: "payments" }));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("check returns what the program has, adds nothing, and marks its secrets", async () => {
    const hidden = { __urn: "test::test::::y", __run: { ignored: ["name"] } };
    assert.deepEqual(await check({ ...args, ...hidden }), { inputs: projectInputs(args), failures: [] });
    const marked = { ...args, name: "canary-checked", __secrets: ["name"] };
    const { inputs } = await check(marked);
    assert.deepEqual(inputs, projectInputs({ ...marked, name: secret("canary-checked") }));
  });

  for (const [kind, unknown] of Object.entries(unknownValues)) {
    it(`check accepts an unknown value, which the engine may get in another form: ${kind}`, async () => {
      const [flat, deep] = [
        (value: string) => ({ organization: value, name: value, adopt: value }),
        (value: string) => ({ organization: { a: [value] }, name: [[value]], adopt: [{ b: { c: value } }] }),
      ];
      for (const given of [flat, deep]) {
        const inputs = projectInputs(given(unknownValues.string));
        assert.deepEqual(await check(given(unknown)), { inputs, failures: [] });
      }
    });
  }

  it("check shows a warning on the resource's line", async () => {
    await check({ ...args, name: "Zahlungen für Köln", __urn: urn });
    const { message: _message, ...line } = await provider.engine.line(/^name contains letters/);
    assert.deepEqual(line, { severity: "warning", urn, ephemeral: false });
  });

  const diffs: readonly (readonly [what: string, program: object, changes: string, replaces?: string])[] = [
    ["nothing changed", {}, "none"],
    ["the name changed", { name: "other" }, "unknown"],
    ["the name is unknown", { name: unknownValues.string }, "unknown"],
    ["the organization changed", { organization: "other" }, "unknown", "organization"],
    ["the parent changed", { __urn: "test::other::x::y" }, "none"],
  ];
  for (const [what, program, changes, replaces] of diffs) {
    it(`diff returns ${changes} if ${what}${replaces === undefined ? "" : ", and replaces"}, without a request`, async () => {
      const { id, outputs, inputs } = await contract.project();
      const news = { ...inputs, ...program };
      const requests = await contract.requestsOf(async () => {
        const replaced = replaces === undefined ? [] : [replaces];
        const deleteBeforeReplace = replaces === undefined;
        const expected = { changes, replaces: replaced, deleteBeforeReplace };
        assert.deepEqual(await provider.diff(id, outputs, news), expected);
      });
      assert.equal(requests, 0);
    });
  }

  it("create returns the id and all outputs", async () => {
    const { organization, outputs } = await contract.project();
    const expected = { organization, name: "payments", permissions, ...marks(), __provider: projectStub };
    assert.deepEqual(outputs, expected);
  });

  it("create records an adoption, whose argument is no output but an input that a refresh returns", async () => {
    const organization = contract.organization();
    const existing = emulator.provisioning.addProject({ organization, name: "payments" });
    const inputs = projectInputs({ organization, name: "payments", adopt: true });
    const { id, outputs } = await provider.create(inputs);
    assert.deepEqual([id, outputs["adopt"]], [existing.id, undefined]);
    assert.deepEqual(outputs.__managed, { ...marks().__managed, adopt: { as: true } });
    assert.deepEqual((await provider.refresh(id, outputs)).inputs, inputs);
  });

  it("create adopts what it has created if the response is cut off, and warns", async () => {
    const organization = contract.organization();
    emulator.faults.add({ method: "POST", drop: "after" });
    const { id } = await provider.create(projectInputs({ organization, name: "payments" }));
    const { severity } = await provider.engine.line(
      new RegExp(`Exactly one object has its name, ${id}: this resource manages it from now on\\.`),
    );
    assert.equal(severity, "warning");
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("a creation whose final read fails keeps the object, with all that is known and why it is not all", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "payments" });
    emulator.faults.add({ method: "GET", path: single, status: 500, times: 2 });
    const { id, properties, reasons } = await partialOf(provider.create(inputs));
    assert.deepEqual(properties, { ...inputs, ...marks() });
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? "", new RegExp(`${id} was written, but reading it back failed.*500`));
    // An update without changes completes it, once that can read.
    const again = await partialOf(provider.update(id, properties, inputs));
    assert.deepEqual([again.id, again.properties], [id, properties]);
    const before = emulator.journal.count({ method: "PATCH" });
    assert.deepEqual(await provider.update(id, properties, inputs), { ...properties, permissions });
    assert.equal(emulator.journal.count({ method: "PATCH" }), before);
  });

  it("read returns the outputs alone for a resource that the program only reads", async () => {
    const organization = contract.organization();
    const { id } = emulator.provisioning.addProject({ organization, name: "payments" });
    const outputs = { organization, name: "payments", permissions, __provider: projectStub };
    assert.deepEqual(await provider.get(id, projectInputs({})), { id, inputs: undefined, outputs });
  });

  it("read returns no id only if the object is proven to be gone", async () => {
    const { id, outputs } = await contract.project();
    emulator.provisioning.removeProject(id);
    const gone = { id: "", inputs: undefined, outputs: { __provider: projectStub } };
    assert.deepEqual(await provider.refresh(id, outputs), gone);
    const wrong = await contract.start({ "trivium:provisioningToken": `${token}-wrong` });
    assert.match((await failureOf(wrong.refresh(id, outputs))).message, /401.*trivium:provisioningToken/);
  });

  it("calls for an object of another service make no request and name both services, whatever they are to do", async () => {
    const { id, inputs, outputs: made } = await contract.project();
    const outputs = { ...made, __at: "https://old.example/api/v2" };
    for (const call of [
      () => provider.refresh(id, outputs),
      () => provider.update(id, outputs, { ...inputs, name: "renamed" }),
      () => provider.update(id, outputs, inputs),
      () => provider.delete(id, outputs),
    ]) {
      const requests = await contract.requestsOf(async () => {
        const { message, partial } = await failureOf(call());
        assert.ok(message.includes(`created at ${outputs.__at}`), message);
        assert.ok(message.includes(`configured as ${contract.place}`), message);
        assert.match(message, /pulumi config set trivium:provisioningMovedFrom/);
        assert.equal(partial, undefined);
      });
      assert.equal(requests, 0);
    }
    const settings = { "trivium:provisioningMovedFrom": "https://other.example, https://old.example" };
    const moved = await contract.start(settings);
    assert.deepEqual(await moved.update(id, outputs, inputs), made);
    const third = { ...outputs, __at: "https://old.example.org/api/v2" };
    assert.match((await failureOf(moved.delete(id, third))).message, /old\.example\.org/);
    await moved.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  /** As careless services repeat a token. */
  const detail = `not with Bearer ${token} and ${token}`;
  const talkative = { status: 422, body: { errors: [{ status: "422", title: "invalid", detail }] } };

  it("a failing call returns one message and prints nothing, whichever it is", async () => {
    const { id, inputs, outputs } = await contract.project();
    const other = { ...inputs, name: "other" };
    emulator.faults.add({ ...talkative, times: 100 });
    for (const fail of [
      () => provider.check({}, { __provider: unknownStub }),
      () => provider.diff(id, outputs, { __provider: unknownStub }),
      () => provider.create(other),
      () => provider.refresh(id, outputs),
      () => provider.update(id, outputs, other),
      () => provider.delete(id, outputs),
    ]) {
      const { message, partial } = await failureOf(fail());
      assert.match(message, /^[A-Z][^\n]*[.)]$/);
      assert.equal(partial, undefined);
    }
    assert.equal(provider.output, "");
  });

  it("failures say what was tried, what the service said without secrets, and where the token comes from", async () => {
    const { id, outputs } = await contract.project();
    emulator.faults.add({ ...talkative, status: 403 });
    const { message } = await failureOf(provider.refresh(id, outputs));
    assert.ok(message.startsWith(`Could not read the project ${id}: GET http://127.0.0.1:`), message);
    assert.match(message, /returned 403: .*not with Bearer \[secret\] and \[secret\]/);
    assert.match(message, /The token comes from the configuration value trivium:provisioningToken/);
  });

  it("failures give an object that exists the same reason as the message", async () => {
    emulator.faults.add({ ...talkative, method: "GET", path: single });
    const organization = contract.organization();
    const creation = provider.create(projectInputs({ organization, name: "half done" }));
    const { reasons } = await partialOf(creation);
    assert.deepEqual(reasons, [(await failureOf(creation)).message]);
  });

  it("failures say to upgrade if the installed version does not know the type, also in a new process", async () => {
    const inputs = { __provider: unknownStub };
    const started = await contract.start();
    for (const call of [
      started.refresh("prj-1", inputs),
      started.check({}, inputs),
      started.create(inputs),
      started.delete("prj-1", inputs),
    ]) {
      const { message } = await failureOf(call);
      assert.match(message, /has no resource type provisioning:Nothing.*Upgrade pulumi-trivium/);
    }
    assert.equal(started.output, "");
  });

  it("calls return with the mark what the program has marked as secret", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "canary-payments", __secrets: ["name"] });
    const name = secret("canary-payments");
    const { id, outputs } = await provider.create(inputs);
    const read = await provider.refresh(id, inClear(outputs));
    const updated = await provider.update(id, inClear(outputs), { ...inputs, name: "canary-other" });
    assert.deepEqual([outputs.name, read.outputs.name, read.inputs?.name], [name, name, name]);
    assert.deepEqual(updated.name, secret("canary-other"));
    for (const { __managed } of [outputs, read.outputs, updated]) {
      assert.ok(!JSON.stringify(__managed ?? null).includes("canary"), "a hidden output holds a secret");
    }
  });
});

describe("a creation whose notes cannot be written, of which the whole matrix is `npm run test:faults`", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, tokens });
  const receiver = useReceiver();

  for (const adapter of adapters) {
    // One that a repeated creation finds by its name, and one whose secret is returned once.
    for (const type of ["provisioning:Project", "secrets/directory:LibraryCheckout"]) {
      it(`a creation brings ${type} into state when the directory is missing or the disk is full (${adapter})`, async () => {
        const faultCase = resourceCases.get(type) ?? assert.fail(type);
        const findings = await createWithoutNotes({ emulator, receiver }, faultCase, adapter);
        assert.deepEqual(findings, new Map(troubles.map((trouble) => [trouble, []])));
      });
    }
  }
});
