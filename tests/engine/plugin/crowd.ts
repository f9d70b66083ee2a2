import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { collectClasses } from "../../../sdk/resource/registry";
import { placedCases } from "../../cases";
import { allDialects, type Dialect, type ResourceCase, type Values } from "../../cases/support/case";
import { emulatedTokens, worldOn } from "../../cases/support/emulated-world";
import { startReceiver } from "../support/receiver";
import type { ImportedObject, Program } from "../support/stack";
import type { ResourceClass } from "../support/subject";
import { type Configuration, configurationOf, connectionTo } from "../support/surroundings";

const services = ["provisioning", "secrets", "scheduler"] as const;
const providerName = "hashicorp";

/** A resource of one class in one dialect. */
interface Member {
  readonly resourceCase: ResourceCase;
  readonly resourceClass: ResourceClass;
  readonly dialect: Dialect;
  readonly name: string;
  readonly args: Values;
}

/** A resource of every class in every dialect, side by side in one stack: an emulator plays the services of a dialect. */
export class Crowd {
  private constructor(
    private readonly emulators: ReadonlyMap<Dialect, Emulator>,
    readonly members: readonly Member[],
    private readonly closing: readonly (() => Promise<void>)[],
  ) {}

  static async prepare(): Promise<Crowd> {
    const receiver = await startReceiver();
    const emulators = new Map<Dialect, Emulator>();
    const members: Member[] = [];
    const classes = collectClasses(trivium) as unknown as ReadonlyMap<string, ResourceClass>;
    for (const dialect of allDialects) {
      const emulator = await startEmulator({ dialect, tokens: emulatedTokens });
      emulators.set(dialect, emulator);
      for (const [index, { resourceCase }] of placedCases.entries()) {
        const mark = `m${index + 1}q`;
        const surroundings = await resourceCase.prepare(worldOn(emulator, { dialect, mark, receiver }));
        members.push({
          resourceCase,
          resourceClass: classes.get(resourceCase.type) ?? assert.fail(resourceCase.type),
          dialect,
          name: `${dialect}-${resourceCase.type.replace(/[/:]/g, "-")}`,
          args: resourceCase.valid(surroundings),
        });
      }
    }
    const closing = [...emulators.values()].map((emulator) => () => emulator.close());
    return new Crowd(emulators, members, [...closing, receiver.close]);
  }

  /** Those that can be read by their ids alone. */
  get readable(): readonly Member[] {
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
      for (const { resourceClass, dialect, name, args } of this.members) {
        const id = imports.get(name);
        new resourceClass(name, args, {
          ...(dialect === "hashicorp" ? { provider } : {}),
          ...(id === undefined ? {} : { import: id }),
        });
      }
      return Promise.resolve(undefined);
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
