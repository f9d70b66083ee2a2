import type { Emulator, FaultFrequency, FaultMoment } from "pulumi-trivium/testing";
import type { ArmedFault, Bench, Effect } from "./bench";
import { type Laboratory, type Patience, patient } from "./laboratory";

/**
 * How long a fault lasts and what the library does about it:
 *
 * - `retried`: one request is struck, and the library may try again;
 * - `final`: one request is struck, and no attempt is left;
 * - `outage`: that request and all after it are struck, until the operation has ended.
 */
export type Extent = "retried" | "final" | "outage";

/** Something that can happen to a request. */
export interface FaultKind {
  readonly name: string;
  readonly extents: readonly Extent[];
  /** Whether the service acts on a request that is struck: never, at once, or when the client has given up long since. */
  readonly applied: "never" | "at once" | "late";
  /** What the emulator does to the request, where it can do all of it. */
  readonly effect?: Effect;
  /** Whether it ends the provider process, which then has no last words. */
  readonly kills?: boolean;
  /** How patient the operation is that is struck. */
  readonly patience: Partial<Patience>;
  /**
   * Lets it happen to a request of the operation that comes next.
   *
   * @param position of the request among all of the operation, from 0
   */
  arm(laboratory: Laboratory, position: number, extent: Extent): ArmedFault;
}

const everything: readonly Extent[] = ["retried", "final", "outage"];
const single: readonly Extent[] = ["retried", "final"];
const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";
const rateLimited = { "X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.02" };

function injected(
  name: string,
  effect: Effect,
  {
    extents = single,
    patience = {},
    late = false,
  }: {
    readonly extents?: readonly Extent[];
    readonly patience?: Partial<Patience>;
    readonly late?: boolean;
  } = {},
): FaultKind {
  const moment = "drop" in effect ? effect.drop : "truncate" in effect ? "after" : effect.when;
  return {
    name,
    extents,
    patience,
    effect,
    applied: late ? "late" : moment === "after" ? "at once" : "never",
    arm({ bench }, position, extent) {
      const frequency: FaultFrequency = { skip: position, times: extent === "outage" ? Infinity : 1 };
      return bench.inject(effect, frequency);
    },
  };
}

function status(
  name: string,
  code: number,
  when: FaultMoment,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): FaultKind {
  return injected(name, { status: code, when, body, ...(headers === undefined ? {} : { headers }) });
}

/** Longer than a refused attempt takes, and shorter than the shortest pause before the next one. In milliseconds. */
const reopensAfter = 150;
const shortestPause = 240;

const refused: FaultKind = {
  name: "connection refused",
  extents: everything,
  applied: "never",
  patience: {},
  arm(laboratory, position, extent) {
    let begun: number | undefined;
    let timer: NodeJS.Timeout | undefined;
    const begin = (): void => {
      begun = performance.now();
      laboratory.bench.proxy.refuse();
      if (extent === "retried") {
        timer = setTimeout(() => void laboratory.bench.proxy.open(), reopensAfter);
      }
    };
    // The connection is refused that is opened once the request before has been answered.
    atArrival(laboratory, position - 1, begin);
    return {
      async end() {
        clearTimeout(timer);
        const waited = begun === undefined ? 0 : performance.now() - begun;
        emulatorOf(laboratory).faults.clear();
        await laboratory.bench.proxy.open();
        return begun !== undefined && (extent !== "retried" || waited > shortestPause);
      },
    };
  },
};

function killed(name: string, moment: FaultMoment): FaultKind {
  return {
    name,
    extents: ["final"],
    applied: moment === "after" ? "at once" : "never",
    kills: true,
    patience: {},
    arm(laboratory, position) {
      const { proxy } = laboratory.bench;
      const emulator = emulatorOf(laboratory);
      let struck = false;
      const kill = (): void => {
        struck = true;
        laboratory.kill();
      };
      if (moment === "before") {
        emulator.faults.add({ skip: position, delay: "forever" });
        atArrival(laboratory, position, kill);
      } else {
        atArrival(laboratory, position, () => {
          proxy.after = () => {
            kill();
            return "hold";
          };
        });
      }
      return {
        end() {
          emulator.faults.clear();
          proxy.after = undefined;
          return Promise.resolve(struck);
        },
      };
    },
  };
}

const stalling = { extents: everything, patience: { requestTimeout: "400ms" } };

/** Everything that can happen to a request. */
export const faultKinds: readonly FaultKind[] = [
  refused,
  injected("reset before processing", { drop: "before" }, { extents: everything }),
  injected("reset after processing", { drop: "after" }, { extents: everything }),
  injected("answer cut in half", { truncate: true }),
  status("429", 429, "before", { errors: ["too many requests"] }),
  status("429 with rate-limit headers", 429, "before", { errors: ["too many requests"] }, rateLimited),
  status("500 before processing", 500, "before", { errors: ["internal error"] }),
  status("500 after processing", 500, "after", { errors: ["internal error"] }),
  status("502 page before processing", 502, "before", page),
  injected("502 page after processing", { status: 502, body: page, when: "after" }, { extents: everything }),
  status("503", 503, "before", { errors: ["service unavailable"] }),
  status(
    "503 with Retry-After",
    503,
    "before",
    { errors: ["service unavailable"] },
    { "Retry-After": "0.02" },
  ),
  injected("stall, never processed", { delay: "forever", when: "before" }, stalling),
  injected("stall, processed in the end", { delay: "24h", when: "before" }, { ...stalling, late: true }),
  injected("stall after processing", { delay: "forever", when: "after" }, stalling),
  killed("process killed before processing", "before"),
  killed("process killed after processing", "after"),
];

/** How patient an operation is that such a fault strikes. */
export function patienceOf({ patience }: FaultKind, extent: Extent): Patience {
  return { ...patient, ...patience, maxRetries: extent === "retried" ? 2 : 0 };
}

/** Calls back when a request arrives, counted from 0; at once for the one before the first. */
function atArrival(laboratory: Laboratory, position: number, callback: () => void): void {
  if (position < 0) {
    callback();
    return;
  }
  let arrived = 0;
  emulatorOf(laboratory).faults.add({
    latency: 0,
    where() {
      if (arrived === position) {
        callback();
      }
      arrived += 1;
      return false;
    },
  });
}

/** Whether a fault can be tried: all but the cut connections need services that play along. */
export function canStrike({ emulator }: Bench, { effect }: FaultKind): boolean {
  return emulator !== undefined || (effect !== undefined && "drop" in effect);
}

function emulatorOf({ bench: { emulator } }: Laboratory): Emulator {
  if (emulator === undefined) {
    throw new Error("Only emulated services can be struck so.");
  }
  return emulator;
}
