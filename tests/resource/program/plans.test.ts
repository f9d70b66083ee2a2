import assert from "node:assert/strict";
import * as library from "../../../sdk/index";
import { equivalent } from "../../../sdk/resource/fields/field";
import { type AnyResourceDefinition, collectDefinitions } from "../../../sdk/resource/definition";
import type { Lifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import { containsUnknown } from "../../../sdk/resource/state/protocol";
import { placedCases } from "../../cases";
import { allDialects, changesTo, type Dialect, given, type Values } from "../../cases/support/case";
import { inClear } from "../../support/values";
import { emulatedWorld } from "../../engine/support/worlds";
import { lifecycleOn } from "../../support/managed";
import type { Properties } from "../../support/provider-process";

const definitions = collectDefinitions(library);

/** The outputs that some plan leaves open: what the service may change by itself, or may tell in two ways. */
const open: Readonly<Record<string, readonly string[]>> = {
  "provisioning:ProjectWorkspaces": ["organization"],
  "secrets/directory:Config": ["passwordPolicy"],
  "provisioning:NotificationConfiguration": ["deliveryResponses", "updatedAt"],
  "secrets/directory:RootRotation": ["rotatedAt"],
  "secrets/directory:StaticRole": ["lastRotation"],
  "secrets/directory:StaticRoleRotation": ["rotatedAt"],
  "secrets/identity:EntityAlias": ["lastUpdateTime", "local", "mountPath", "mountType"],
};

/** A resource that the engine manages through the plugin, which gets the inputs in state with each call. */
class Planned {
  id = "";
  inputs: Properties = {};
  outputs: Properties = {};
  /** The outputs that some plan did not know. */
  readonly unknown = new Set<string>();

  constructor(
    private readonly definition: AnyResourceDefinition,
    private readonly lifecycle: () => Lifecycle,
  ) {}

  async create(args: Values): Promise<void> {
    const inputs = await this.checked({}, args);
    const plan = inClear(await this.lifecycle().preview(inputs));
    const { id, outs } = await this.lifecycle().create(inputs);
    Object.assign(this, { id, inputs, outputs: inClear(outs) });
    this.compare("a creation", plan);
  }

  async update(what: string, args: Values): Promise<void> {
    const former = this.inputs;
    const inputs = await this.checked(former, args);
    const plan = inClear(await this.lifecycle().preview(inputs, this.outputs, { former }));
    const { outs } = await this.lifecycle().update(this.id, this.outputs, inputs, { former });
    Object.assign(this, { inputs, outputs: inClear(outs) });
    this.compare(what, plan).forEach((name) => this.unknown.add(name));
  }

  private compare(what: string, plan: Properties): readonly string[] {
    const entries = Object.entries(plan).filter(([name]) => !name.startsWith("__"));
    const [unknown, known] = [true, false].map((is) =>
      entries.filter(([, value]) => containsUnknown(value) === is),
    );
    for (const [name, value] of known ?? []) {
      const response = this.outputs[name] ?? null;
      const argument = this.definition.arguments[name] ?? {};
      assert.ok(
        equivalent(argument, response, value as never),
        `${name} after ${what} is ${JSON.stringify(response)}; the plan said ${JSON.stringify(value)}`,
      );
    }
    return (unknown ?? []).map(([name]) => name);
  }

  private async checked(olds: Properties, news: Values): Promise<Properties> {
    const { inputs, failures } = await this.lifecycle().check(olds, given(news) as Properties);
    assert.deepEqual(failures, []);
    return inClear(inputs);
  }
}

describe("what a plan knows of the outputs is what the service then returns", function () {
  this.timeout(60_000);

  const inDialect = (dialect: Dialect): Readonly<Record<string, string>> =>
    Object.fromEntries(
      ["provisioning", "secrets", "scheduler"].map((service) => [`trivium:${service}Dialect`, dialect]),
    );

  for (const { resourceCase } of placedCases) {
    for (const dialect of allDialects) {
      it(`of ${resourceCase.type} in the ${dialect} dialect`, async () => {
        const definition = definitions.get(resourceCase.type) ?? assert.fail("there is no such class");
        const around = await resourceCase.prepare(await emulatedWorld(dialect));
        try {
          const emulator = around.emulator ?? assert.fail("the world is emulated");
          const resource = new Planned(definition, () =>
            lifecycleOn(emulator, definition, inDialect(dialect)),
          );
          let args = resourceCase.valid(around);
          await resource.create(args);
          for (const change of resourceCase.changes.filter(({ replaces }) => replaces !== true)) {
            args = { ...args, ...changesTo(change, around) };
            await resource.update(`a change of ${change.argument}`, args);
          }
          for (const name of resourceCase.cleared) {
            args = { ...args, [name]: undefined };
            await resource.update(`the removal of ${name}`, args);
          }
          const cleared = new Set<string>(resourceCase.cleared);
          assert.deepEqual(
            [...resource.unknown].filter((name) => !cleared.has(name)).sort(),
            open[resourceCase.type] ?? [],
          );
        } finally {
          await around.close();
        }
      });
    }
  }
});
