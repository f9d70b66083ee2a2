import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { type AnyResourceDefinition, collectClasses } from "../../../sdk/resource/definition";
import type { Emulator } from "pulumi-trivium/testing";
import { casesIn } from "../../cases";
import { allDialects, caseIn, type Dialect, type ResourceCase, type Values } from "../../cases/support/case";
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

const classes = collectClasses(trivium) as unknown as ReadonlyMap<string, ResourceClass>;

export function classOf({ type }: Pick<ResourceCase, "type">): ResourceClass {
  return classes.get(type) ?? assert.fail(`there is no ${type}`);
}

/** Milliseconds that a real server may need to complete a request after its response. */
const longestDelay = 15_000;

/** The providers of one run of a program: each is declared when the first resource needs it. */
export class Providers {
  private readonly declared = new Map<string, trivium.Provider>();

  /** @param resources of one dialect use the same services */
  constructor(private readonly resources: readonly TestedResource[]) {}

  named(name: string, dialect: Dialect): trivium.Provider {
    const known = this.declared.get(name);
    if (known !== undefined) {
      return known;
    }
    const connections = this.resources
      .filter((tested) => tested.dialect === dialect)
      .flatMap(({ context }) => Object.entries(context.connection))
      .map(([service, settings]) => [service, { ...(settings as object), dialect }] as const);
    const provider = new trivium.Provider(name, Object.fromEntries(connections));
    this.declared.set(name, provider);
    return provider;
  }
}

/** A case's resource in one dialect. All dialects share a stack, so that one operation of the CLI tests each. */
export class TestedResource {
  readonly resourceClass: ResourceClass;
  args: Values;
  name: string;
  abandoned = 0;
  /** Ids of all objects that the stack has ever had. */
  private readonly met = new Set<string>();
  /** The name of its provider; `undefined` when stack configuration is used. */
  private provider: string | undefined;
  private renames = 0;
  private moves = 0;

  private constructor(
    readonly dialect: Dialect,
    readonly context: CaseContext,
    readonly resourceCase: ResourceCase,
    private readonly firstName: string,
  ) {
    this.resourceClass = classOf(resourceCase);
    this.args = resourceCase.valid(context);
    this.name = firstName;
    this.provider = this.configured ? undefined : `${dialect}-provider`;
  }

  /** @param name of the resource, and the beginning of its later names */
  static async prepare(
    services: TestServices,
    resourceCase: ResourceCase,
    name: string = services.dialect,
  ): Promise<TestedResource> {
    try {
      return new TestedResource(services.dialect, await resourceCase.prepare(services), resourceCase, name);
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  /** A resource of every class in every dialect, whose services are shared. */
  static async prepareAll(
    emulators: Readonly<Record<Dialect, Emulator>>,
    receiver: Receiver,
  ): Promise<readonly TestedResource[]> {
    const all: TestedResource[] = [];
    for (const dialect of allDialects) {
      for (const [index, resourceCase] of [...casesIn(dialect).values()].entries()) {
        const mark = `mark${index + 1}q`;
        const services = emulatedServices(emulators[dialect], { dialect, mark, receiver });
        const name = `${dialect}-${resourceCase.type.replace(/[/:]/g, "-")}`;
        all.push(await TestedResource.prepare(services, caseIn(dialect, resourceCase), name));
      }
    }
    return all;
  }

  get nameRead(): string {
    return `${this.firstName}-read`;
  }

  /** Empty for a dialect with its own provider. */
  get configuration(): Configuration {
    return this.configured ? configurationOf(this.context.connection) : {};
  }

  rename(): void {
    this.name = `${this.firstName}-${++this.renames}`;
  }

  /** The new provider reaches the same service from another process. */
  move(): void {
    this.provider = `${this.dialect}-provider-${++this.moves}`;
  }

  /** @returns what declares it as it is now, also when it has other arguments, names or providers later */
  declaration(
    args: Values = this.args,
    more: pulumi.CustomResourceOptions = {},
  ): (providers: Providers) => pulumi.CustomResource {
    const { name, provider } = this;
    return (providers) =>
      new this.resourceClass(name, args, { ...this.optionsWith(provider, providers), ...more });
  }

  declareRead(
    read: NonNullable<ResourceClass["get"]>,
    id: string,
    providers: Providers,
  ): { readonly managed: pulumi.CustomResource; readonly read: pulumi.CustomResource } {
    const managed = this.declaration()(providers);
    return { managed, read: read(this.nameRead, id, this.options(providers)) };
  }

  meet(id: string | undefined): void {
    if (id !== undefined) {
      this.met.add(id);
    }
  }

  /** Ignores abandoned objects, and checks nothing where the service does not show its objects. */
  async assertPresent(count: number): Promise<void> {
    const { objects } = this.context;
    if (objects !== undefined) {
      assert.equal(objects().length - this.abandoned, count, JSON.stringify(objects()));
      return;
    }
    // A real server may revoke what it issued a moment after its response.
    const deadline = Date.now() + longestDelay;
    let found = await this.countMet();
    while (found !== undefined && found !== count && Date.now() < deadline) {
      await sleep(250);
      found = await this.countMet();
    }
    assert.equal(found ?? count, count, `of ${[...this.met].join(", ")}`);
  }

  /** Empty for a real server. */
  objectFields(): ReadonlyMap<string, string> {
    const objects = this.context.objects?.() ?? [];
    return new Map(
      objects.flatMap((object, index) =>
        Object.entries(object).map(([name, value]) => [`${index} ${name}`, JSON.stringify(value)] as const),
      ),
    );
  }

  /** Deletes the objects without the stack, for a stack that has failed. */
  async clearAway(): Promise<void> {
    for (const id of this.met) {
      try {
        await this.resourceCase.vanish?.(this.context, id);
      } catch {
        // It may be deleted already; objects that cannot be deleted are reported when the services close.
      }
    }
  }

  get tokens(): readonly string[] {
    return Object.values(this.context.connection).flatMap((settings) => {
      const { token } = settings as { readonly token?: unknown };
      return typeof token === "string" ? [token] : [];
    });
  }

  /** `undefined` where the service does not show its objects. */
  private async countMet(): Promise<number | undefined> {
    const found = await this.resourceCase.live.count?.(this.context, [...this.met]);
    return found === undefined ? undefined : found - this.abandoned;
  }

  private get configured(): boolean {
    return this.dialect === "documented";
  }

  options(providers: Providers): pulumi.CustomResourceOptions {
    return this.optionsWith(this.provider, providers);
  }

  private optionsWith(provider: string | undefined, providers: Providers): pulumi.CustomResourceOptions {
    return provider === undefined ? {} : { provider: providers.named(provider, this.dialect) };
  }
}

/** Of a stack with all of them. */
export function configurationFrom(resources: readonly TestedResource[]): Configuration {
  return Object.assign({}, ...resources.map(({ configuration }) => configuration)) as Configuration;
}

/** Names the dialect in failures. */
export async function each(
  resources: readonly TestedResource[],
  check: (tested: TestedResource) => unknown,
): Promise<void> {
  for (const tested of resources) {
    try {
      await check(tested);
    } catch (error) {
      if (error instanceof assert.AssertionError) {
        const { message } = error;
        error.message = `in the ${tested.dialect} dialect: ${message}`;
        // Mocha shows the stack, not the message.
        error.stack = error.stack?.replace(message, () => error.message);
      }
      throw error;
    }
  }
}
