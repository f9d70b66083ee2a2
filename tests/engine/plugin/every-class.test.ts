import assert from "node:assert/strict";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { typeWith } from "../support/adapter";
import { nameIn } from "../support/outcome";
import { type Outcome, type Program, useSharedStack } from "../support/shared-stack";
import { emulatedTokens as tokens } from "../../cases/support/emulated-services";
import { services } from "../../support/proxy";
import { configurationFor } from "../support/projects";
import { useReceiver } from "../support/receiver";
import { Providers, TestedResource } from "../support/tested-resource";

const providerName = "hashicorp-provider";

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

  before(async () => void members.push(...(await TestedResource.prepareAll(emulators, receiver))));

  /** Those that can be read by their ids alone. */
  const readable = (): readonly TestedResource[] =>
    members.filter(({ resourceClass }) => resourceClass.get !== undefined);
  /** Declares them all. */
  const program =
    (imports: ReadonlyMap<string, string> = new Map()): Program =>
    () => {
      const providers = new Providers(members);
      for (const member of members) {
        const id = imports.get(member.name);
        member.declaration(member.args, id === undefined ? {} : { import: id })(providers);
      }
    };
  const typesWith = (adapter: "dynamic" | "plugin", resources: readonly TestedResource[] = members) =>
    new Set(
      resources.map(({ resourceCase: { type } }) =>
        typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${type}`),
      ),
    );
  /** The ids in state, where it has nothing of the library but resources of one adapter. */
  const idsWith = async (adapter: "dynamic" | "plugin"): Promise<ReadonlyMap<string, string>> => {
    const entries = (await stack.resources()).filter(({ type }) => /(?:^|\/)trivium[:/]/.test(type));
    assert.deepEqual(new Set(entries.map(({ type }) => type)), typesWith(adapter));
    return new Map(entries.map(({ urn, id }) => [nameIn(urn), id ?? ""]));
  };
  /** What an operation does, which makes no request, or none that changes something. */
  const without = async (
    { writes }: { readonly writes: boolean },
    operation: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const journals = Object.values(emulators).map(({ journal }) => journal);
    const before = journals.map((journal) => journal.count());
    const outcome = await operation();
    const requests = journals
      .flatMap((journal, index) => journal.requests().slice(before[index]))
      // The secrets service reads a lease with POST.
      .filter(({ method, target }) => !writes || (method !== "GET" && target !== "/v1/sys/leases/lookup"));
    assert.deepEqual(
      requests.map(({ method, target }) => `${method} ${target}`),
      [],
    );
    return outcome;
  };
  const unchanged = async (wanted = program()): Promise<void> => {
    await without({ writes: false }, () => stack.previewWithoutChanges(wanted));
  };
  const refreshed = async (): Promise<void> => {
    const { changes, text } = await without({ writes: true }, () => stack.refresh());
    assert.deepEqual(changes, {}, text);
    await unchanged();
  };
  /** Back to dynamic resources: their provider's text comes into state, and nothing else is done. */
  const backToDynamic = async (): Promise<void> => {
    await stack.useAdapter("dynamic");
    const { steps } = await without({ writes: false }, () => stack.up(program()));
    const done = members.map(({ name }) => [name, steps.get(name)?.map(({ operation }) => operation)]);
    assert.deepEqual(
      done,
      members.map(({ name }) => [name, ["update"]]),
    );
    assert.deepEqual(await idsWith("dynamic"), ids);
    await unchanged();
    await refreshed();
  };
  /** Has the engine forget the objects that can be imported. */
  const forget = async (): Promise<void> => {
    const types = typesWith("plugin", readable());
    await stack.forgetResources(({ type }) => types.has(type));
  };
  /** What is imported is as if it had been made here; secrets that no service tells are the program's. */
  const settled = async (): Promise<void> => {
    await unchanged();
    await refreshed();
    const { changes, text } = await without({ writes: true }, () => stack.up(program()));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
  };

  it("a resource of every class moves from dynamic resources to the plugin without a change or a request", async () => {
    await stack.up(program());
    ids = await idsWith("dynamic");
    assert.equal(ids.size, members.length);
    await stack.useAdapter("plugin");
    const { changes, text } = await without({ writes: false }, () => stack.up(program()));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
    await refreshed();
  });

  it("a resource of every class moves back without a request", backToDynamic);

  it("a resource of every class is imported with the option of the program", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program());
    await forget();
    const imports = new Map(readable().map(({ name }) => [name, ids.get(name) ?? ""]));
    const { changes, text } = await without({ writes: true }, () => stack.up(program(imports)));
    assert.deepEqual(changes, { import: imports.size }, text);
    await unchanged(program(imports));
    await settled();
  });

  it("a resource of every class is imported with `pulumi import`", async () => {
    await forget();
    const objects = readable().map(({ resourceCase: { type }, dialect, name }) => ({
      type: `trivium:${type}`,
      name,
      id: ids.get(name) ?? assert.fail(name),
      ...(dialect === "hashicorp" ? { provider: providerName } : {}),
    }));
    await without({ writes: true }, () => stack.import(objects));
    assert.deepEqual(await idsWith("plugin"), ids);
    await settled();
  });

  it(
    "a resource of every class moves to dynamic resources once it is imported, without a request",
    backToDynamic,
  );

  it("a resource of every class is deleted in the end, and none of its secrets was ever shown in clear", async () => {
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
    const shown = stack.output + (await stack.state());
    for (const canary of members.flatMap(({ resourceCase }) => resourceCase.canaries)) {
      assert.ok(!shown.includes(canary), `${canary} was shown`);
    }
  });
});
