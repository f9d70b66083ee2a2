import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { PartialSuccessError } from "../../../sdk/resource/failure";
import { createLifecycle } from "../../../sdk/resource/lifecycle";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { rememberEnvironment } from "../../connection/environment";
import { inClear } from "../../contract/support/values";
import type { Properties } from "../../support/provider-process";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { type Exchange, Proxy, services } from "../../support/proxy";
import { emulatorTokens } from "./scene";

/** What a step of a resource's life ended with. */
export type Outcome =
  | {
      readonly kind: "done";
      readonly id?: string;
      readonly outputs?: Properties;
      readonly inputs?: Properties;
    }
  | { readonly kind: "gone" }
  /** The object exists; the error says what is missing. */
  | { readonly kind: "partial"; readonly error: Error; readonly id: string; readonly outputs: Properties }
  | { readonly kind: "failed"; readonly error: Error };

/** What the engine calls. */
interface Hooks {
  configure(request: { readonly config: { get(key: string): string | undefined } }): Promise<void>;
  check(
    olds: Properties,
    news: Properties,
  ): Promise<{ inputs: Properties; failures: readonly { property: string; reason: string }[] }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, outputs?: Properties): Promise<{ id?: string; props?: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, outputs: Properties): Promise<void>;
}

/** An emulator, and in front of it what makes its answers hostile. */
export class World {
  private constructor(
    readonly emulator: Emulator,
    readonly front: Proxy,
    /** What answers notifications well. */
    readonly receiver: Receiver,
  ) {}

  static async start(): Promise<World> {
    const emulator = await startEmulator({ tokens: emulatorTokens });
    return new World(emulator, await Proxy.start(emulator, { records: true }), await startReceiver());
  }

  async close(): Promise<void> {
    this.front.close();
    await Promise.all([this.emulator.close(), this.receiver.close()]);
  }

  /** The settings of all services, by their names in stack configuration. */
  get configuration(): Record<string, string> {
    return Object.fromEntries(
      services.flatMap((service) => [
        [`trivium:${service}Address`, this.front.address(service)],
        [`trivium:${service}Token`, this.emulator[service].token],
      ]),
    );
  }

  /** The hooks of a resource, configured to reach the emulator through the front. Nothing is retried. */
  hooksOf(definition: AnyResourceDefinition, settings: Readonly<Record<string, string>> = {}): Hooks {
    return hooksWith(definition, { ...this.configuration, ...plain, ...settings });
  }

  /** Has functions reach the emulator through the front until the returned function is called. */
  useForFunctions(settings: Readonly<Record<string, string>> = {}): () => void {
    const restore = rememberEnvironment();
    for (const service of services) {
      const prefix = service.toUpperCase();
      process.env[`${prefix}_ADDR`] = this.front.address(service);
      process.env[`${prefix}_TOKEN`] = this.emulator[service].token;
      process.env[`${prefix}_MAX_RETRIES`] = "0";
    }
    Object.assign(process.env, settings);
    return restore;
  }

  /** Runs something and tells what passed through the front meanwhile. */
  async recording(work: () => Promise<unknown>): Promise<readonly Exchange[]> {
    this.front.clear();
    await work();
    return [...this.front.exchanges];
  }
}

/** The hooks of a resource with settings by their names in stack configuration. */
export function hooksWith(
  definition: AnyResourceDefinition,
  configuration: Readonly<Record<string, string>>,
): Hooks {
  const hooks = createLifecycle(definition) as unknown as Hooks;
  void hooks.configure({ config: { get: (key) => configuration[key] } });
  return hooks;
}

/** Nothing is retried, and no environment makes anybody impatient. */
const plain = Object.fromEntries(
  services.flatMap((service) => [
    [`trivium:${service}MaxRetries`, "0"],
    [`trivium:${service}RequestTimeout`, "60s"],
  ]),
);

/** The outcome of one hook; what it returns is taken apart as the engine does. */
export async function outcomeOf(
  step: Promise<{ id?: string; outs?: Properties; props?: Properties; inputs?: Properties } | undefined>,
  isRead = false,
): Promise<Outcome> {
  try {
    const { id, outs, props, inputs } = (await step) ?? {};
    if (isRead && id === undefined) {
      return { kind: "gone" };
    }
    const outputs = outs ?? props;
    return {
      kind: "done",
      ...(id === undefined ? {} : { id }),
      ...(outputs === undefined ? {} : { outputs: inClear(outputs) }),
      ...(inputs === undefined ? {} : { inputs: inClear(inputs) }),
    };
  } catch (error) {
    if (error instanceof PartialSuccessError) {
      return { kind: "partial", error, id: error.id, outputs: inClear(error.properties) };
    }
    return { kind: "failed", error: error instanceof Error ? error : new Error(String(error)) };
  }
}
