import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../sdk/testing";
import { resourceCases } from "../cases";
import { type Fixtures, functionsIn, newFixtures, type TriedFunction } from "../cases/functions";
import {
  allArguments,
  allDialects,
  canAdopt,
  caseIn,
  definitions,
  type Dialect,
  given,
  replacementOf,
  type ResourceCase,
  updateOf,
} from "../cases/support/case";
import { emulatedTokens, emulatedServices } from "../cases/support/emulated-services";
import type { CaseContext } from "../cases/support/test-services";
import { rememberEnvironment } from "../connection/environment";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import type { Properties } from "./provider-process";
import { useRunning } from "./use-running";
import { configurationWith, type Exchange, Proxy, type ProxyOptions, services } from "./proxy";

export { definitions } from "../cases/support/case";

/** A class in one dialect, with one set of arguments. */
export interface TriedCase extends ResourceCase {
  readonly name: string;
  readonly dialect: Dialect;
}

/** `TRIVIUM_DIALECTS=hashicorp` selects one. */
export const triedDialects: readonly Dialect[] = allDialects.filter((dialect) =>
  (process.env.TRIVIUM_DIALECTS ?? allDialects.join()).split(",").includes(dialect),
);

/** The first dialect needs no name. */
export function nameIn(dialect: Dialect, name: string, set?: string): string {
  const words = [
    ...(dialect === "documented" ? [] : [dialect]),
    ...(set === undefined ? [] : [`with ${set}`]),
  ];
  return words.length === 0 ? name : `${name} (${words.join(" ")})`;
}

/** The same for functions, except those over the event stream. */
export const triedFunctions: readonly TriedFunction[] = triedDialects.flatMap((dialect) =>
  functionsIn(dialect, (name, set) => nameIn(dialect, name, set)),
);

const adopt = "adopt";

/** For suites that try everything: each class in each dialect, with so many sets of arguments that each is given once. */
export const triedCases: readonly TriedCase[] = [...resourceCases.values()].flatMap((resourceCase) =>
  resourceCase.dialects
    .filter((dialect) => triedDialects.includes(dialect))
    .flatMap((dialect) => {
      const whole = caseIn(dialect, resourceCase);
      const definition = definitions.get(whole.type) ?? assert.fail(whole.type);
      const adopting = { names: [adopt], to: () => ({ [adopt]: true }) };
      const sets = [...whole.sets, ...(canAdopt(definition, [dialect]) ? [adopting] : [])];
      return [undefined, ...sets].map((set): TriedCase => {
        const changes = whole.changes.filter(({ names }) => !names.some((name) => set?.names.includes(name)));
        const valid: TriedCase["valid"] = (context) => ({ ...whole.valid(context), ...set?.to(context) });
        const fitting = { ...whole, changes, valid };
        return {
          ...fitting,
          // A set is there for its own arguments.
          valid: set === undefined ? (context) => allArguments(fitting, context) : valid,
          name: nameIn(dialect, whole.type, set?.names[0]),
          dialect,
        };
      });
    }),
);

/** Whether a case is there for the sake of `adopt`. */
export function isAdopting({ name }: TriedCase): boolean {
  return name.endsWith(`with ${adopt})`);
}

/** The services behind a proxy, those of one dialect at a time, and a receiver of notifications. Nothing is retried. */
export class ProxiedServices {
  dialect: Dialect = "documented";

  private constructor(
    private readonly emulators: Readonly<Record<Dialect, Emulator>>,
    readonly proxy: Proxy,
    readonly receiver: Receiver,
  ) {}

  static async start(options: ProxyOptions = {}): Promise<ProxiedServices> {
    const [documented, hashicorp, receiver] = await Promise.all([
      startEmulator({ tokens: emulatedTokens, provisioning: { uniqueProjectNames: true } }),
      startEmulator({ tokens: emulatedTokens, dialect: "hashicorp" }),
      startReceiver(),
    ]);
    const proxy = await Proxy.start(documented, options);
    return new ProxiedServices({ documented, hashicorp }, proxy, receiver);
  }

  get emulator(): Emulator {
    return this.emulators[this.dialect];
  }

  /** @param settings of each service, by the ends of their names in stack configuration: `RequestTimeout` */
  configuration(settings: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { dialect: Dialect } = this;
    return configurationWith((service) => {
      const [Address, Token] = [this.proxy.address(service), this.emulator[service].token];
      return { Address, Token, Dialect, MaxRetries: "0", ...settings };
    });
  }

  /** @returns what passes while something is done */
  async recording(work: () => Promise<unknown>): Promise<readonly Exchange[]> {
    this.proxy.clear();
    await work();
    return [...this.proxy.exchanges];
  }

  /** Sets up what a class needs in services of its dialect, without anything else. */
  prepareAlone(tried: ResourceCase & { readonly dialect?: Dialect }, mark?: string): Promise<PreparedCase> {
    const { dialect = "documented" } = tried;
    return prepareCase(this.resetTo(dialect), this.receiver, tried, { dialect, ...(mark && { mark }) });
  }

  /** Sets up everything that a function can need. */
  prepareFunction({ dialect = "documented", extras }: Partial<TriedFunction> = {}): Promise<Fixtures> {
    process.env.TRIVIUM_DIALECT = dialect;
    return newFixtures(this.resetTo(dialect), extras, dialect);
  }

  async close(): Promise<void> {
    this.proxy.close();
    const { documented, hashicorp } = this.emulators;
    await Promise.all([documented, hashicorp, this.receiver].map((each) => each.close()));
  }

  /** Puts services of the dialect behind the proxy, without anything in them. */
  resetTo(dialect: Dialect): Emulator {
    this.dialect = dialect;
    this.proxy.clear();
    this.proxy.targets = this.emulator;
    this.emulator.reset();
    return this.emulator;
  }
}

/**
 * Starts the services before the tests of the calling suite, for functions too.
 *
 * @param settings of each service, by the ends of their variables: `REQUEST_TIMEOUT`
 */
export function useServices(settings: Readonly<Record<string, string>> = {}): ProxiedServices {
  let restore = (): void => undefined;
  const start = async (): Promise<ProxiedServices> => {
    const started = await ProxiedServices.start({ records: true });
    restore = rememberEnvironment();
    for (const service of services) {
      const { token } = started.emulator[service];
      const values = { ADDR: started.proxy.address(service), TOKEN: token, MAX_RETRIES: "0", ...settings };
      for (const [name, value] of Object.entries(values)) {
        process.env[`${service.toUpperCase()}_${name}`] = value;
      }
    }
    return started;
  };
  return useRunning("a set of services", start, (started) => {
    restore();
    return started.close();
  });
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
  const { withoutWaiting } = resourceCase;
  const update = updateOf(resourceCase);
  const valid = given({ ...resourceCase.valid(context), ...withoutWaiting }) as Properties;
  const change = (update ?? replacementOf(resourceCase))?.(context);
  const { services, emulator, connection, ...others } = context;
  return {
    /** Arguments with which it is created. */
    valid,
    /** The same after a change that reaches the service. */
    changed: given({ ...valid, ...change }) as Properties,
    /** What an update in place changes; `undefined` where every change replaces or makes no request. */
    change: update?.(context),
    context,
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
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, run));
}
