import { type Emulator, type EmulatorOptions, startEmulator } from "../../sdk/testing";
import { allArguments, type Dialect, given, replacementOf } from "../cases/support/case";
import { type ResourceCase, updateOf } from "../cases/support/case";
import { emulatedTokens, emulatedServices } from "../cases/support/emulated-services";
import type { CaseContext } from "../cases/support/test-services";
import { rememberEnvironment } from "../connection/environment";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import type { Properties } from "./provider-process";
import { configurationWith, type Exchange, Proxy, type ProxyOptions, services } from "./proxy";

export { definitions } from "../cases/support/case";

/** The services behind a proxy, and a receiver of notifications. Nothing is retried. */
export class ProxiedServices {
  private constructor(
    readonly emulator: Emulator,
    readonly proxy: Proxy,
    readonly receiver: Receiver,
  ) {}

  static async start(
    proxyOptions: ProxyOptions = {},
    emulatorOptions: EmulatorOptions = {},
  ): Promise<ProxiedServices> {
    const [emulator, receiver] = await Promise.all([
      startEmulator({ tokens: emulatedTokens, ...emulatorOptions }),
      startReceiver(),
    ]);
    return new ProxiedServices(emulator, await Proxy.start(emulator, proxyOptions), receiver);
  }

  /** @param settings of each service, by the ends of their names in stack configuration: `RequestTimeout` */
  configuration(settings: Readonly<Record<string, string>> = {}): Record<string, string> {
    return configurationWith((service) => {
      const { token } = this.emulator[service];
      return { Address: this.proxy.address(service), Token: token, MaxRetries: "0", ...settings };
    });
  }

  /**
   * Has functions reach the services until the returned function is called.
   *
   * @param settings of each service, by the ends of their variables: `REQUEST_TIMEOUT`
   */
  useForFunctions(settings: Readonly<Record<string, string>> = {}): () => void {
    const restore = rememberEnvironment();
    for (const service of services) {
      const { token } = this.emulator[service];
      const values = { ADDR: this.proxy.address(service), TOKEN: token, MAX_RETRIES: "0", ...settings };
      for (const [name, value] of Object.entries(values)) {
        process.env[`${service.toUpperCase()}_${name}`] = value;
      }
    }
    return restore;
  }

  /** @returns what passes while something is done */
  async recording(work: () => Promise<unknown>): Promise<readonly Exchange[]> {
    this.proxy.clear();
    await work();
    return [...this.proxy.exchanges];
  }

  /** Sets up what a class needs in an emulator without anything else. */
  prepareAlone(resourceCase: ResourceCase): Promise<PreparedCase> {
    this.emulator.reset();
    return prepareCase(this.emulator, this.receiver, resourceCase);
  }

  async close(): Promise<void> {
    this.proxy.close();
    await Promise.all([this.emulator.close(), this.receiver.close()]);
  }
}

/** What a class needs in the services, and what its program says. */
export type PreparedCase = ReturnType<typeof preparedIn>;

let marks = 0;

/** Long enough not to occur in a random id. */
export function newMark(): string {
  marks += 1;
  return `mark${marks}q`;
}

/** @param mark part of every name, unique in each run because processes remember their requests */
export async function prepareCase(
  emulator: Emulator,
  receiver: Receiver,
  resourceCase: ResourceCase,
  { mark = newMark(), dialect = "documented" }: { readonly mark?: string; readonly dialect?: Dialect } = {},
): Promise<PreparedCase> {
  const context = await resourceCase.prepare(emulatedServices(emulator, { dialect, mark, receiver }));
  await resourceCase.populate?.(emulator, context);
  emulator.journal.clear();
  return preparedIn(resourceCase, context);
}

export function preparedIn(resourceCase: ResourceCase, context: CaseContext) {
  const { whenFailing } = resourceCase;
  const update = updateOf(resourceCase);
  const made = given({ ...resourceCase.valid(context), ...whenFailing }) as Properties;
  const change = (update ?? replacementOf(resourceCase))?.(context);
  const { services, emulator, connection, ...others } = context;
  return {
    /** Arguments with which it is created: those of the case. */
    made,
    /** The same after a change that reaches the service. */
    changed: given({ ...made, ...change }) as Properties,
    /** As many arguments as fit together. */
    valid: given({ ...allArguments(resourceCase, context), ...whenFailing }) as Properties,
    /** What an update in place changes; `undefined` where every change replaces or makes no request. */
    change: update?.(context),
    /** Generated names and ids in the context, by their paths. */
    texts: new Map(textsWithin(others, "")),
  };
}

function textsWithin(value: unknown, at: string): [string, string][] {
  if (typeof value === "string" && value !== "") {
    return [[at, value]];
  }
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return members.flatMap(([name, inner]) => textsWithin(inner, `${at}-${name}`));
}

/**
 * Works off a list in several lanes.
 *
 * @param open what a lane works with
 */
export async function inLanes<Item, Lane extends { close(): Promise<void> }>(
  items: readonly Item[],
  lanes: number,
  open: () => Promise<Lane>,
  work: (item: Item, lane: Lane) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const run = async (): Promise<void> => {
    const lane = await open();
    try {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        await work(next, lane);
      }
    } finally {
      await lane.close();
    }
  };
  await Promise.all(Array.from({ length: lanes }, run));
}
