import { isDeepStrictEqual } from "node:util";
import type { Emulator, FaultFrequency, FaultMoment } from "pulumi-trivium/testing";
import type { Properties } from "../../support/provider-process";
import { withoutSecrets } from "../../support/values";
import type { ArmedFault, Bench, Effect, FaultCase } from "./bench";
import { type Laboratory, type Patience, patient } from "./laboratory";
import { asksToAdopt, type CleanLife, Life, type OperationName, type Picture } from "./life";

export const problemKinds = ["lost", "duplicated", "leaked", "inconsistent"] as const;

export interface Problem {
  readonly kind: (typeof problemKinds)[number];
  readonly text: string;
}

export interface Experiment {
  readonly faultCase: FaultCase;
  readonly operation: OperationName;
  readonly position: number;
  readonly fault: FaultKind;
  readonly extent: Extent;
}

export interface Verdict {
  readonly struck: boolean;
  readonly named: number;
  readonly problems: readonly Problem[];
}

/** Injects a fault, repeats the operation as a user would, and compares the result with a clean life. */
export async function experimentWith(
  laboratory: Laboratory,
  clean: CleanLife,
  { faultCase, operation, position, fault, extent }: Experiment,
): Promise<Verdict> {
  const life = await Life.begin(laboratory, faultCase);
  const problems: Problem[] = [];
  const report = (kind: Problem["kind"], text: string): number => problems.push({ kind, text });

  await life.before(operation);
  laboratory.patience = patienceOf(fault, extent);
  const armed = fault.arm(laboratory, position, extent);
  const errors: string[] = [];
  const attempt = async (more: Properties = {}): Promise<boolean> => {
    try {
      await inTime(life.operate(operation, more));
      return true;
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  let done = await attempt();
  const struck = await armed.end();
  laboratory.patience = patient;
  if (!struck) {
    return { struck, named: 0, problems };
  }
  // Repeats twice at most, with `adopt` when the last error asks for it.
  for (let runs = 0; runs < 2 && !done; runs++) {
    done = await attempt(asksToAdopt(errors.at(-1)) ? { adopt: true } : {});
    if (!done && !asksToAdopt(errors.at(-1))) {
      break;
    }
  }
  if (!done) {
    report("inconsistent", `the operation fails for good: ${errors.join(" / ")}`);
  }
  for (const text of errors) {
    if (text === "" || /failed unexpectedly|The emulator failed|^\s+at .+:\d+/m.test(text)) {
      report("inconsistent", `no message for people: ${text}`);
    }
  }

  const { dispensable } = faultCase;
  const without = isDeepStrictEqual(life.stack.resource?.outputs.__memory, dispensable?.memory)
    ? dispensable?.memory
    : undefined;
  const named = await endLeftovers(life, operation, { fault, errors, report });
  const compare = (what: string, actual: Picture, usual: Picture): void => {
    const expected = without === undefined ? usual : remembering(without, usual);
    if (!isDeepStrictEqual(actual, expected)) {
      const more = objectsIn(actual) - objectsIn(expected);
      const forgotten = actual.state === undefined && (more > 0 || expected.state !== undefined);
      const kind = forgotten ? "lost" : more > 0 ? "duplicated" : "inconsistent";
      report(kind, `${what}: ${difference(actual, expected)}`);
    }
  };
  const forgets =
    operation === "create" &&
    fault.kills === true &&
    fault.applied === "at once" &&
    !isRead(clean.requests.create[position]);
  const { done: finished, refreshed, destroyed } = forgets ? clean.forgotten : clean.pictures[operation];
  compare("afterwards", await life.picture(), finished);

  const requests = laboratory.bench.journal.count();
  const planned =
    life.stack.resource === undefined ? "same" : await life.stack.preview(life.program(operation));
  if (planned !== "same" || laboratory.bench.journal.count() !== requests) {
    report("inconsistent", `the next preview shows a change (${planned}), or makes requests`);
  }
  await life.stack.refresh();
  compare("after a refresh", await life.picture(), refreshed);
  await life.stack.destroy();
  compare("after the destruction", await life.picture(), destroyed);

  await life.noteSecrets();
  const shown = await laboratory.takeShown();
  if (without !== undefined && !shown.some((text) => dispensable?.announced.test(text))) {
    report("lost", "state does not know what it usually knows, and nobody is told");
  }
  for (const text of shown) {
    for (const secret of life.shownIn(text)) {
      report("leaked", `${secret} is shown: ${text}`);
    }
  }
  for (const properties of life.stack.kept) {
    for (const secret of life.shownIn(JSON.stringify(withoutSecrets(properties)))) {
      report("leaked", `${secret} is kept in clear`);
    }
  }
  return { struck, named, problems };
}

/** Deletes what a lost response has left, as the service or the user will. @returns the number of objects */
async function endLeftovers(
  life: Life,
  operation: OperationName,
  {
    fault,
    errors,
    report,
  }: {
    readonly fault: FaultKind;
    readonly errors: readonly string[];
    readonly report: (kind: Problem["kind"], text: string) => unknown;
  },
): Promise<number> {
  const { leftovers } = life.faultCase;
  const found = leftovers?.find(await life.inspect(), (id) => life.stack.knows(id)) ?? [];
  if (leftovers === undefined || found.length === 0) {
    return 0;
  }
  // A process that is killed later also loses what an earlier request has created.
  const possible = fault.applied !== "never" || fault.kills === true;
  if (found.length > 1 || !possible || ["read", "delete"].includes(operation)) {
    report("duplicated", `${found.length} are left in the service`);
  }
  if (fault.kills !== true && !errors.some((text) => leftovers.named.test(text))) {
    report("lost", `what is left in the service is not named: ${errors.join(" / ")}`);
  }
  if (leftovers.endsByItself && found.some(({ expiresAt }) => expiresAt === null)) {
    report("lost", "what is left in the service never ends");
  }
  for (const each of found) {
    await each.end(life.laboratory.bench.operator);
  }
  return found.length;
}

function remembering(memory: Properties, { state, ...services }: Picture): Picture {
  if (state === undefined) {
    return { ...services, state };
  }
  const resource = state as { readonly outputs: Properties };
  return { ...services, state: { ...resource, outputs: { ...resource.outputs, __memory: memory } } };
}

function isRead(request: string | undefined): boolean {
  return request?.startsWith("GET ") === true;
}

const longestOperation = 60_000;

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The operation does not end.")), longestOperation);
  });
  try {
    await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

function objectsIn({ provisioning, secrets, scheduler }: Picture): number {
  return [provisioning, secrets, scheduler]
    .flatMap((service) => Object.values(service as Readonly<Record<string, unknown>>))
    .reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/**
 * How long a fault lasts, and what the library may do:
 *
 * - `retried`: it hits one request, and the library may retry;
 * - `final`: it hits one request, and no attempt is left;
 * - `outage`: it hits that request and all later ones of the operation.
 */
type Extent = "retried" | "final" | "outage";

interface FaultKind {
  readonly name: string;
  readonly extents: readonly Extent[];
  /** When the service processes the request; `late` is after the client has given up. */
  readonly applied: "never" | "at once" | "late";
  /** Absent when the emulator alone cannot produce the fault. */
  readonly effect?: Effect;
  /** Whether it kills the provider process, which cannot report anything then. */
  readonly kills?: boolean;
  readonly patience: Partial<Patience>;
  /** @param position of the request among all of the operation, from 0 */
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

/** Milliseconds: longer than a refused attempt, and shorter than the shortest back-off. */
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
    // The next connection after the response to the previous request is refused.
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

function patienceOf({ patience }: FaultKind, extent: Extent): Patience {
  return { ...patient, ...patience, maxRetries: extent === "retried" ? 2 : 0 };
}

/** Counted from 0; -1 calls back at once. */
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

/** Real services only support cut connections. */
export function canStrike({ emulator }: Bench, { effect }: FaultKind): boolean {
  return emulator !== undefined || (effect !== undefined && "drop" in effect);
}

function emulatorOf({ bench: { emulator } }: Laboratory): Emulator {
  if (emulator === undefined) {
    throw new Error("Only emulated services can be struck so.");
  }
  return emulator;
}

export function difference(actual: unknown, expected: unknown): string {
  return linesOf(actual, expected, "").slice(0, longest).join("; ");
}

const longest = 12;

function linesOf(actual: unknown, expected: unknown, path: string): string[] {
  if (isRecord(actual) && isRecord(expected)) {
    const names = [...new Set([...Object.keys(actual), ...Object.keys(expected)])];
    return names.flatMap((name) => linesOf(actual[name], expected[name], `${path}.${name}`));
  }
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  return left === right ? [] : [`${path.slice(1)} is ${left}, not ${right}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
