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

const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
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

  it("calls have the configuration, even the first 30 at the same time", async () => {
    const organization = contract.organization();
    const names = Array.from({ length: 30 }, (_, index) => `project-${String(index).padStart(2, "0")}`);
    const started = await contract.start();
    const creations = names.map((name) => started.create(projectInputs({ organization, name })));
    assert.equal(new Set((await Promise.all(creations)).map(({ id }) => id)).size, 30);
    assert.deepEqual(contract.projectNames(organization).sort(), names);
  });

  it("check returns the program's values, adds nothing, and marks their secrets", async () => {
    const hidden = { __urn: "test::test::::y", __run: { ignored: ["name"] } };
    assert.deepEqual(await check({ ...args, ...hidden }), { inputs: projectInputs(args), failures: [] });
    const marked = { ...args, name: "canary-checked", __secrets: ["name"] };
    const { inputs } = await check(marked);
    assert.deepEqual(inputs, projectInputs({ ...marked, name: secret("canary-checked") }));
  });

  it("check accepts unknown values in every form that the engine sends", async () => {
    for (const unknown of Object.values(unknownValues)) {
      for (const given of [
        (value: string) => ({ organization: value, name: value, adopt: value }),
        (value: string) => ({ organization: { a: [value] }, name: [[value]], adopt: [{ b: { c: value } }] }),
      ]) {
        const inputs = projectInputs(given(unknownValues.string));
        assert.deepEqual(await check(given(unknown)), { inputs, failures: [] });
      }
    }
  });

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
  for (const [what, program, changes, replaced] of diffs) {
    it(`diff returns ${changes} if ${what}${replaced === undefined ? "" : ", and replaces"}, without a request`, async () => {
      const { id, outputs, inputs } = await contract.project();
      const before = emulator.journal.count();
      const replaces = replaced === undefined ? [] : [replaced];
      const expected = { changes, replaces, deleteBeforeReplace: replaced === undefined };
      assert.deepEqual(await provider.diff(id, outputs, { ...inputs, ...program }), expected);
      assert.equal(emulator.journal.count(), before);
    });
  }

  it("create records an adoption, whose argument is not an output but an input that a refresh returns", async () => {
    const organization = contract.organization();
    const existing = emulator.provisioning.addProject({ organization, name: "payments" });
    const inputs = projectInputs({ organization, name: "payments", adopt: true });
    const { id, outputs } = await provider.create(inputs);
    assert.deepEqual([id, outputs["adopt"]], [existing.id, undefined]);
    assert.deepEqual(outputs.__managed, { ...marks().__managed, adopt: { as: true } });
    assert.deepEqual((await provider.refresh(id, outputs)).inputs, inputs);
  });

  it("create adopts the object that it has created if the response is cut off, and warns", async () => {
    const organization = contract.organization();
    emulator.faults.add({ method: "POST", drop: "after" });
    const { id } = await provider.create(projectInputs({ organization, name: "payments" }));
    const { severity } = await provider.engine.line(
      new RegExp(`Exactly one project has this name \\(${id}\\), and this resource now manages it\\.`),
    );
    assert.equal(severity, "warning");
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("create and read return all outputs; a read without state does not return inputs", async () => {
    const { organization, id, outputs } = await contract.project();
    const read = { organization, name: "payments", permissions, __provider: projectStub };
    assert.deepEqual(outputs, { ...read, ...marks() });
    assert.deepEqual(await provider.get(id, projectInputs({})), { id, inputs: undefined, outputs: read });
  });

  it("every failing call returns one message and prints nothing", async () => {
    const { id, inputs, outputs } = await contract.project();
    const other = { ...inputs, name: "other" };
    // As careless services repeat a token.
    const detail = `not with Bearer ${token} and ${token}`;
    const body = { errors: [{ status: "422", title: "invalid", detail }] };
    emulator.faults.add({ status: 422, body, times: 100 });
    const unknown = { __provider: projectStub.replace("Project", "Nothing") };
    const upgrade = /has no resource type provisioning:Nothing.*Upgrade pulumi-trivium/;
    const repeated = /returned 422: .*not with Bearer \[secret\] and \[secret\]/;
    const started = await contract.start();
    for (const [fail, expected] of [
      [() => started.create(unknown), upgrade],
      [() => provider.check({}, unknown), upgrade],
      [() => provider.diff(id, outputs, unknown), upgrade],
      [() => provider.refresh(id, unknown), upgrade],
      [() => provider.delete(id, unknown), upgrade],
      [() => provider.create(other), repeated],
      [() => provider.refresh(id, outputs), repeated],
      [() => provider.update(id, outputs, other), repeated],
      [() => provider.delete(id, outputs), repeated],
    ] as const) {
      const { message, partial } = await failureOf(fail());
      assert.match(message, /^[A-Z][^\n]*[.)]$/);
      assert.match(message, expected);
      assert.equal(partial, undefined);
    }
    assert.equal(provider.output + started.output, "");
  });

  it("a creation that cannot be read back keeps the object, with the reason in the message", async () => {
    const inputs = projectInputs({ organization: contract.organization(), name: "half done" });
    emulator.faults.add({ status: 500, method: "GET", path: "/api/v2/projects/:id" });
    const creation = provider.create(inputs);
    const { id, properties, reasons } = await partialOf(creation);
    assert.deepEqual(properties, { ...inputs, ...marks() });
    assert.deepEqual(reasons, [(await failureOf(creation)).message]);
    assert.match(reasons[0] ?? "", new RegExp(`${id} was written, but reading it back failed.*500`));
  });

  it("calls for an object in another service fail without a request and name both services, unless the service has moved", async () => {
    const { id, inputs, outputs: made } = await contract.project();
    const outputs = { ...made, __at: "https://old.example/api/v2" };
    const before = emulator.journal.count();
    for (const call of [
      () => provider.refresh(id, outputs),
      () => provider.update(id, outputs, { ...inputs, name: "renamed" }),
      () => provider.update(id, outputs, inputs),
      () => provider.delete(id, outputs),
    ]) {
      const { message, partial } = await failureOf(call());
      assert.ok(message.includes(`created at ${outputs.__at}`), message);
      assert.ok(message.includes(`configured as ${contract.place}`), message);
      assert.match(message, /pulumi config set trivium:provisioningMovedFrom/);
      assert.equal(partial, undefined);
    }
    assert.equal(emulator.journal.count(), before);
    const settings = { "trivium:provisioningMovedFrom": "https://other.example, https://old.example" };
    const moved = await contract.start(settings);
    assert.deepEqual(await moved.update(id, outputs, inputs), made);
    await moved.delete(id, outputs);
    assert.deepEqual(contract.projectNames(inputs.organization), []);
  });

  it("calls return values that the program marked as secret as secrets", async () => {
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
      it(`a creation stores ${type} in state when the directory is missing or the disk is full (${adapter})`, async () => {
        const faultCase = resourceCases.get(type) ?? assert.fail(type);
        const findings = await createWithoutNotes({ emulator, receiver }, faultCase, adapter);
        assert.deepEqual(findings, new Map(troubles.map((trouble) => [trouble, []])));
      });
    }
  }
});
