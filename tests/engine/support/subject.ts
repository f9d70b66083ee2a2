import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import type { Dialect, LifecycleCase, Surroundings, Values } from "../../cases/support/case";
import type { World } from "../../cases/support/world";
import { type Configuration, configurationOf } from "./surroundings";

/** A class of resources as programs use it. */
export interface ResourceClass {
  new (name: string, args: Values, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  /** Reads an object without managing it; none where the service cannot tell of one. */
  get?(name: string, id: pulumi.Input<string>, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
}

/** Milliseconds in which a real server has done what it has answered. */
const longestDelay = 15_000;

/** The resource of a case in one dialect. All dialects share the stack, so that one operation of the CLI proves each. */
export class Subject<Around extends Surroundings> {
  /** The arguments that the program has for it. */
  args: Values;
  /** The resource's name in the program. */
  name: string;
  /** How many objects the stack has left behind because it cannot delete them. */
  abandoned = 0;
  /** The ids of all objects that the stack has ever had. */
  private readonly met = new Set<string>();
  /** The name of its provider in the program; none where stack configuration says how to reach the service. */
  private provider: string | undefined;
  private renames = 0;
  private moves = 0;

  private constructor(
    readonly dialect: Dialect,
    readonly surroundings: Around,
    private readonly resourceClass: ResourceClass,
    private readonly lifecycle: LifecycleCase<Around>,
  ) {
    this.args = lifecycle.valid(surroundings);
    this.name = dialect;
    this.provider = this.configured ? undefined : `${dialect}-provider`;
  }

  static async prepare<Around extends Surroundings>(
    world: World,
    resourceClass: ResourceClass,
    lifecycle: LifecycleCase<Around>,
  ): Promise<Subject<Around>> {
    try {
      return new Subject(world.dialect, await lifecycle.prepare(world), resourceClass, lifecycle);
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** The name of the same object in the program when it is read only. */
  get nameRead(): string {
    return `${this.dialect}-read`;
  }

  /** How many resources a program declares for it. */
  get resources(): number {
    return this.configured ? 1 : 2;
  }

  /** What the stack has to be configured with; nothing for a dialect whose program has a provider of its own. */
  get configuration(): Configuration {
    return this.configured ? configurationOf(this.surroundings.connection) : {};
  }

  /** Gives the resource another name in the program. */
  rename(): void {
    this.name = `${this.dialect}-${++this.renames}`;
  }

  /** Gives the resource another provider, which reaches the same service and is a process of its own. */
  move(): void {
    this.provider = `${this.dialect}-provider-${++this.moves}`;
  }

  /** Declares the resource, and what it needs, in the program that is running. */
  declare(args: Values = this.args): pulumi.CustomResource {
    return new this.resourceClass(this.name, args, this.options());
  }

  /** Declares the resource, and the object read without being managed. */
  declareRead(
    read: NonNullable<ResourceClass["get"]>,
    id: string,
  ): { readonly managed: pulumi.CustomResource; readonly read: pulumi.CustomResource } {
    const options = this.options();
    return {
      managed: new this.resourceClass(this.name, this.args, options),
      read: read(this.nameRead, id, options),
    };
  }

  /** Notes that the stack has an object with this id. */
  meet(id: string | undefined): void {
    if (id !== undefined) {
      this.met.add(id);
    }
  }

  /** That there are so many objects beside those that were left behind, as far as the service shows it. */
  async assertPresent(count: number): Promise<void> {
    const { objects } = this.surroundings;
    if (objects !== undefined) {
      assert.equal(objects().length - this.abandoned, count, JSON.stringify(objects()));
      return;
    }
    // A real server may end what it has issued a moment after it has said so.
    const deadline = Date.now() + longestDelay;
    let found = await this.countMet();
    while (found !== undefined && found !== count && Date.now() < deadline) {
      await sleep(250);
      found = await this.countMet();
    }
    assert.equal(found ?? count, count, `of ${[...this.met].join(", ")}`);
  }

  /** The fields of the objects as the service holds them, as text; none where only its interface can be asked. */
  objectFields(): ReadonlyMap<string, string> {
    const objects = this.surroundings.objects?.() ?? [];
    return new Map(
      objects.flatMap((object, index) =>
        Object.entries(object).map(([name, value]) => [`${index} ${name}`, JSON.stringify(value)] as const),
      ),
    );
  }

  /** Deletes without the stack whatever it has made, for when the stack itself cannot. */
  async clearAway(): Promise<void> {
    for (const id of this.met) {
      try {
        await this.lifecycle.vanish?.(this.surroundings, id);
      } catch {
        // It may be gone already; what its surroundings cannot take away is named when they end.
      }
    }
  }

  /** The tokens that it is reached with. */
  get tokens(): readonly string[] {
    return Object.values(this.surroundings.connection).flatMap((settings) => {
      const { token } = settings as { readonly token?: unknown };
      return typeof token === "string" ? [token] : [];
    });
  }

  /** How many of the objects that the stack has had exist; `undefined` where the service does not show it. */
  private async countMet(): Promise<number | undefined> {
    const found = await this.lifecycle.live?.count?.(this.surroundings, [...this.met]);
    return found === undefined ? undefined : found - this.abandoned;
  }

  private get configured(): boolean {
    return this.dialect === "documented";
  }

  private options(): pulumi.CustomResourceOptions {
    if (this.provider === undefined) {
      return {};
    }
    const connection = Object.entries(this.surroundings.connection).map(([service, settings]) => [
      service,
      { ...(settings as object), dialect: this.dialect },
    ]);
    const args = Object.fromEntries(connection) as trivium.ProviderArgs;
    return { provider: new trivium.Provider(this.provider, args) };
  }
}

/** Checks something of each subject, and says of a failure which dialect it is about. */
export async function each<Around extends Surroundings>(
  subjects: readonly Subject<Around>[],
  check: (subject: Subject<Around>) => unknown,
): Promise<void> {
  for (const subject of subjects) {
    try {
      await check(subject);
    } catch (error) {
      if (error instanceof assert.AssertionError) {
        const { message } = error;
        error.message = `in the ${subject.dialect} dialect: ${message}`;
        // Mocha shows this.
        error.stack = error.stack?.replace(message, () => error.message);
      }
      throw error;
    }
  }
}
