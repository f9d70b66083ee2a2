import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { allDialects } from "../../cases/support/case";
import { emulatedTokens as tokens } from "../../cases/support/emulated-services";
import { services } from "../../support/proxy";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { type Adapter, typeWith } from "../support/adapter";
import { nameIn } from "../support/outcome";
import { configurationFor } from "../support/projects";
import { useReceiver } from "../support/receiver";
import { type Program, useSharedStack } from "../support/shared-stack";
import { optionsIn, TestedResource } from "../support/tested-resource";

/** One stack with a resource of every class in every dialect: each operation of the CLI proves something of all. */
describe("a resource of every class, imported and moved with the plugin", function () {
  this.timeout(240_000);
  stepByStep();

  const emulators = {
    documented: useEmulator({ resets: false, dialect: "documented", tokens }),
    hashicorp: useEmulator({ resets: false, dialect: "hashicorp", tokens }),
  };
  const receiver = useReceiver();
  // The services of the hashicorp dialect have a provider.
  const stack = useSharedStack("plugin-every-class", () =>
    configurationFor(emulators.documented, ...services),
  );
  const members: TestedResource[] = [];
  /** Of all objects, by the names of their resources. */
  let ids: ReadonlyMap<string, string>;
  before(async () => {
    for (const dialect of allDialects) {
      members.push(...(await TestedResource.prepareAll(emulators[dialect], dialect, receiver)));
    }
  });

  /** Those that can be read by their ids alone. */
  const readable = (): readonly TestedResource[] =>
    members.filter(({ resourceClass }) => resourceClass.get !== undefined);
  const idOf = ({ name }: TestedResource): string => ids.get(name) ?? assert.fail(name);
  /** Declares them all. */
  const program: Program = () => {
    const optionsOf = optionsIn(members);
    members.forEach((member) => member.declare(optionsOf));
  };
  const importing: Program = () => {
    const optionsOf = optionsIn(members);
    members.forEach((member) => {
      const more = member.resourceClass.get === undefined ? {} : { import: idOf(member) };
      member.declare({ ...optionsOf(member), ...more });
    });
  };
  /** The ids in state, where it has nothing of the library but resources of one adapter. */
  const idsWith = async (adapter: Adapter): Promise<ReadonlyMap<string, string>> => {
    const entries = (await stack.resources()).filter(({ type }) => /(?:^|\/)trivium[:/]/.test(type));
    const expected = members.map(({ resourceCase: { type } }) => typeWith(adapter, type));
    assert.deepEqual(new Set(entries.map(({ type }) => type)), new Set(expected));
    return new Map(entries.map(({ urn, id }) => [nameIn(urn), id ?? ""]));
  };
  /** What an operation does, which makes no request, or none that changes something. */
  const without = async <Result>(
    what: "requests" | "writes",
    operation: () => Promise<Result>,
  ): Promise<Result> => {
    const journals = Object.values(emulators).map(({ journal }) => journal);
    const before = journals.map((journal) => journal.count());
    const result = await operation();
    const requests = journals
      .flatMap((journal, index) => journal.requests().slice(before[index]))
      .map(({ method, target }) => `${method} ${target}`);
    // The secrets service reads a lease with POST.
    const reads = /^GET |^POST \/v1\/sys\/leases\/lookup$/;
    assert.deepEqual(what === "writes" ? requests.filter((each) => !reads.test(each)) : requests, []);
    return result;
  };
  const unchanged = (wanted = program) => without("requests", () => stack.previewWithoutChanges(wanted));
  const refreshed = async (): Promise<void> => {
    const { changes, text } = await without("writes", () => stack.refresh());
    assert.deepEqual(changes, {}, text);
    await unchanged();
  };
  /** Back to dynamic resources: their provider's text comes into state, and nothing else is done. */
  const moveBack = async (): Promise<void> => {
    await stack.useAdapter("dynamic");
    const { steps } = await without("requests", () => stack.up(program));
    members.forEach(({ name }) => assert.deepEqual(steps.get(name), ["update"], name));
    assert.deepEqual(await idsWith("dynamic"), ids);
    await unchanged();
    await refreshed();
  };
  /** Has the engine forget the objects that can be imported. */
  const forget = async (): Promise<void> => {
    const types = readable().map(({ resourceCase: { type } }) => `trivium:${type}`);
    await stack.forgetResources(({ type }) => types.includes(type));
  };
  /** What is imported is as if it had been made here; secrets that no service tells are the program's. */
  const settled = async (): Promise<void> => {
    await unchanged();
    await refreshed();
    const { changes, text } = await without("writes", () => stack.up(program));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
  };

  it("a resource of every class moves from dynamic resources to the plugin without a change or a request", async () => {
    await stack.up(program);
    ids = await idsWith("dynamic");
    assert.equal(ids.size, members.length);
    await stack.useAdapter("plugin");
    const { changes, text } = await without("requests", () => stack.up(program));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
    await refreshed();
  });

  it("a resource of every class moves back without a request", moveBack);

  it("a resource of every class is imported with the option of the program", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program);
    await forget();
    const { changes, text } = await without("writes", () => stack.up(importing));
    assert.deepEqual(changes, { import: readable().length }, text);
    await unchanged(importing);
    await settled();
  });

  it("a resource of every class is imported with `pulumi import`", async () => {
    await forget();
    const file = join(stack.directory, "import.json");
    const providers = (await stack.resources()).filter(({ type }) => type.startsWith("pulumi:providers:"));
    const resources = readable().map((member) => ({
      type: `trivium:${member.resourceCase.type}`,
      name: member.name,
      id: idOf(member),
      ...(member.provider === undefined ? {} : { provider: member.provider }),
    }));
    const nameTable = Object.fromEntries(providers.map(({ urn }) => [nameIn(urn), urn]));
    writeFileSync(file, JSON.stringify({ nameTable, resources }));
    const options = ["--yes", "--skip-preview", "--protect=false", "--generate-code=false"];
    await without("writes", () => stack.command("import", "--file", file, "--stack", "test", ...options));
    assert.deepEqual(await idsWith("plugin"), ids);
    await settled();
  });

  it("a resource of every class moves to dynamic resources once it is imported, without a request", moveBack);

  it("a resource of every class is deleted in the end, and none of its secrets was ever shown in plain text", async () => {
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
    const shown = stack.output + (await stack.state());
    for (const canary of members.flatMap(({ resourceCase }) => resourceCase.canaries)) {
      assert.ok(!shown.includes(canary), `${canary} was shown`);
    }
  });
});
