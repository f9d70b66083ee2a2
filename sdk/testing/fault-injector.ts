import type { EmulatorClock } from "./clock";
import { toMilliseconds } from "./duration";
import {
  checkFault,
  describeFault,
  type Fault,
  type FaultHandle,
  type Faults,
  type RefuseFault,
} from "./faults";
import { matchesRequest, type RecordedRequest } from "./recorded-request";
import { serviceNames, type ServiceName } from "./dialect";

/** A fault that strikes single requests. */
export type RequestFault = Exclude<Fault, RefuseFault>;

/** A fault that hits one request. */
export interface Strike {
  readonly fault: RequestFault;
  readonly description: string;
  /** Aborted when the fault is removed: what it holds up ends. */
  readonly removed: AbortSignal;
}

class InjectedFault implements FaultHandle {
  private readonly removal = new AbortController();
  private matched = 0;
  private struck = 0;

  constructor(
    readonly fault: Fault,
    private readonly random: () => number,
    private readonly onRemoved: (fault: InjectedFault) => void,
  ) {}

  get hits(): number {
    return this.struck;
  }

  remove(): void {
    this.removal.abort();
    this.onRemoved(this);
  }

  strikes(request: RecordedRequest): Strike | undefined {
    const { fault } = this;
    if ("refuse" in fault || !matchesRequest(fault, request)) {
      return undefined;
    }
    this.matched += 1;
    const unlimited = "latency" in fault || fault.probability !== undefined;
    if (
      this.matched <= (fault.skip ?? 0) ||
      this.struck >= (fault.times ?? (unlimited ? Number.POSITIVE_INFINITY : 1)) ||
      (fault.probability !== undefined && this.random() >= fault.probability)
    ) {
      return undefined;
    }
    this.struck += 1;
    return { fault, description: describeFault(fault), removed: this.removal.signal };
  }
}

/** Decides which requests are hit, and tells the servers when to stop and start listening. */
export class FaultInjector implements Faults {
  private faults: InjectedFault[] = [];
  private random: () => number;

  /** @param setListening opens or closes the listener of a service */
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

  /** Back to the start, the random sequence included. */
  reset(): void {
    this.clear();
    this.random = seededRandom(this.seed);
  }

  /** What happens to this request: every latency that matches, and at most one other fault. */
  strike(request: RecordedRequest): Strike[] {
    const strikes: Strike[] = [];
    let decided = false;
    for (const injected of this.faults) {
      if (decided && !("latency" in injected.fault)) {
        continue;
      }
      const strike = injected.strikes(request);
      if (strike !== undefined) {
        strikes.push(strike);
        decided ||= !("latency" in strike.fault);
      }
    }
    return strikes;
  }

  private applyRefusals(): void {
    const refusals = this.faults.map(({ fault }) => fault).filter((fault) => "refuse" in fault);
    for (const service of serviceNames) {
      this.setListening(service, !refusals.some((refusal) => (refusal.service ?? service) === service));
    }
  }
}

/**
 * A generator of numbers from 0 up to but not including 1, the same sequence for the same seed (mulberry32). It
 * decides which requests a fault with a probability hits, so that a test run can be repeated.
 */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
