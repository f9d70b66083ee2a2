import { isDeepStrictEqual } from "node:util";
import * as library from "../../../sdk/index";
import { managedOf } from "../../../sdk/resource/state/managed";
import { shortUrn } from "../../../sdk/resource/state/urn";
import { collectDefinitions } from "../../../sdk/resource/registry";
import { inClear } from "../../support/values";
import { CallError, type Properties, type ProviderProcess } from "../../support/provider-process";

/** A resource as the engine keeps it. */
export interface ResourceState {
  /** Its name in the program. */
  readonly name: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Its creation or its last update could not be completed, so that the next update continues it. */
  readonly incomplete: boolean;
  /** It was deleted to be replaced, and is to be made anew. */
  readonly deleted: boolean;
}

/** What an update of the program did. */
export type Step = "created" | "updated" | "replaced" | "same";

/** Runs the calls of one operation of the CLI in a provider process. */
export type Operate = <Result>(
  calls: (provider: ProviderProcess, stub: string) => Promise<Result>,
) => Promise<Result>;

/** The definitions of all classes, by type. */
export const definitions = collectDefinitions(library);

/** The engine's part for a stack of one resource: what it keeps in state, and what it calls when. */
export class OneResourceStack {
  resource: ResourceState | undefined;
  /** Everything that providers gave to be kept, still in its wrapping. */
  readonly kept: Properties[] = [];
  /** Entries that are still to be deleted: old halves of a replacement, and what had another name. */
  private condemned: ResourceState[] = [];
  private readonly ids = new Set<string>();
  private name = "subject";

  constructor(
    private readonly type: string,
    private readonly operate: Operate,
  ) {}

  /** Loses the resource, as when the process is killed before its creation gets into state. */
  forget(): void {
    this.resource = undefined;
  }

  /** Whether state has, or has ever had, an id or another text. */
  knows(text: string): boolean {
    return this.ids.has(text) || JSON.stringify(this.kept.map(inClear)).includes(JSON.stringify(text));
  }

  /** Gives the resource another name in the program. */
  rename(name: string): void {
    this.name = name;
  }

  /** `pulumi up` with a program that declares the resource with these arguments. */
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

  /** `pulumi refresh`. */
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

  /** `pulumi destroy`. */
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
    // Where the provider leaves it open, the engine compares the inputs.
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

  /** Keeps what a creation or an update brings, also when it could not be completed. */
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

  /** What the program tells of the entries in state, where the class wants to know it. */
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
