import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { PartialSuccessError } from "../../sdk/engine/reports";
import { dynamicProvider } from "../../sdk/dynamic";
import { Lifecycle } from "../../sdk/resource/lifecycle/lifecycle";
import type { Found } from "../../sdk/resource/lifecycle/object";
import {
  decodeEntry,
  encodeEntry,
  encodeSecrets,
  pluginToken,
  providerStub,
  typeToken,
} from "../../sdk/resource/state/encoding";
import type { Emulator } from "../../sdk/testing";
import { CallError, type Properties, type Provider } from "./provider-process";
import { configurationWith } from "./proxy";
import { inClear } from "./values";

export type Step = "created" | "updated" | "replaced" | "same";

export interface ResourceState {
  readonly name: string;
  readonly id: string;
  /** In plain text, as the engine passes them to a provider. */
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Its creation or last update failed halfway, so the next update continues it. */
  readonly incomplete: boolean;
  /** It was deleted in order to be replaced, and must be created again. */
  readonly deleted: boolean;
}

/** Without retries. */
export function lifecycleOn(
  emulator: Emulator,
  definition: AnyResourceDefinition,
  settings: Readonly<Record<string, string>> = {},
): ReturnType<typeof lifecycleWith> {
  return lifecycleWith(definition, { ...configurationWithoutRetries(emulator), ...settings });
}

/** Stack configuration for it, without retries. */
export function configurationWithoutRetries(emulator: Emulator): Record<string, string> {
  return configurationWith((service) => {
    const { address, token } = emulator[service];
    return { Address: address, Token: token, MaxRetries: "0" };
  });
}

/** @param configuration settings by their names in stack configuration */
export function lifecycleWith(
  definition: AnyResourceDefinition,
  configuration: Readonly<Record<string, string>>,
) {
  const lifecycle = new Lifecycle(definition);
  void lifecycle.configure({ config: { get: (key: string) => configuration[key] } } as never);
  /** What the plugin sends to the engine for what was found. */
  const encoded = (found: Found | undefined) =>
    found && {
      id: found.id,
      props: encodeEntry(definition, found.entry),
      inputs: encodeSecrets(definition, found.args ?? {}),
    };
  return {
    ...dynamicProvider(lifecycle),
    /** As the plugin calls it: with decoded state. */
    lifecycle,
    encoded,
    import: async (id: string) => encoded(await lifecycle.import(id)),
  };
}

/** A provider in this process. */
export function providerWith(...parameters: Parameters<typeof lifecycleWith>): Provider {
  const lifecycle = lifecycleWith(...parameters);
  const read = async (id: string, properties?: Properties): ReturnType<Provider["refresh"]> => {
    const { id: foundId = "", props = {}, inputs } = await lifecycle.read(id, properties);
    return { id: foundId, outputs: props, inputs };
  };
  return {
    check: (olds, news) => lifecycle.check(olds, news),
    async diff(id, olds, news) {
      const { changes, ...others } = await lifecycle.diff(id, olds, news);
      return { ...others, changes: changes === undefined ? "unknown" : changes ? "some" : "none" };
    },
    async create(inputs) {
      const { id, outs: outputs } = await lifecycle.create(inputs);
      return { id, outputs };
    },
    get: (id) => read(id),
    refresh: read,
    update: async (id, olds, news) => (await lifecycle.update(id, olds, news)).outs,
    delete: (id, outputs) => lifecycle.delete(id, outputs),
  };
}

/** What exists although a call failed, as the engine keeps it. */
export function partialIn(
  error: unknown,
): Pick<PartialSuccessError<Properties>, "id" | "properties"> | undefined {
  return error instanceof CallError
    ? error.partial
    : error instanceof PartialSuccessError
      ? error
      : undefined;
}

/** How a stack reaches the provider of its resource. */
export interface ProviderAccess {
  /** Runs one operation of the CLI. @param hidden properties that state and program have beside the class's own */
  operate<Result>(calls: (provider: Provider, hidden: Properties) => Promise<Result>): Promise<Result>;
  /** The URN of a resource by its name. Default: calls say none. */
  urnOf?(name: string): string;
}

/** Plays the engine for a stack of one resource: keeps its state, and calls the provider in the engine's order. */
export class FakeEngine {
  resource: ResourceState | undefined;
  /** Everything that providers returned for state, still in the engine's wrapping. */
  readonly kept: Properties[] = [];
  /** The last state of a resource that is gone. */
  private deletedState: ResourceState | undefined;
  /** Entries to delete: replaced resources, and those with a former name. */
  private toDelete: ResourceState[] = [];
  private readonly ids = new Set<string>();
  private readonly definition: AnyResourceDefinition;
  private readonly access: ProviderAccess;
  private name = "subject";
  private phase: "preview" | "update" = "update";
  /** Of the present operation. */
  private provider: Provider | undefined;
  private hidden: Properties = {};

  /**
   * @param definition of the class: `projectDefinition`
   * @param to an emulator, with a provider in this process that retries nothing; or another way to a provider
   * @param settings more of the stack configuration for the emulator
   */
  constructor(
    definition: unknown,
    to: Emulator | ProviderAccess,
    settings: Readonly<Record<string, string>> = {},
  ) {
    this.definition = definition as AnyResourceDefinition;
    this.access = "operate" in to ? to : inThisProcess(this.definition, to, settings);
  }

  /** Creates the resource. */
  static async create(
    definition: unknown,
    emulator: Emulator,
    args: Properties,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<FakeEngine> {
    const engine = new FakeEngine(definition, emulator, settings);
    await engine.up(args);
    return engine;
  }

  get id(): string | undefined {
    return this.resource?.id;
  }

  set id(id: string | undefined) {
    this.resource = id === undefined ? undefined : { ...this.state, id };
  }

  get inputs(): Properties {
    return this.state.inputs;
  }

  set inputs(inputs: Properties) {
    this.resource = { ...this.state, inputs };
  }

  get outputs(): Properties {
    return this.state.outputs;
  }

  set outputs(outputs: Properties) {
    this.resource = { ...this.state, outputs };
  }

  private get state(): ResourceState {
    const { name, resource, deletedState } = this;
    const state = resource ?? deletedState ?? { name, id: "", inputs: {}, outputs: {}, deleted: false };
    return { ...state, incomplete: false };
  }

  /** What the state has to be rid of, the resource last. */
  private get entries(): readonly ResourceState[] {
    return [...this.toDelete, ...(this.resource === undefined ? [] : [this.resource])];
  }

  /** As when the process is killed before its creation gets into state. */
  forget(): void {
    this.resource = undefined;
  }

  knows(text: string): boolean {
    return this.ids.has(text) || JSON.stringify(this.kept.map(inClear)).includes(JSON.stringify(text));
  }

  rename(name: string): void {
    this.name = name;
  }

  /** `pulumi up` with a program that declares the resource. A missing argument is not in the program. */
  up(args: Properties): Promise<Step> {
    return this.operate(async () => {
      const step = await this.apply(args);
      for (const old of this.toDelete) {
        await this.remove(old);
      }
      this.toDelete = [];
      return step;
    });
  }

  /** `pulumi preview`. @returns what an update would do */
  preview(args: Properties): Promise<Step> {
    return this.operate(async () => {
      const { resource } = this;
      this.phase = "preview";
      return resource?.name === this.name ? (await this.plan(resource, args)).step : "created";
    }).finally(() => (this.phase = "update"));
  }

  /** @returns whether it still exists */
  refresh(): Promise<boolean> {
    return this.operate(async () => {
      const { resource } = this;
      if (resource === undefined) {
        return false;
      }
      const found = await this.about(resource.name).refresh(resource.id, this.whole(resource.outputs));
      if (found.id === "") {
        this.deletedState = resource;
        this.resource = undefined;
        return false;
      }
      this.kept.push(found.outputs);
      const inputs = found.inputs === undefined ? resource.inputs : this.own(found.inputs);
      const outputs = this.own(found.outputs);
      this.resource = { ...resource, id: found.id, inputs, outputs, incomplete: false };
      return true;
    });
  }

  /** A program's `get` of the object, as if nothing managed it. */
  get(): ReturnType<Provider["get"]> {
    return this.operate(() => this.about(this.name).get(this.id ?? "", this.hidden));
  }

  destroy(): Promise<void> {
    return this.operate(async () => {
      for (const old of this.entries) {
        await this.remove(old);
      }
      this.toDelete = [];
      this.deletedState = this.resource;
      this.resource = undefined;
    });
  }

  /** Why the arguments are refused. */
  problems(args: Properties): Promise<string[]> {
    return this.operate(async () => {
      const { failures } = await this.check(this.resource?.inputs ?? {}, args);
      return failures.map(({ property, reason }) => `${property} ${reason}`.trim());
    });
  }

  private operate<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.access.operate((provider, hidden) => {
      Object.assign(this, { provider, hidden });
      return work();
    });
  }

  /** The provider, for calls about the resource of this name. */
  private about(name: string): Provider {
    const provider = this.provider ?? assert.fail("there is no operation");
    const urn = this.access.urnOf?.(name);
    const { inputs: oldInputs } = this.resource ?? {};
    provider.about = urn === undefined ? {} : { urn, ...(oldInputs && { oldInputs }) };
    return provider;
  }

  /** Properties with what is hidden in them. */
  private whole(properties: Properties): Properties {
    return { ...properties, ...this.hidden };
  }

  /** Properties without it, in plain text. */
  private own(properties: Properties): Properties {
    return Object.fromEntries(Object.entries(inClear(properties)).filter(([name]) => !(name in this.hidden)));
  }

  private async apply(args: Properties): Promise<Step> {
    const { resource, name } = this;
    if (resource === undefined || resource.deleted || resource.name !== name) {
      const isReplaced = resource?.name === name;
      await this.createResource(args, isReplaced ? undefined : resource);
      return isReplaced ? "replaced" : "created";
    }
    const { step, inputs, deleteBeforeReplace } = await this.plan(resource, args);
    if (step === "replaced") {
      if (deleteBeforeReplace) {
        await this.remove(resource);
        this.resource = { ...resource, deleted: true };
      }
      await this.createResource(args, deleteBeforeReplace ? undefined : resource);
    } else if (step === "updated") {
      const { id, outputs } = resource;
      await this.keep(inputs, async () => ({
        id,
        outputs: await this.about(name).update(id, this.whole(outputs), this.whole(inputs)),
      }));
    } else {
      this.resource = { ...resource, inputs };
    }
    return step;
  }

  private async plan(resource: ResourceState, args: Properties) {
    const inputs = await this.checked(resource.inputs, args);
    const { changes, replaces, deleteBeforeReplace } = await this.about(this.name).diff(
      resource.id,
      this.whole(resource.outputs),
      this.whole(inputs),
    );
    // If the provider does not decide, the engine compares the inputs.
    const differs =
      changes === "some" || (changes === "unknown" && !isDeepStrictEqual(inputs, resource.inputs));
    const step: Step =
      resource.deleted || (differs && replaces.length > 0)
        ? "replaced"
        : differs || resource.incomplete
          ? "updated"
          : "same";
    return { inputs, step, deleteBeforeReplace };
  }

  /** @param old is deleted once the resource is made */
  private async createResource(args: Properties, old?: ResourceState): Promise<void> {
    const inputs = await this.checked({}, args);
    await this.keep(inputs, () => this.about(this.name).create(this.whole(inputs)), old);
  }

  /** Also keeps the result of a creation or an update that failed halfway. */
  private async keep(
    inputs: Properties,
    call: () => Promise<{ readonly id: string; readonly outputs: Properties }>,
    old?: ResourceState,
  ): Promise<void> {
    const store = (id: string, outputs: Properties, incomplete: boolean): void => {
      this.toDelete.push(...(old === undefined ? [] : [old]));
      this.kept.push(outputs);
      this.ids.add(id);
      this.resource = { name: this.name, id, inputs, outputs: this.own(outputs), incomplete, deleted: false };
    };
    try {
      const { id, outputs } = await call();
      store(id, outputs, false);
    } catch (error) {
      const partial = partialIn(error);
      if (partial !== undefined) {
        store(partial.id, partial.properties, true);
      }
      throw error;
    }
  }

  private async remove({ deleted, name, id, outputs }: ResourceState): Promise<void> {
    await (deleted ? undefined : this.about(name).delete(id, this.whole(outputs)));
  }

  private check(olds: Properties, args: Properties): ReturnType<Provider["check"]> {
    const urn = this.access.urnOf?.(this.name);
    const hidden = urn === undefined ? {} : { __urn: urn, ...this.runInputs(args) };
    return this.about(this.name).check(this.whole(olds), this.whole({ ...hidden, ...args }));
  }

  private async checked(olds: Properties, args: Properties): Promise<Properties> {
    const { inputs, failures } = await this.check(olds, args);
    assert.deepEqual(failures, []);
    return this.own(inputs);
  }

  /** What the program says of the run: the entries in state to classes that inherit from them, and whether it is a preview. */
  private runInputs(args: Properties): Properties {
    const { type } = this.definition;
    const entries = this.entries.map((each) => {
      const { service: at = "", outputs, privateState, managed = {} } = decodeEntry(each.outputs);
      return { type, at, outputs, privateState, managed: Object.keys(managed) };
    });
    const inherited = this.definition.inherits?.(args, entries, undefined) ?? [];
    const run = {
      ...(inherited.length > 0 && { inherited }),
      ...(this.definition.ending && { phase: this.phase }),
    };
    return Object.keys(run).length > 0 ? { __run: run } : {};
  }
}

/** The plugin, with the configuration that it was started with. */
export function throughPlugin(plugin: Provider, { type }: AnyResourceDefinition): ProviderAccess {
  return {
    urnOf: (name) => `urn:pulumi:dev::shop::${pluginToken(type)}::${name}`,
    operate: (calls) => calls(plugin, {}),
  };
}

function inThisProcess(
  definition: AnyResourceDefinition,
  emulator: Emulator,
  settings: Readonly<Record<string, string>>,
): ProviderAccess {
  const urn = `urn:pulumi:dev::shop::${typeToken(definition.type)}::subject`;
  const configuration = { ...configurationWithoutRetries(emulator), ...settings };
  const hidden = { __urn: urn, __provider: providerStub(definition.type) };
  return {
    urnOf: () => urn,
    // The engine starts a provider process for each operation.
    operate: (calls) => calls(providerWith(definition, configuration), hidden),
  };
}
