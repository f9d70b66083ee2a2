import {
  type Emulator,
  type FaultFrequency,
  type FaultMoment,
  type Inspection,
  startEmulator,
} from "pulumi-trivium/testing";
import {
  type Dialect,
  given,
  type Operator,
  replacementOf,
  type ResourceCase,
  type Traces,
  updateOf,
} from "../../cases/support/case";
import { worldOn } from "../../cases/support/emulated-world";
import type { ServiceName, WorldSurroundings } from "../../cases/support/world";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import type { Properties } from "../../support/provider-process";
import { Proxy, services } from "../../support/proxy";
import { definitions } from "./one-resource-stack";

/** The tokens of the emulated services, which may be shown nowhere. */
export const tokens = {
  provisioning: "canary-provisioning-token-5e02c1",
  secrets: "canary-secrets-token-8d2f61",
  scheduler: "canary-scheduler-token-51c0aa",
};

/** A fault that is waiting for its request. */
export interface ArmedFault {
  /** Ends it, once the operation is over. @returns whether it has struck */
  end(): Promise<boolean>;
}

/** As the emulator's faults take it. */
export type Effect =
  | { readonly drop: FaultMoment }
  | { readonly truncate: true }
  | { readonly delay: "forever" | "24h"; readonly when: FaultMoment }
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly when: FaultMoment;
    };

/** A request, as it reached a service. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
}

/** Everything in the services, list by list. */
export interface Holdings extends Traces {
  readonly scheduler: object;
}

/** The services that a laboratory tries its faults with: emulated or real. */
export interface Bench {
  readonly dialect: Dialect;
  readonly tokens: Readonly<Record<ServiceName, string>>;
  /** Before the services. */
  readonly proxy: Proxy;
  /** The emulator; none where the services are real, whose requests only the proxy can strike. */
  readonly emulator?: Emulator;
  readonly journal: { clear(): void; requests(): readonly SeenRequest[]; count(): number };
  /** Ends what is left in the services. */
  readonly operator: Operator;
  /** Texts that only this bench has, each with what stands for it in all. */
  readonly names: Readonly<Record<string, string>>;
  /** Strikes requests that come next; real servers only by cutting connections. */
  inject(effect: Effect, frequency: FaultFrequency): ArmedFault;
  /** Sets up what a class needs in services that hold nothing of an earlier life. */
  begin(faultCase: FaultCase, mark: string): Promise<Declared>;
  /** Everything in the services but what is a mere record of what happened. */
  inspect(): Promise<Holdings>;
  close(): Promise<void>;
}

/** The services as an emulator plays them. */
export async function emulatedBench(): Promise<Bench & { readonly emulator: Emulator }> {
  const emulator = await startEmulator({ tokens });
  const receiver: Receiver = await startReceiver();
  const { journal } = emulator;
  return {
    dialect: "documented",
    tokens,
    proxy: await Proxy.start(emulator),
    emulator,
    journal: {
      clear: () => journal.clear(),
      requests: () => journal.requests(),
      count: () => journal.count(),
    },
    operator: emulator,
    inject(effect, frequency) {
      const fault = emulator.faults.add({ ...effect, ...frequency });
      return {
        async end() {
          emulator.faults.clear();
          await settled(() => services.every((service) => emulator[service].statistics.inFlight === 0));
          return fault.hits > 0;
        },
      };
    },
    names: { [receiver.address]: "<receiver>" },
    begin(faultCase, mark) {
      emulator.reset();
      return declaredIn(emulator, receiver, faultCase, mark);
    },
    inspect: () => Promise.resolve(withoutHistory(emulator.inspect())),
    async close() {
      await Promise.all([emulator.close(), receiver.close()]);
    },
  };
}

function withoutHistory({ provisioning, secrets, scheduler }: Inspection): Holdings {
  const history = { frames: [], subscriptions: [] };
  return { provisioning, secrets, scheduler: { ...scheduler, ...history } };
}

async function settled(happened: () => boolean): Promise<void> {
  while (!happened()) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** What the program says. */
export interface Declared {
  /** The arguments with which the resource is made. */
  readonly made: Properties;
  /** The arguments after a change of which a service gets to know. */
  readonly changed: Properties;
}

/**
 * Sets up what a class needs.
 *
 * @param mark part of every name, and another one in each run, as a process remembers what it was asked about
 */
export async function declaredIn(
  emulator: Emulator,
  receiver: Receiver,
  resourceCase: ResourceCase,
  mark: string,
): Promise<Declared> {
  const surroundings = await resourceCase.prepare(
    worldOn(emulator, { dialect: "documented", mark, receiver }),
  );
  await resourceCase.populate?.(emulator, surroundings);
  emulator.journal.clear();
  return declaredOf(resourceCase, surroundings);
}

/** What the program says in surroundings that are ready. */
export function declaredOf(resourceCase: ResourceCase, surroundings: WorldSurroundings): Declared {
  const definition = definitions.get(resourceCase.type);
  const change = definition && (updateOf(resourceCase, definition) ?? replacementOf(resourceCase));
  const made = given({ ...resourceCase.valid(surroundings), ...resourceCase.whenFailing }) as Properties;
  return { made, changed: given({ ...made, ...change?.(surroundings) }) as Properties };
}

/** One class of resources, as the matrix runs it. */
export interface FaultCase extends ResourceCase {
  /** The provider text in state. Default: the library's. */
  readonly provider?: string;
}
