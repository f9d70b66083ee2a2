import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { createLifecycle, type Lifecycle } from "../../sdk/resource/lifecycle/lifecycle";
import type { Emulator } from "../../sdk/testing";
import { inClear } from "./values";
import type { Properties } from "./provider-process";

export type Step = "created" | "updated" | "replaced" | "same";

export interface Hooks {
  check(
    olds: Properties,
    news: Properties,
  ): Promise<{ inputs: Properties; failures: readonly { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ changes: boolean | undefined; replaces: readonly string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, outputs?: Properties): Promise<{ id?: string; props?: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, outputs: Properties): Promise<void>;
}

/** Without retries. */
export function lifecycleOn(
  emulator: Emulator,
  definition: AnyResourceDefinition,
  settings: Readonly<Record<string, string>> = {},
): Lifecycle {
  const services = (["provisioning", "secrets", "scheduler"] as const).flatMap((service) => [
    [`trivium:${service}Address`, emulator[service].address] as const,
    [`trivium:${service}Token`, emulator[service].token] as const,
    [`trivium:${service}MaxRetries`, "0"] as const,
  ]);
  return lifecycleWith(definition, { ...Object.fromEntries(services), ...settings });
}

/** @param configuration settings by their names in stack configuration */
function lifecycleWith(
  definition: AnyResourceDefinition,
  configuration: Readonly<Record<string, string>>,
): Lifecycle {
  const lifecycle = createLifecycle(definition);
  void lifecycle.configure?.({ config: { get: (key: string) => configuration[key] } } as never);
  return lifecycle;
}

export function hooksWith(...parameters: Parameters<typeof lifecycleWith>): Hooks {
  return lifecycleWith(...parameters) as unknown as Hooks;
}

/** One resource as the engine manages it, but in this process, with the emulator as service. Nothing is retried. */
export class Managed {
  id: string | undefined;
  /** In clear text, as the engine passes them to a provider. */
  inputs: Properties = {};
  outputs: Properties = {};
  private hooks: Hooks;

  constructor(
    private readonly definition: unknown,
    private readonly emulator: Emulator,
    private readonly settings: Readonly<Record<string, string>> = {},
  ) {
    this.hooks = this.newProcess();
  }

  async problems(args: Properties): Promise<string[]> {
    const { failures } = await this.hooks.check(this.inputs, args);
    return failures.map(({ property, reason }) => `${property} ${reason}`.trim());
  }

  /** A missing argument is not in the program. */
  async up(args: Properties): Promise<Step> {
    const hooks = (this.hooks = this.newProcess());
    const { id } = this;
    if (id === undefined) {
      return this.make(args);
    }
    const inputs = await this.checked(this.inputs, args);
    const { changes, replaces, deleteBeforeReplace } = await hooks.diff(id, this.outputs, inputs);
    if (replaces.length > 0) {
      const former = this.outputs;
      if (deleteBeforeReplace) {
        await hooks.delete(id, former);
        this.id = undefined;
      }
      await this.make(args);
      if (!deleteBeforeReplace) {
        await hooks.delete(id, former);
      }
      return "replaced";
    }
    if (changes === false) {
      return "same";
    }
    const { outs } = await hooks.update(id, this.outputs, inputs);
    this.outputs = inClear(outs);
    this.inputs = inputs;
    return "updated";
  }

  /** @returns whether it still exists */
  async refresh(): Promise<boolean> {
    this.hooks = this.newProcess();
    const found = await this.hooks.read(this.id ?? "", this.outputs);
    this.id = found.id;
    if (found.id === undefined) {
      return false;
    }
    this.outputs = inClear(found.props ?? {});
    this.inputs = inClear(found.inputs ?? {});
    return true;
  }

  async destroy(): Promise<void> {
    this.hooks = this.newProcess();
    await this.hooks.delete(this.id ?? "", this.outputs);
    this.id = undefined;
  }

  /** The engine starts a provider process for each operation. */
  private newProcess(): Hooks {
    const { emulator, definition, settings } = this;
    return lifecycleOn(emulator, definition as AnyResourceDefinition, settings) as unknown as Hooks;
  }

  private async make(args: Properties): Promise<Step> {
    const inputs = await this.checked({}, args);
    const { id, outs } = await this.hooks.create(inputs);
    this.id = id;
    this.outputs = inClear(outs);
    this.inputs = inputs;
    return "created";
  }

  private async checked(olds: Properties, args: Properties): Promise<Properties> {
    const { inputs, failures } = await this.hooks.check(olds, args);
    assert.deepEqual(failures, []);
    return inClear(inputs);
  }
}
