import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../support/provider-process";
import { withoutSecrets } from "../../support/values";
import type { Intervention } from "../../support/proxy";
import type { FaultCase } from "./fault-target";
import { type ProviderPool, type Patience, patient } from "./provider-pool";
import { asksToAdopt, type CleanRun, FaultRun, type OperationName, type Snapshot } from "./fault-run";

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

/** Injects a fault, repeats the operation as a user would, and compares the result with a run without faults. */
export async function experimentWith(
  pool: ProviderPool,
  clean: CleanRun,
  { faultCase, operation, position, fault, extent }: Experiment,
): Promise<Verdict> {
  const run = await FaultRun.begin(pool, faultCase);
  const problems: Problem[] = [];
  const report = (kind: Problem["kind"], text: string): number => problems.push({ kind, text });

  await run.before(operation);
  pool.patience = patienceOf(fault, extent);
  const disarm = arm(pool, fault, position, extent);
  const errors: string[] = [];
  const attempt = async (more: Properties = {}): Promise<boolean> => {
    try {
      await inTime(run.operate(operation, more));
      return true;
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  let done = await attempt();
  const struck = await disarm();
  pool.patience = patient;
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
  const without = isDeepStrictEqual(run.stack.resource?.outputs.__private, dispensable?.memory)
    ? dispensable?.memory
    : undefined;
  const named = await endLeftovers(run, operation, { fault, errors, report });
  const compare = (what: string, actual: Snapshot, usual: Snapshot): void => {
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
  const { done: finished, refreshed, destroyed } = forgets ? clean.forgotten : clean.snapshots[operation];
  compare("afterwards", await run.snapshot(), finished);

  const { requests } = pool.target.proxy;
  const before = requests.length;
  const planned = run.stack.resource === undefined ? "same" : await run.stack.preview(run.program(operation));
  if (planned !== "same" || requests.length !== before) {
    report("inconsistent", `the next preview shows a change (${planned}), or makes requests`);
  }
  await run.stack.refresh();
  compare("after a refresh", await run.snapshot(), refreshed);
  await run.stack.destroy();
  compare("after the destruction", await run.snapshot(), destroyed);

  await run.noteSecrets();
  const shown = await pool.takeShown();
  if (without !== undefined && !shown.some((text) => dispensable?.announced.test(text))) {
    report("lost", "state does not know what it usually knows, and nobody is told");
  }
  for (const text of shown) {
    for (const secret of run.shownIn(text)) {
      report("leaked", `${secret} is shown: ${text}`);
    }
  }
  for (const properties of run.stack.kept) {
    for (const secret of run.shownIn(JSON.stringify(withoutSecrets(properties)))) {
      report("leaked", `${secret} is kept in clear`);
    }
  }
  return { struck, named, problems };
}

/** Deletes what a lost response has left, as the service or the user will. @returns the number of objects */
async function endLeftovers(
  run: FaultRun,
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
  const { leftovers } = run.faultCase;
  const found = leftovers?.find(await run.inspect(), (id) => run.stack.knows(id)) ?? [];
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
    await each.end(run.pool.target.operator);
  }
  return found.length;
}

function remembering(memory: Properties, { state, ...services }: Snapshot): Snapshot {
  if (state === undefined) {
    return { ...services, state };
  }
  const resource = state as { readonly outputs: Properties };
  return { ...services, state: { ...resource, outputs: { ...resource.outputs, __private: memory } } };
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

function objectsIn({ provisioning, secrets, scheduler }: Snapshot): number {
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

export interface FaultKind {
  readonly name: string;
  readonly extents: readonly Extent[];
  /** When the service processes the request; `late` is after the client has given up. */
  readonly applied: "never" | "at once" | "late";
  /** Absent where the connection is refused. */
  readonly effect?: Exclude<Intervention, undefined>;
  /** Whether it kills the provider process, which cannot report anything then. */
  readonly kills?: boolean;
  readonly patience?: Partial<Patience>;
}

const everything: readonly Extent[] = ["retried", "final", "outage"];
const single: readonly Extent[] = ["retried", "final"];
const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

function status(
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Intervention & object {
  const type = { "content-type": "application/json" };
  return { status: code, headers: { ...type, ...headers }, body: JSON.stringify({ errors: [message] }) };
}

const html = { status: 502, headers: { "content-type": "text/html" }, body: page };
const rateLimited = { "X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.02" };
const retriedSoon = { "Retry-After": "0.02" };
const stalling = { requestTimeout: "400ms" };

type FaultRow = readonly [
  name: string,
  extents: readonly Extent[],
  applied: FaultKind["applied"],
  effect?: FaultKind["effect"],
  more?: Pick<FaultKind, "kills" | "patience">,
];

const rows: readonly FaultRow[] = [
  ["connection refused", everything, "never"],
  ["reset before processing", everything, "never", "reset"],
  ["reset after processing", everything, "at once", "reset"],
  ["response cut in half", single, "at once", "half"],
  ["429", single, "never", status(429, "too many requests")],
  ["429 with rate-limit headers", single, "never", status(429, "too many requests", rateLimited)],
  ["500 before processing", single, "never", status(500, "internal error")],
  ["500 after processing", single, "at once", status(500, "internal error")],
  ["502 page before processing", single, "never", html],
  ["502 page after processing", everything, "at once", html],
  ["503", single, "never", status(503, "service unavailable")],
  ["503 with Retry-After", single, "never", status(503, "service unavailable", retriedSoon)],
  ["stall, never processed", everything, "never", "hold", { patience: stalling }],
  ["stall, processed in the end", everything, "late", "late", { patience: stalling }],
  ["stall after processing", everything, "at once", "hold", { patience: stalling }],
  ["process killed before processing", ["final"], "never", "hold", { kills: true }],
  ["process killed after processing", ["final"], "at once", "hold", { kills: true }],
];

export const faultKinds: readonly FaultKind[] = rows.map(([name, extents, applied, effect, more]) => ({
  ...{ name, extents, applied },
  ...(effect === undefined ? {} : { effect }),
  ...more,
}));

/** Milliseconds: longer than a refused attempt, and shorter than the shortest back-off. */
const reopensAfter = 150;
const shortestPause = 240;

/**
 * Affects the next requests.
 *
 * @param position of the request among all of the operation, from 0
 * @returns ends it, and tells whether it has hit a request
 */
function arm(
  pool: ProviderPool,
  { applied, effect, kills }: FaultKind,
  position: number,
  extent: Extent,
): () => Promise<boolean> {
  const { proxy } = pool.target;
  if (effect === undefined) {
    return refuse(pool, position, extent);
  }
  let arrived = 0;
  let hits = 0;
  const struck = new Set<number>();
  const strike = (): Intervention => {
    if (kills === true) {
      pool.kill();
    }
    return effect;
  };
  proxy.before = ({ number }) => {
    const index = arrived++;
    if (index !== position && !(extent === "outage" && index > position)) {
      return undefined;
    }
    hits += 1;
    if (applied !== "at once") {
      return strike();
    }
    struck.add(number);
    return undefined;
  };
  proxy.after = ({ number }) => (struck.delete(number) ? strike() : undefined);
  return async () => {
    proxy.before = undefined;
    proxy.after = undefined;
    await proxy.processLate();
    return hits > 0;
  };
}

/** The next connection after the response to the previous request is refused. */
function refuse(
  { target: { proxy } }: ProviderPool,
  position: number,
  extent: Extent,
): () => Promise<boolean> {
  let begun: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): undefined => {
    begun = performance.now();
    proxy.refuse();
    if (extent === "retried") {
      timer = setTimeout(() => void proxy.open(), reopensAfter);
    }
  };
  let arrived = 0;
  if (position === 0) {
    begin();
  } else {
    proxy.before = () => (++arrived === position ? begin() : undefined);
  }
  return async () => {
    clearTimeout(timer);
    const waited = begun === undefined ? 0 : performance.now() - begun;
    proxy.before = undefined;
    await proxy.open();
    return begun !== undefined && (extent !== "retried" || waited > shortestPause);
  };
}

function patienceOf({ patience }: FaultKind, extent: Extent): Patience {
  return { ...patient, ...patience, maxRetries: extent === "retried" ? 2 : 0 };
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
