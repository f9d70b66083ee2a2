import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { collectClasses } from "../../../sdk/resource/registry";
import { resourceCases } from "../../cases";
import { batchesOf, together } from "../../cases/support/arguments";
import { allDialects, type Dialect, type ResourceCase, type Values } from "../../cases/support/case";
import type { World, WorldSurroundings } from "../../cases/support/world";
import type { Adapter } from "./adapter";
import { TestStack } from "./stack";
import type { ResourceClass } from "./subject";
import { type Configuration, configurationOf } from "./surroundings";
import { emulatedWorld } from "./worlds";

/** A class, and the resources that examples and guides make of its outputs. */
export interface Family {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  /** What else has to exist. */
  readonly prepare?: (world: World) => Promise<Readonly<Record<string, string>>>;
  /** What the parent has beside, or in place of, the arguments of its case. */
  readonly args?: (prepared: Readonly<Record<string, string>>) => Values;
  /** The changes of these arguments of its case are left out. */
  readonly without?: readonly string[];
  /** Arguments whose change makes a child follow. */
  readonly follows?: readonly string[];
  /** Makes the children of a parent. */
  readonly children: (parent: Parent) => void;
}

/** The outputs of a parent that children take. */
export interface Outputs extends Readonly<
  Record<"canonicalId" | "mount" | "name" | "roleName" | "algorithm", pulumi.Output<string>>
> {
  readonly id: pulumi.Output<string>;
  readonly digits: pulumi.Output<number>;
  readonly period: pulumi.Output<number>;
}

/** A parent in a program. */
export interface Parent {
  readonly outputs: Outputs;
  readonly prepared: Readonly<Record<string, string>>;
  /** Names a child. */
  readonly name: (name: string) => string;
  readonly options: pulumi.CustomResourceOptions;
}

const classes = collectClasses(trivium) as unknown as ReadonlyMap<string, ResourceClass>;

/** A family in one dialect: the documented one with stack configuration, the other with a provider of its own. */
class Household {
  private constructor(
    private readonly family: Family,
    private readonly dialect: Dialect,
    readonly around: WorldSurroundings,
    private readonly prepared: Readonly<Record<string, string>>,
  ) {}

  static async prepare(family: Family, resourceCase: ResourceCase, dialect: Dialect): Promise<Household> {
    const around = await resourceCase.prepare(await emulatedWorld(dialect));
    return new Household(family, dialect, around, (await family.prepare?.(around.world)) ?? {});
  }

  get configuration(): Configuration {
    return this.dialect === "documented" ? configurationOf(this.around.connection) : {};
  }

  get parent(): string {
    return `${this.dialect}-parent`;
  }

  args(resourceCase: ResourceCase): Values {
    return { ...resourceCase.valid(this.around), ...this.family.args?.(this.prepared) };
  }

  /** Declares parent and children in the program that is running. */
  declare(args: Values): void {
    const { family, dialect, prepared } = this;
    const options = dialect === "documented" ? {} : { provider: this.provider() };
    const parentClass = classes.get(family.type) ?? assert.fail(`there is no ${family.type}`);
    const outputs = new parentClass(this.parent, args, options) as unknown as Parent["outputs"];
    family.children({ outputs, prepared, options, name: (name) => `${dialect}-${name}` });
  }

  private provider(): trivium.Provider {
    const connection = Object.entries(this.around.connection).map(([service, settings]) => [
      service,
      { ...(settings as object), dialect: this.dialect },
    ]);
    return new trivium.Provider(this.dialect, Object.fromEntries(connection) as trivium.ProviderArgs);
  }
}

/** Shows with the real CLI that a plan changes no child of a family unless something follows. */
export function describeFamily(family: Family, adapter: Adapter): void {
  describe(`the children of ${family.type}${adapter === "plugin" ? ", with the plugin" : ""}`, function () {
    this.timeout(300_000);

    const resourceCase = resourceCases.get(family.type) ?? assert.fail(`there is no case of ${family.type}`);
    const households: Household[] = [];
    let stack: TestStack;
    const program = (change: (household: Household) => Values) => () => {
      households.forEach((each) => each.declare({ ...each.args(resourceCase), ...change(each) }));
      return Promise.resolve(undefined);
    };

    before(async () => {
      for (const dialect of allDialects) {
        households.push(await Household.prepare(family, resourceCase, dialect));
      }
      const configuration = households.reduce<Configuration>(
        (all, each) => ({ ...all, ...each.configuration }),
        {},
      );
      const name = `plans-${family.type.toLowerCase().replace(/[/:]/g, "-")}`;
      stack = await TestStack.create(name, configuration, {}, adapter);
      await stack.up(program(() => ({})));
    });
    after(async () => {
      stack.remove();
      await Promise.all(households.map(({ around }) => around.close()));
    });

    const { without = [], follows = [] } = family;
    const changes = resourceCase.changes.filter(({ argument }) => !without.includes(argument));
    const batches = batchesOf({ ...resourceCase, changes }, (argument) => follows.includes(argument));
    for (const batch of batches.filter(([first]) => first?.replaces !== true)) {
      const names = batch.map(({ argument }) => argument);
      const isFollowed = names.some((name) => follows.includes(name));
      it(`${isFollowed ? "follow" : "stay as they are after"} a change of ${names.join(", ")}`, async () => {
        const { steps, changes, text } = await stack.preview(
          program(({ around }) => together(batch, around)),
        );
        for (const { parent } of households) {
          assert.equal(steps.get(parent)?.[0]?.operation, "update", text);
        }
        const stay = { update: households.length };
        if (isFollowed) {
          assert.notDeepEqual(changes, stay, text);
        } else {
          assert.deepEqual(changes, stay, text);
        }
      });
    }
  });
}
