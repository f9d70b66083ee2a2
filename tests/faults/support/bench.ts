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

/** These must not be shown anywhere. */
export const tokens = {
  provisioning: "canary-provisioning-token-5e02c1",
  secrets: "canary-secrets-token-8d2f61",
  scheduler: "canary-scheduler-token-51c0aa",
};

export interface ArmedFault {
  /** @returns whether the fault has hit a request */
  end(): Promise<boolean>;
}

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

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
}

export interface Holdings extends Traces {
  readonly scheduler: object;
}

export interface Bench {
  readonly dialect: Dialect;
  readonly tokens: Readonly<Record<ServiceName, string>>;
  readonly proxy: Proxy;
  /** Absent for real services, where only the proxy can inject faults. */
  readonly emulator?: Emulator;
  readonly journal: { clear(): void; requests(): readonly SeenRequest[]; count(): number };
  /** Deletes what is left in the services. */
  readonly operator: Operator;
  /** Texts that are specific to this bench, and their replacements in comparisons. */
  readonly names: Readonly<Record<string, string>>;
  /** Affects the next requests; on real servers it only cuts connections. */
  inject(effect: Effect, frequency: FaultFrequency): ArmedFault;
  /** Sets up what a class needs, without traces of an earlier life. */
  begin(faultCase: FaultCase, mark: string): Promise<Declared>;
  inspect(): Promise<Holdings>;
  close(): Promise<void>;
}

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

export interface Declared {
  readonly made: Properties;
  /** Arguments after a change that reaches the service. */
  readonly changed: Properties;
}

/** @param mark part of every name, unique in each run because processes remember their requests */
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

export function declaredOf(resourceCase: ResourceCase, surroundings: WorldSurroundings): Declared {
  const definition = definitions.get(resourceCase.type);
  const change = definition && (updateOf(resourceCase, definition) ?? replacementOf(resourceCase));
  const made = given({ ...resourceCase.valid(surroundings), ...resourceCase.whenFailing }) as Properties;
  return { made, changed: given({ ...made, ...change?.(surroundings) }) as Properties };
}

export interface FaultCase extends ResourceCase {
  /** The provider text in state. Default: the library's. */
  readonly provider?: string;
}
