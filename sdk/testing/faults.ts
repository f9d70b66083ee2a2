import { joinedProblems } from "../base/nearest";
import type { EmulatorClock } from "./clock";
import { toMilliseconds } from "./duration";
import {
  anything,
  duration,
  either,
  object,
  oneOf,
  oneOrMore,
  partial,
  problemsOf,
  schema,
  type Schema,
} from "./schemas";
import { matchesRequest } from "./journal";
import type { Fault, FaultHandle, Faults, RecordedRequest, RefuseFault, ServiceName } from "./types";

/** A refusal affects a server, not single requests. */
export type RequestFault = Exclude<Fault, RefuseFault>;

export interface TriggeredFault {
  readonly fault: RequestFault;
  /** Aborted when the fault is removed, which releases the requests that it delays. */
  readonly removed: AbortSignal;
}

class InjectedFault implements FaultHandle {
  hits = 0;
  private readonly removal = new AbortController();
  private matched = 0;

  constructor(
    readonly fault: Fault,
    private readonly random: () => number,
    private readonly onRemoved: (fault: InjectedFault) => void,
  ) {}

  remove(): void {
    this.removal.abort();
    this.onRemoved(this);
  }

  trigger(request: RecordedRequest): TriggeredFault | undefined {
    const { fault } = this;
    if ("refuse" in fault || !matchesRequest(fault, request)) {
      return undefined;
    }
    this.matched += 1;
    const unlimited = "latency" in fault || fault.probability !== undefined;
    if (
      this.matched <= (fault.skip ?? 0) ||
      this.hits >= (fault.times ?? (unlimited ? Number.POSITIVE_INFINITY : 1)) ||
      (fault.probability !== undefined && this.random() >= fault.probability)
    ) {
      return undefined;
    }
    this.hits += 1;
    return { fault, removed: this.removal.signal };
  }
}

export class FaultInjector implements Faults {
  private faults: InjectedFault[] = [];
  private random: () => number;

  constructor(
    private readonly clock: EmulatorClock,
    private readonly seed: number,
    private readonly setListening: (service: ServiceName, listening: boolean) => void,
  ) {
    this.random = seededRandom(seed);
  }

  add(fault: Fault): FaultHandle {
    checkFault(fault);
    const injected = new InjectedFault(
      fault,
      () => this.random(),
      (removed) => {
        this.faults = this.faults.filter((other) => other !== removed);
        this.applyRefusals();
      },
    );
    this.faults.push(injected);
    if ("refuse" in fault) {
      this.applyRefusals();
      if (fault.refuse !== true) {
        this.clock.after(toMilliseconds(fault.refuse), () => injected.remove());
      }
    }
    return injected;
  }

  clear(): void {
    for (const fault of this.faults) {
      fault.remove();
    }
  }

  /** Removes all faults and restarts the random sequence. */
  reset(): void {
    this.clear();
    this.random = seededRandom(this.seed);
  }

  /** @returns every matching latency, and at most one other fault */
  trigger(request: RecordedRequest): TriggeredFault[] {
    let isDecided = false;
    return this.faults.flatMap((injected) => {
      const isLatency = "latency" in injected.fault;
      const triggered = isDecided && !isLatency ? undefined : injected.trigger(request);
      isDecided ||= triggered !== undefined && !isLatency;
      return triggered ?? [];
    });
  }

  private applyRefusals(): void {
    const refusals = this.faults.map(({ fault }) => fault).filter((fault) => "refuse" in fault);
    for (const service of serviceNames) {
      this.setListening(service, !refusals.some((refusal) => (refusal.service ?? service) === service));
    }
  }
}

/** mulberry32: the same sequence for the same seed, so that a test run can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function numberFrom(least: number, most = Number.POSITIVE_INFINITY): Schema<number> {
  const conforms = (value: unknown) => typeof value === "number" && value >= least && value <= most;
  return schema(`a number from ${least} to ${most}`, conforms);
}

const serviceNames: readonly ServiceName[] = ["provisioning", "secrets", "scheduler"];
const moment = oneOf("before", "after");
const service = oneOf(...serviceNames);
const forever = either(oneOf("forever"), duration, '"forever", or a duration such as "30s"');
const always = schema<true>("true", (value) => value === true);
const counts = { times: numberFrom(1), skip: numberFrom(0), probability: numberFrom(0, 1) };
const common = { service, method: oneOrMore, path: anything, where: anything, ...counts };

/** The effect itself, and the options that can accompany it. */
const effects: Readonly<
  Record<string, readonly [effect: Schema<unknown>, others: Record<string, Schema<unknown>>]>
> = {
  drop: [moment, common],
  status: [numberFrom(200, 599), { ...common, body: anything, headers: anything, when: moment }],
  delay: [forever, { ...common, when: moment }],
  truncate: [anything, common],
  latency: [duration, common],
  refuse: [either(always, duration, 'true, or a duration such as "30s"'), { service }],
};

/**
 * @throws TypeError for an invalid fault, which would never apply, so that the test would not prove anything
 */
function checkFault(fault: Fault): void {
  const given = Object.entries(fault).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => name);
  const [name = "", another] = names.filter((known) => known in effects);
  const [effect, others] = effects[name] ?? [];
  if (effect === undefined || another !== undefined) {
    const known = Object.keys(effects).join(", ");
    throw new TypeError(`A fault has exactly one of ${known}; this one has ${names.join(", ")}.`);
  }
  const problems = problemsOf(
    object({ [name]: effect, ...partial(others ?? {}) }),
    Object.fromEntries(given),
    "fault",
  );
  if (problems.length > 0) {
    throw new TypeError(joinedProblems(problems));
  }
}

/** The text in the journal. */
export function descriptionOf(fault: RequestFault): string {
  const [effect = "", value] = Object.entries(fault).find(([name]) => name in effects) ?? [];
  const when = "status" in fault || "delay" in fault ? ` ${fault.when ?? "before"}` : "";
  return effect === "truncate" ? effect : `${effect} ${String(value)}${when}`;
}
