import { serviceNames, type ServiceName } from "./dialect";
import type { Duration } from "./duration";
import { anything, duration, either, form, object, oneOf, oneOrMore, problemsOf, type Form } from "./forms";
import type { RequestFilter } from "./recorded-request";

/** Whether a fault occurs before the request is applied, or after it. */
export type FaultMoment = "before" | "after";

/**
 * Destroys the connection without a response: `"before"` nothing was applied, `"after"` the request was
 * applied.
 */
export interface DropFault {
  readonly drop: FaultMoment;
}

/** Returns another response than the service would. */
export interface StatusFault {
  readonly status: number;
  /**
   * A string is sent unchanged (`text/html` if it starts with `<`, else plain text), any other value as JSON.
   * Default: none.
   */
  readonly body?: unknown;
  /** Additional headers, such as `{ "Retry-After": "2" }`; they override those derived from the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `"before"`: the request is not applied. */
  readonly when?: FaultMoment;
}

/**
 * Delays the request, then continues as usual, even if the client has disconnected. The time is that of the
 * emulator: it runs by itself and by `emulator.advance`. `"forever"` never responds; the connection is closed
 * when the fault is removed.
 */
export interface DelayFault {
  /** A duration, or `"forever"`. */
  readonly delay: Duration;
  /** `"before"` (the default) delays the request before it is applied, `"after"` delays the response. */
  readonly when?: FaultMoment;
}

/**
 * Applies the request, sends the headers and the first half of the body, then destroys the connection. A
 * response without a body is cut before its headers.
 */
export interface TruncateFault {
  readonly truncate: true;
}

/**
 * Slows down every matching request, in real time. Unlike other faults, it combines with another fault on the
 * same request.
 */
export interface LatencyFault {
  readonly latency: Duration;
}

/**
 * Stops listening at once and closes all connections: the operating system refuses new ones. `true` until the
 * fault is removed, otherwise for the given time of the emulator. It takes only `service` as a filter
 * (default: all three).
 */
export interface RefuseFault {
  readonly refuse: true | Duration;
  readonly service?: ServiceName;
}

/** How often a fault occurs. */
export interface FaultFrequency {
  /** How many requests are hit. Default 1; for `latency` and with a `probability`: no limit. */
  readonly times?: number;
  /** How many matching requests pass before the first is hit. Default 0. */
  readonly skip?: number;
  /** From 0 to 1: the share of matching requests that is hit, drawn by the emulator's `faultSeed`. Default 1. */
  readonly probability?: number;
}

/** A fault to inject: which requests, how often, and what happens to them. */
export type Fault =
  | (RequestFilter & FaultFrequency & (DropFault | StatusFault | DelayFault | TruncateFault | LatencyFault))
  | RefuseFault;

/** An injected fault. */
export interface FaultHandle {
  /** The number of affected requests. Refused connections are not counted. */
  readonly hits: number;
  /** Removes the fault and releases what it delays; a refusing service listens again when this returns. */
  remove(): void;
}

/** Injects faults. If several match a request, the first one that was added applies. */
export interface Faults {
  /** @throws TypeError if the fault is invalid */
  add(fault: Fault): FaultHandle;
  /** Removes all faults. */
  clear(): void;
}

function numberFrom(least: number, most = Number.POSITIVE_INFINITY): Form<number> {
  return form(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );
}

const moment = oneOf("before", "after");
const service = oneOf(...serviceNames).optional();
const common = {
  service,
  method: oneOrMore.optional(),
  path: anything.optional(),
  where: anything.optional(),
  times: numberFrom(1).optional(),
  skip: numberFrom(0).optional(),
  probability: numberFrom(0, 1).optional(),
};
type Common = RequestFilter & FaultFrequency;

const effects: Readonly<Record<string, Form<Fault>>> = {
  drop: object<Common & DropFault>({ ...common, drop: moment }),
  status: object<Common & StatusFault>({
    ...common,
    status: numberFrom(200, 599),
    body: anything.optional(),
    headers: anything.optional(),
    when: moment.optional(),
  }),
  delay: object<Common & DelayFault>({
    ...common,
    delay: either(oneOf("forever"), duration, '"forever", or a duration such as "30s"'),
    when: moment.optional(),
  }),
  truncate: object<Common & TruncateFault>({ ...common, truncate: anything }),
  latency: object<Common & LatencyFault>({ ...common, latency: duration }),
  refuse: object<RefuseFault>({
    service,
    refuse: either(
      form<true>("true", (value) => value === true),
      duration,
      'true, or a duration such as "30s"',
    ),
  }),
};

/**
 * A fault with a misspelt part would never strike, and a test with it would prove nothing.
 *
 * @throws TypeError which says what is wrong
 */
export function checkFault(fault: Fault): void {
  const given = Object.entries(fault).filter(([, value]) => value !== undefined);
  const [effect, another] = given.flatMap(([name]) => effects[name] ?? []);
  if (effect === undefined || another !== undefined) {
    const names = given.map(([name]) => name).join(", ");
    throw new TypeError(
      `A fault has exactly one of ${Object.keys(effects).join(", ")}; this one has ${names}.`,
    );
  }
  const problems = problemsOf(effect, Object.fromEntries(given), "fault");
  if (problems.length > 0) {
    throw new TypeError(problems.join("; "));
  }
}

/** What a fault does, in a few words, for the journal. */
export function describeFault(fault: Fault): string {
  if ("drop" in fault) {
    return `drop ${fault.drop}`;
  }
  if ("status" in fault) {
    return `status ${fault.status} ${fault.when ?? "before"}`;
  }
  if ("delay" in fault) {
    return `delay ${fault.delay} ${fault.when ?? "before"}`;
  }
  if ("latency" in fault) {
    return `latency ${fault.latency}`;
  }
  return "truncate" in fault ? "truncate" : "refuse";
}
