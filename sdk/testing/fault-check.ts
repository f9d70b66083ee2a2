import { toMilliseconds } from "./duration";
import type { Fault } from "./faults";

const filters = ["service", "method", "path", "where"];
const frequencies = ["times", "skip", "probability"];
const effects = ["drop", "status", "delay", "truncate", "latency", "refuse"];
const details: Readonly<Record<string, readonly string[]>> = {
  status: ["body", "headers", "when"],
  delay: ["when"],
};

/**
 * A fault with a misspelt part would never strike, and a test with it would prove nothing.
 *
 * @throws TypeError or RangeError which says what is wrong
 */
export function checkFault(fault: Fault): void {
  const names = Object.keys(fault).filter((name) => Reflect.get(fault, name) !== undefined);
  const [effect, another] = names.filter((name) => effects.includes(name));
  if (effect === undefined || another !== undefined) {
    throw new TypeError(
      `A fault has exactly one of ${effects.join(", ")}; this one has ${names.join(", ")}.`,
    );
  }
  const allowed =
    effect === "refuse"
      ? ["refuse", "service"]
      : [...filters, ...frequencies, effect, ...(details[effect] ?? [])];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`A fault with ${effect} does not take ${unknown}; it takes ${allowed.join(", ")}.`);
  }
  checkEffect(fault);
  if (!("refuse" in fault)) {
    checkRange("times", fault.times, 1, Number.POSITIVE_INFINITY);
    checkRange("skip", fault.skip, 0, Number.POSITIVE_INFINITY);
    checkRange("probability", fault.probability, 0, 1);
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

function checkEffect(fault: Fault): void {
  if ("drop" in fault) {
    checkMoment("drop", fault.drop);
  } else if ("status" in fault) {
    checkRange("status", fault.status, 200, 599);
    checkMoment("when", fault.when ?? "before");
  } else if ("delay" in fault) {
    if (fault.delay !== "forever") {
      toMilliseconds(fault.delay);
    }
    checkMoment("when", fault.when ?? "before");
  } else if ("latency" in fault) {
    toMilliseconds(fault.latency);
  } else if ("refuse" in fault && fault.refuse !== true) {
    toMilliseconds(fault.refuse);
  }
}

function checkMoment(name: string, value: string): void {
  if (value !== "before" && value !== "after") {
    throw new TypeError(`${name} is "before" or "after", not ${JSON.stringify(value)}.`);
  }
}

function checkRange(name: string, value: number | undefined, least: number, most: number): void {
  if (value !== undefined && !(value >= least && value <= most)) {
    throw new RangeError(`${name} is a number from ${least} to ${most}, not ${value}.`);
  }
}
