import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { type AnyResourceDefinition, collectClasses } from "../../../sdk/resource/definition";
import { casesIn } from "../../cases";
import { caseIn, type Dialect, type ResourceCase, type Values } from "../../cases/support/case";
import { emulatedServices } from "../../cases/support/emulated-services";
import type { CaseContext, TestServices } from "../../cases/support/test-services";
import { type Configuration, configurationOf } from "./configuration";
import type { Receiver } from "./receiver";

export interface ResourceClass {
  readonly definition: AnyResourceDefinition;
  new (name: string, args: Values, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  /** Absent where the service cannot return the object. */
  get?(name: string, id: pulumi.Input<string>, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
}

export const classes = collectClasses(trivium) as unknown as ReadonlyMap<string, ResourceClass>;

/** Milliseconds that a real server might need to complete a request after its response. */
const longestDelay = 15_000;

/** A case's resource in one dialect. All dialects share a stack, so that one operation of the CLI tests each. */
export class TestedResource {
  readonly resourceClass: ResourceClass;
  args: Values;
  /** Objects that a destruction or a replacement has left behind. */
  abandoned = 0;
  /** The name of its provider; `undefined` when stack configuration is used. */
  provider: string | undefined;
  /** Ids of all objects that the stack has ever had. */
  private readonly met = new Set<string>();

  private constructor(
    readonly dialect: Dialect,
    readonly context: CaseContext,
    readonly resourceCase: ResourceCase,
    public name: string,
  ) {
    this.resourceClass = classes.get(resourceCase.type) ?? assert.fail(`there is no ${resourceCase.type}`);
    this.args = resourceCase.valid(context);
    this.provider = dialect === "documented" ? undefined : `${dialect}-provider`;
  }

  static async prepare(
    services: TestServices,
    resourceCase: ResourceCase,
    name: string,
  ): Promise<TestedResource> {
    try {
      return new TestedResource(services.dialect, await resourceCase.prepare(services), resourceCase, name);
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  /** A resource of each of these cases, which share the services. Default: every class of the dialect. */
  static async prepareAll(
    emulator: Emulator,
    dialect: Dialect,
    receiver?: Receiver,
    cases: readonly ResourceCase[] = [...casesIn(dialect).values()],
  ): Promise<readonly TestedResource[]> {
    const all: TestedResource[] = [];
    const marks = cases.map((_case, index) => `mark${index + 1}q`);
    for (const [index, resourceCase] of cases.entries()) {
      const own = { mark: marks[index] ?? "", others: marks.toSpliced(index, 1) };
      const options = { dialect, ...own, ...(receiver && { receiver }) };
      const services = emulatedServices(emulator, options);
      const name = `${dialect}-${resourceCase.type.replace(/[/:]/g, "-")}`;
      all.push(await TestedResource.prepare(services, caseIn(dialect, resourceCase), name));
    }
    return all;
  }

  get configuration(): Configuration {
    return this.provider === undefined ? configurationOf(this.context.connection) : {};
  }

  declare(
    options: pulumi.CustomResourceOptions | ((tested: TestedResource) => pulumi.CustomResourceOptions),
    args = this.args,
  ): pulumi.CustomResource {
    const { name, resourceClass } = this;
    return new resourceClass(name, args, typeof options === "function" ? options(this) : options);
  }

  meet(id: string): void {
    this.met.add(id);
  }

  /** Ignores abandoned objects, and checks nothing where the service does not show its objects. */
  async assertPresent(expected: number): Promise<void> {
    const { context, name, resourceCase } = this;
    const count = async () =>
      context.objects?.().length ?? (await resourceCase.live.count?.(context, [...this.met]));
    // A real server might only revoke what it issued a moment after its response.
    const deadline = Date.now() + (context.objects === undefined ? longestDelay : 0);
    let found = await count();
    while (found !== undefined && found - this.abandoned !== expected && Date.now() < deadline) {
      await sleep(250);
      found = await count();
    }
    const shown = `${name}: ${JSON.stringify(context.objects?.() ?? [...this.met])}`;
    assert.equal((found ?? expected + this.abandoned) - this.abandoned, expected, shown);
  }

  /** Deletes the objects without the stack, for a stack that has failed. */
  async clearAway(): Promise<void> {
    for (const id of this.met) {
      // It might already be deleted; objects that cannot be deleted are reported when the services close.
      await Promise.resolve(this.resourceCase.deleteByHand?.(this.context, id)).catch(() => undefined);
    }
  }
}

/**
 * For one run of a program: declares each provider when the first resource needs it. The providers of one dialect reach
 * the same services.
 */
export function optionsIn(resources: readonly TestedResource[]) {
  const declared = new Map<string, trivium.Provider>();
  return ({ provider: name, dialect }: TestedResource): { provider?: trivium.Provider } => {
    if (name === undefined) {
      return {};
    }
    const connections = resources
      .filter((each) => each.dialect === dialect)
      .flatMap(({ context }) => Object.entries(context.connection))
      .map(([service, settings]) => [service, { ...(settings as object), dialect }]);
    const settings = Object.fromEntries(connections) as trivium.ProviderArgs;
    const provider = declared.get(name) ?? new trivium.Provider(name, settings);
    declared.set(name, provider);
    return { provider };
  };
}
