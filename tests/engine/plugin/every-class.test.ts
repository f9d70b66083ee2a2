import assert from "node:assert/strict";
import { stepByStep } from "../../support/step-by-step";
import { typeWith } from "../support/adapter";
import { type ImportedObject, type Outcome, type Program, TestStack } from "../support/stack";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { placedCases } from "../../cases";
import { allDialects, type Dialect } from "../../cases/support/case";
import { emulatedTokens, worldOn } from "../../cases/support/emulated-world";
import { startReceiver } from "../support/receiver";
import { Subject } from "../support/subject";
import { type Configuration, configurationOf, connectionTo } from "../support/configuration";

const services = ["provisioning", "secrets", "scheduler"] as const;
const providerName = "hashicorp";

/** A resource of every class in every dialect, side by side in one stack: an emulator plays the services of a dialect. */
class Crowd {
  private constructor(
    private readonly emulators: ReadonlyMap<Dialect, Emulator>,
    readonly members: readonly Subject[],
    private readonly closing: readonly (() => Promise<void>)[],
  ) {}

  static async prepare(): Promise<Crowd> {
    const receiver = await startReceiver();
    const emulators = new Map<Dialect, Emulator>();
    const members: Subject[] = [];
    for (const dialect of allDialects) {
      const emulator = await startEmulator({ dialect, tokens: emulatedTokens });
      emulators.set(dialect, emulator);
      for (const [index, { resourceCase }] of placedCases.entries()) {
        const mark = `m${index + 1}q`;
        const member = await Subject.prepare(worldOn(emulator, { dialect, mark, receiver }), resourceCase);
        member.name = `${dialect}-${resourceCase.type.replace(/[/:]/g, "-")}`;
        members.push(member);
      }
    }
    const closing = [...emulators.values()].map((emulator) => () => emulator.close());
    return new Crowd(emulators, members, [...closing, receiver.close]);
  }

  /** Those that can be read by their ids alone. */
  get readable(): readonly Subject[] {
    return this.members.filter(({ resourceClass }) => resourceClass.get !== undefined);
  }

  /** The stack's configuration: the services of the documented dialect. The others have a provider. */
  get configuration(): Configuration {
    return Object.assign(
      {},
      ...services.map((service) => configurationOf(connectionTo(this.emulator("documented"), service))),
    ) as Configuration;
  }

  /** The program that declares them all. */
  program(imports: ReadonlyMap<string, string> = new Map()): Program {
    return () => {
      const emulator = this.emulator("hashicorp");
      const connections = services.map((service) => {
        const { address, token } = emulator[service];
        return [service, { address, token, dialect: "hashicorp" }];
      });
      const provider = new trivium.Provider(
        providerName,
        Object.fromEntries(connections) as trivium.ProviderArgs,
      );
      for (const member of this.members) {
        const id = imports.get(member.name);
        member.declare(member.args, {
          ...(member.dialect === "hashicorp" ? { provider } : {}),
          ...(id === undefined ? {} : { import: id }),
        });
      }
    };
  }

  /** What `pulumi import` is told of those that can be imported. */
  importing(ids: ReadonlyMap<string, string>): readonly ImportedObject[] {
    return this.readable.map(({ resourceCase, dialect, name }) => ({
      type: `trivium:${resourceCase.type}`,
      name,
      id: ids.get(name) ?? assert.fail(name),
      ...(dialect === "hashicorp" ? { provider: providerName } : {}),
    }));
  }

  /** What the services are asked by an operation, or only what changes something in them. */
  async requestsOf({ writes = false }, operation: () => Promise<unknown>): Promise<readonly string[]> {
    const emulators = [...this.emulators.values()];
    const before = emulators.map(({ journal }) => journal.count());
    await operation();
    return emulators
      .flatMap(({ journal }, index) => journal.requests().slice(before[index]))
      .filter(({ method }) => !writes || method !== "GET")
      .map(({ method, target }) => `${method} ${target}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.closing.map((close) => close()));
  }

  private emulator(dialect: Dialect): Emulator {
    return this.emulators.get(dialect) ?? assert.fail(dialect);
  }
}

/** One stack with a resource of every class in every dialect: each operation of the CLI proves something of all. */
describe("a resource of every class, imported and moved with the plugin", function () {
  this.timeout(240_000);
  stepByStep();

  let crowd: Crowd;
  let stack: TestStack;
  /** Of all objects, by the names of their resources. */
  let ids: ReadonlyMap<string, string>;

  before(async () => {
    crowd = await Crowd.prepare();
    stack = await TestStack.create("plugin-every-class", crowd.configuration);
  });
  after(async () => {
    stack.remove();
    await crowd.close();
  });

  const typesWith = (adapter: "dynamic" | "plugin", members = crowd.members): ReadonlySet<string> =>
    new Set(
      members.map(({ resourceCase: { type } }) => typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${type}`)),
    );
  /** The ids in state, where it has nothing of the library but resources of one adapter. */
  const idsWith = async (adapter: "dynamic" | "plugin"): Promise<ReadonlyMap<string, string>> => {
    const entries = (await stack.resources()).filter(({ type }) => /(?:^|\/)trivium[:/]/.test(type));
    assert.deepEqual(new Set(entries.map(({ type }) => type)), typesWith(adapter));
    return new Map(entries.map(({ urn, id }) => [urn.slice(urn.lastIndexOf("::") + 2), id ?? ""]));
  };
  /** What an operation does, which makes no request, or none that changes something. */
  const without = async (
    what: { readonly writes: boolean },
    operation: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    let outcome: Outcome | undefined;
    const requests = await crowd.requestsOf(what, async () => (outcome = await operation()));
    assert.deepEqual(requests, []);
    return outcome ?? assert.fail();
  };
  const unchanged = async (program = crowd.program()): Promise<void> => {
    await without({ writes: false }, () => stack.previewWithoutChanges(program));
  };
  const refreshed = async (): Promise<void> => {
    const { changes, text } = await without({ writes: true }, () => stack.refresh());
    assert.deepEqual(changes, {}, text);
    await unchanged();
  };
  /** Back to dynamic resources: their provider's text comes into state, and nothing else is done. */
  const backToDynamic = async (): Promise<void> => {
    await stack.useAdapter("dynamic");
    const { steps } = await without({ writes: false }, () => stack.up(crowd.program()));
    const done = crowd.members.map(({ name }) => [name, steps.get(name)?.map(({ operation }) => operation)]);
    assert.deepEqual(
      done,
      crowd.members.map(({ name }) => [name, ["update"]]),
    );
    assert.deepEqual(await idsWith("dynamic"), ids);
    await unchanged();
    await refreshed();
  };
  /** Has the engine forget the objects that can be imported. */
  const forget = async (): Promise<void> => {
    const types = typesWith("plugin", crowd.readable);
    await stack.forgetResources(({ type }) => types.has(type));
  };
  /** What is imported is as if it had been made here; secrets that no service tells are the program's. */
  const settled = async (): Promise<void> => {
    await unchanged();
    await refreshed();
    const { changes, text } = await without({ writes: true }, () => stack.up(crowd.program()));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
  };

  it("moves from dynamic resources to the plugin without a change or a request", async () => {
    await stack.up(crowd.program());
    ids = await idsWith("dynamic");
    assert.equal(ids.size, crowd.members.length);
    await stack.useAdapter("plugin");
    const { changes, text } = await without({ writes: false }, () => stack.up(crowd.program()));
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await idsWith("plugin"), ids);
    await unchanged();
    await refreshed();
  });

  it("moves back without a request", backToDynamic);

  it("is imported with the option of the program", async () => {
    await stack.useAdapter("plugin");
    await stack.up(crowd.program());
    await forget();
    const imports = new Map(crowd.readable.map(({ name }) => [name, ids.get(name) ?? ""]));
    const { changes, text } = await without({ writes: true }, () => stack.up(crowd.program(imports)));
    assert.deepEqual(changes, { import: crowd.readable.length }, text);
    await unchanged(crowd.program(imports));
    await settled();
  });

  it("is imported with `pulumi import`", async () => {
    await forget();
    await without({ writes: true }, () => stack.import(crowd.importing(ids)));
    assert.deepEqual(await idsWith("plugin"), ids);
    await settled();
  });

  it("moves to dynamic resources once it is imported, without a request", backToDynamic);

  it("is deleted in the end, and none of its secrets was ever shown in clear", async () => {
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
    const shown = stack.output + (await stack.state());
    for (const canary of crowd.members.flatMap(({ resourceCase }) => resourceCase.canaries)) {
      assert.ok(!shown.includes(canary), `${canary} was shown`);
    }
  });
});
