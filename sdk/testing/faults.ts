import { serviceNames, type ServiceName } from "./dialect";
import type { Duration } from "./duration";
import { anything, duration, either, form, object, oneOf, oneOrMore, optional, type Form } from "./forms";
import type { RequestFilter } from "./recorded-request";

/** Whether a fault strikes instead of the request being applied, or once it was applied. */
export type FaultMoment = "before" | "after";

/** Destroys the connection without an answer: `"before"` nothing was applied, `"after"` the request was applied. */
export interface DropFault {
  readonly drop: FaultMoment;
}

/** Answers something else than the service would. */
export interface StatusFault {
  readonly status: number;
  /** A text goes out as it is (`text/html` when it begins with `<`, else plain), anything else as JSON. Default: none. */
  readonly body?: unknown;
  /** Additional headers, such as `{ "Retry-After": "2" }`; they win over the ones that follow from the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `"before"`: the request is not applied. */
  readonly when?: FaultMoment;
}

/**
 * Stalls the request, then goes on as usual, even if the client has left by then. The time is the emulator's: it
 * passes by itself and by `emulator.advance`. `"forever"` never answers; the connection is cut when the fault is
 * removed.
 */
export interface DelayFault {
  /** A duration, or `"forever"`. */
  readonly delay: Duration;
  /** `"before"` (the default) stalls before the request is applied, `"after"` holds back the answer. */
  readonly when?: FaultMoment;
}

/**
 * Applies the request, sends the headers and the first half of the body, then destroys the connection. An answer
 * without a body is cut before its headers.
 */
export interface TruncateFault {
  readonly truncate: true;
}

/**
 * Slows down every matching request, in real time. Unlike the others it joins whichever other fault hits the request.
 */
export interface LatencyFault {
  readonly latency: Duration;
}

/**
 * Stops listening at once and cuts all connections: new ones are refused by the operating system. `true` until the
 * fault is removed, otherwise for the given time of the emulator. It takes only `service` as a filter (default: all
 * three).
 */
export interface RefuseFault {
  readonly refuse: true | Duration;
  readonly service?: ServiceName;
}

/** How often a fault strikes. */
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
  /** How many requests it has hit. Refused connections cannot be counted. */
  readonly hits: number;
  /** Takes the fault away and ends what it holds up; a refusing service listens again when this returns. */
  remove(): void;
}

/** Injects faults. Of several that match a request, the one added first strikes. */
export interface Faults {
  /** @throws TypeError when the fault makes no sense */
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
const service = optional(oneOf(...serviceNames));
const common = {
  service,
  method: optional(oneOrMore),
  path: optional(anything),
  where: optional(anything),
  times: optional(numberFrom(1)),
  skip: optional(numberFrom(0)),
  probability: optional(numberFrom(0, 1)),
};
type Common = RequestFilter & FaultFrequency;

const effects: Readonly<Record<string, Form<Fault>>> = {
  drop: object<Common & DropFault>({ ...common, drop: moment }),
  status: object<Common & StatusFault>({
    ...common,
    status: numberFrom(200, 599),
    body: optional(anything),
    headers: optional(anything),
    when: optional(moment),
  }),
  delay: object<Common & DelayFault>({
    ...common,
    delay: either(oneOf("forever"), duration, '"forever", or a duration such as "30s"'),
    when: optional(moment),
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
  const problems = effect.problems(Object.fromEntries(given), "fault");
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
