import { isDeepStrictEqual } from "node:util";
import * as library from "../../../sdk/index";
import { managedOf } from "../../../sdk/resource/state/outputs";
import { shortUrn } from "../../../sdk/resource/state/protocol";
import { collectDefinitions } from "../../../sdk/resource/registry";
import { inClear } from "../../support/values";
import { CallError, type Properties, type ProviderProcess } from "../../support/provider-process";

export interface ResourceState {
  readonly name: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Its creation or last update failed halfway, so the next update continues it. */
  readonly incomplete: boolean;
  /** It was deleted in order to be replaced, and must be created again. */
  readonly deleted: boolean;
}

export type Step = "created" | "updated" | "replaced" | "same";

export type Operate = <Result>(
  calls: (provider: ProviderProcess, stub: string) => Promise<Result>,
) => Promise<Result>;

export const definitions = collectDefinitions(library);

/** The engine's part for a stack of one resource: its state, and the order of the calls. */
export class OneResourceStack {
  resource: ResourceState | undefined;
  /** Everything that providers returned for state, still in the engine's wrapping. */
  readonly kept: Properties[] = [];
  /** Entries to delete: replaced resources, and those with a former name. */
  private condemned: ResourceState[] = [];
  private readonly ids = new Set<string>();
  private name = "subject";

  constructor(
    private readonly type: string,
    private readonly operate: Operate,
  ) {}

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

  /** `pulumi up` with a program that declares the resource. */
  up(args: Properties): Promise<Step> {
    return this.operate(async (provider, stub) => {
      const step = await this.bring(provider, stub, args);
      for (const old of this.condemned) {
        await this.remove(provider, stub, old);
      }
      this.condemned = [];
      return step;
    });
  }

  /** `pulumi preview`. @returns what an update would do */
  preview(args: Properties): Promise<Step> {
    return this.operate(async (provider, stub) => {
      const { resource } = this;
      return resource === undefined || resource.name !== this.name
        ? "created"
        : (await this.plan(provider, stub, resource, args)).step;
    });
  }

  refresh(): Promise<void> {
    return this.operate(async (provider, stub) => {
      const { resource } = this;
      if (resource === undefined) {
        return;
      }
      provider.about = { urn: this.urn };
      const found = await provider.refresh(resource.id, { ...resource.outputs, __provider: stub });
      if (found.id === "") {
        this.resource = undefined;
        return;
      }
      this.kept.push(found.outputs);
      const inputs = found.inputs === undefined ? resource.inputs : withoutStub(inClear(found.inputs));
      this.resource = { ...resource, id: found.id, inputs, outputs: withoutStub(inClear(found.outputs)) };
    });
  }

  destroy(): Promise<void> {
    return this.operate(async (provider, stub) => {
      for (const old of [...this.condemned, ...(this.resource === undefined ? [] : [this.resource])]) {
        await this.remove(provider, stub, old);
      }
      this.condemned = [];
      this.resource = undefined;
    });
  }

  private async bring(provider: ProviderProcess, stub: string, args: Properties): Promise<Step> {
    const { resource } = this;
    if (resource !== undefined && resource.name !== this.name) {
      await this.make(provider, stub, args, () => this.condemned.push(resource));
      return "created";
    }
    if (resource === undefined || resource.deleted) {
      await this.make(provider, stub, args);
      return resource === undefined ? "created" : "replaced";
    }
    const { step, inputs, deleteBeforeReplace } = await this.plan(provider, stub, resource, args);
    if (step === "replaced") {
      if (deleteBeforeReplace) {
        await this.remove(provider, stub, resource);
        this.resource = { ...resource, deleted: true };
        await this.make(provider, stub, args);
      } else {
        await this.make(provider, stub, args, () => this.condemned.push(resource));
      }
    } else if (step === "updated") {
      await this.keep(inputs, resource.id, async () => ({
        id: resource.id,
        outputs: await provider.update(resource.id, withStub(resource.outputs, stub), withStub(inputs, stub)),
      }));
    } else {
      this.resource = { ...resource, inputs };
    }
    return step;
  }

  private async plan(provider: ProviderProcess, stub: string, resource: ResourceState, args: Properties) {
    const inputs = await this.check(provider, stub, resource.inputs, args);
    const { changes, replaces, deleteBeforeReplace } = await provider.diff(
      resource.id,
      withStub(resource.outputs, stub),
      withStub(inputs, stub),
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

  private async make(
    provider: ProviderProcess,
    stub: string,
    args: Properties,
    made?: () => void,
  ): Promise<void> {
    const inputs = await this.check(provider, stub, {}, args);
    await this.keep(inputs, undefined, async () => provider.create(withStub(inputs, stub)), made);
  }

  /** Also keeps the result of a creation or an update that failed halfway. */
  private async keep(
    inputs: Properties,
    known: string | undefined,
    call: () => Promise<{ readonly id: string; readonly outputs: Properties }>,
    made?: () => void,
  ): Promise<void> {
    const { name } = this;
    const store = (id: string, outputs: Properties, incomplete: boolean): void => {
      made?.();
      this.kept.push(outputs);
      this.ids.add(id);
      this.resource = {
        name,
        id,
        inputs,
        outputs: withoutStub(inClear(outputs)),
        incomplete,
        deleted: false,
      };
    };
    try {
      const { id, outputs } = await call();
      store(known ?? id, outputs, false);
    } catch (error) {
      if (error instanceof CallError && error.partial !== undefined) {
        store(error.partial.id, error.partial.properties, true);
      }
      throw error;
    }
  }

  private async remove(provider: ProviderProcess, stub: string, old: ResourceState): Promise<void> {
    if (!old.deleted) {
      provider.about = { urn: this.urnOf(old.name) };
      await provider.delete(old.id, withStub(old.outputs, stub));
    }
  }

  private async check(
    provider: ProviderProcess,
    stub: string,
    olds: Properties,
    args: Properties,
  ): Promise<Properties> {
    const news = { ...args, __urn: shortUrn(this.urn), ...this.runInputs() };
    provider.about = { urn: this.urn };
    const { inputs, failures } = await provider.check(withStub(olds, stub), withStub(news, stub));
    if (failures.length > 0) {
      throw new Error(`The program is refused: ${JSON.stringify(failures)}`);
    }
    return withoutStub(inClear(inputs));
  }

  private get urn(): string {
    return this.urnOf(this.name);
  }

  private urnOf(name: string): string {
    return `urn:pulumi:test::faults::pulumi-nodejs:dynamic/trivium/${this.type}::${name}`;
  }

  /** The entries in state that the program passes to classes that inherit from them. */
  private runInputs(): Properties {
    const entries = [...this.condemned, ...(this.resource === undefined ? [] : [this.resource])];
    const definition = definitions.get(this.type);
    if (definition?.inherits !== true || entries.length === 0) {
      return {};
    }
    const inherited = entries.map(({ outputs }) => {
      const { __at: at = "", __memory: memory = {} } = outputs;
      return { at, memory, managed: Object.keys(managedOf(definition, outputs) ?? {}) };
    });
    return { __run: { inherited } };
  }
}

function withStub(properties: Properties, stub: string): Properties {
  return { ...properties, __provider: stub };
}

function withoutStub(properties: Properties): Properties {
  const { __provider, ...others } = properties;
  return others;
}
