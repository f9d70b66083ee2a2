import { setTimeout as delay } from "node:timers/promises";

const secondsOf: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
};

const parts = /^(?:(?:\d+(?:\.\d+)?|\.\d+)(?:ns|us|µs|ms|[smhd]))+$/;

/**
 * Accepts the same formats as the services: seconds (`90`, `"90"`), or units in any order (`"1h30m"`, `"1.5h"`,
 * `"1d"`).
 *
 * @returns seconds; `undefined` for anything else, negative durations included
 */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === "number") {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  }
  const text = typeof duration === "string" ? duration.trim() : "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Number(text);
  }
  const seconds = Array.from(text.matchAll(/([\d.]+)([a-zµ]+)/g)).reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (secondsOf[unit] ?? Number.NaN),
    0,
  );
  // Rounds away errors such as in 0.1 + 0.2. No service is more precise than a nanosecond.
  return parts.test(text) ? Number(seconds.toFixed(9)) : undefined;
}

/** Tests replace time and randomness. */
export interface Runtime {
  /** Monotonic milliseconds, so that a change of the system time does not affect waits. */
  readonly now: () => number;
  /** Milliseconds since 1970, to compare with dates from services. */
  readonly date: () => number;
  /** Rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  date: Date.now,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/**
 * A period of time that starts now. If the clock goes back, as clocks of tests do, the period is over,
 * because its end could be far away.
 */
export class Span {
  private readonly begun: number;

  constructor(
    readonly milliseconds: number,
    private readonly now: Runtime["now"],
    begun = now(),
  ) {
    this.begun = begun;
  }

  get passed(): number {
    const passed = this.now() - this.begun;
    return passed < 0 ? Number.POSITIVE_INFINITY : passed;
  }

  get left(): number {
    return Math.max(0, this.milliseconds - this.passed);
  }
}

const sliceOfLimit = 1000;
/** Long enough to read what the buffers of a connection contain, which arrives in parts. */
const readingsAtEnd = 100;
// Tests of programs replace this function after this module was loaded.
const [soon, notSoon] = [setImmediate, clearImmediate];

/** Resolves once this process has handled what has already happened, such as the end of a connection. */
export function eventsHandled(): Promise<void> {
  // A closed socket is announced after the immediates of the turn in which its end was read.
  return new Promise((resolve) => void soon(() => soon(() => soon(resolve))));
}

/**
 * Ends a wait, but only once this process has read what has already arrived. After a freeze (SIGSTOP,
 * `docker pause`), timers run first, and the time would be over at once. A freeze therefore only counts as
 * one slice of the time.
 */
export class TimeLimit {
  private timer: NodeJS.Timeout | undefined;
  private reading: NodeJS.Immediate | undefined;

  constructor(
    private left: number,
    private readonly end: () => void,
  ) {
    this.wait();
  }

  clear(): void {
    clearTimeout(this.timer);
    if (this.reading !== undefined) {
      notSoon(this.reading);
    }
  }

  private wait(): void {
    const slice = Math.min(this.left, sliceOfLimit);
    this.left -= slice;
    const finish = (): void => this.readFirst(readingsAtEnd, new Span(sliceOfLimit, systemRuntime.now));
    this.timer = setTimeout(() => (this.left > 0 ? this.wait() : finish()), slice);
  }

  /** If data keeps arriving, it is read for only one more slice. */
  private readFirst(readings: number, rest: Span): void {
    const isOver = readings === 0 || rest.left === 0;
    this.reading = soon(() => (isOver ? this.end() : this.readFirst(readings - 1, rest)));
  }
}

/** 24 days. A longer timer fires at once, or throws. */
export const longestTimer = 2 ** 31 - 1;

export function timerMilliseconds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds * 1000)), longestTimer);
}

export type WaitRuntime = Pick<Runtime, "now" | "sleep">;

/** A difference that truncated seconds and small drift explain, and that does not matter for expiry. */
const tolerance = 1000;

/** The service's clock, according to its latest `Date` header: this machine's clock might be wrong. */
export class ServiceClock {
  private ahead: number | undefined;

  get known(): boolean {
    return this.ahead !== undefined;
  }

  /** Ignores a `date` that is not valid. The other times are milliseconds since 1970 by this machine's clock. */
  note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const serverTime = httpDate(date);
    if (serverTime === undefined) {
      return;
    }
    // `Date` was written between these two times and omits the fraction of the second.
    const least = serverTime - receivedAt;
    const most = serverTime + 1000 - sentAt;
    this.ahead = least - tolerance <= 0 && most + tolerance >= 0 ? 0 : (least + most) / 2;
  }

  at(time: number): number {
    return time + (this.ahead ?? 0);
  }

  now(): number {
    return this.at(Date.now());
  }
}

/** In milliseconds since 1970. Stricter than `Date.parse`, which accepts nearly everything. */
export function httpDate(text: string | undefined): number | undefined {
  // A gateway might repeat the header.
  const [date = ""] = /^[a-z]{3,9}, [^,]* gmt(?=,|$)/i.exec(text?.trim() ?? "") ?? [];
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

/** Per-key mutex, first come first served. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Earlier failures do not affect the work. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(key) === settled) {
          this.last.delete(key);
        }
      });
    this.last.set(key, settled);
    return result;
  }
}

type Work = () => Promise<unknown>;

const works = new Map<object, Work>();

/** Runs work once before this process ends. The last work of each owner replaces the earlier one. */
export function atProcessEnd(owner: object, work: Work): void {
  if (works.size === 0) {
    // Not reached in provider processes, which the engine ends.
    process.once("beforeExit", () => void finishProcess());
  }
  works.set(owner, work);
}

export async function finishProcess(): Promise<void> {
  const all = [...works.values()];
  works.clear();
  await Promise.allSettled(all.map((work) => work()));
}
