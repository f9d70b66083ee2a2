import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../support/provider-process";
import type { Intervention, SeenRequest } from "../../support/proxy";
import type { TriedCase } from "../../support/services";
import { withoutSecrets } from "../../support/values";
import { withoutBorrower } from "./library-checkout";
import { patient, type ProviderPool } from "./pool";
import { asksToAdopt, type CleanRun, FaultRun, type OperationName, type Snapshot } from "./run";

export const problemKinds = ["lost", "duplicated", "leaked", "inconsistent"] as const;

export type ProblemKind = (typeof problemKinds)[number];

type Report = (kind: ProblemKind, text: string) => unknown;

export interface Experiment {
  readonly faultCase: TriedCase;
  readonly operation: OperationName;
  /** Of the request that is struck, among those of the operation. */
  readonly position: number;
  readonly fault: FaultKind;
  readonly extent: Extent;
}

export interface Problem {
  readonly kind: ProblemKind;
  readonly text: string;
}

/** Injects a fault, repeats the operation as a user would, and compares the result with a run without faults. */
export async function experimentWith(pool: ProviderPool, clean: CleanRun, experiment: Experiment) {
  const { faultCase, operation, position, fault, extent } = experiment;
  const problems: Problem[] = [];
  const report: Report = (kind, text) => problems.push({ kind, text });
  const errors: string[] = [];
  const run = await FaultRun.before(operation, faultCase, pool);
  const attempt = (more: Properties = {}): Promise<boolean> =>
    Promise.race([run.operate(operation, more), tooLate()]).then(
      () => true,
      (error: unknown) => {
        errors.push(messageOf(error));
        return false;
      },
    );

  pool.patience = { ...patient, ...fault.patience, maxRetries: extent === "retried" ? 2 : 0 };
  const disarm = fault.effect === undefined ? refuse(pool, experiment) : arm(pool, experiment, fault.effect);
  let done = await attempt();
  const struck = await disarm();
  pool.patience = patient;
  if (!struck) {
    return { struck, named: 0, problems };
  }
  // Repeats twice at most, with `adopt` when the last error asks for it.
  for (let runs = 0; runs < 2 && !done && (runs === 0 || asksToAdopt(errors.at(-1))); runs++) {
    done = await attempt(asksToAdopt(errors.at(-1)) ? { adopt: true } : {});
  }
  if (!done) {
    report("inconsistent", `the operation fails for good: ${errors.join(" / ")}`);
  }
  errors
    .filter((text) => text === "" || /failed unexpectedly|The emulator failed|^\s+at .+:\d+/m.test(text))
    .forEach((text) => report("inconsistent", `no message for people: ${text}`));

  const privateState = run.stack.resource?.outputs.__private;
  const without = isDeepStrictEqual(privateState, withoutBorrower.privateState) ? withoutBorrower : undefined;
  const named = await endLeftovers(run, experiment, errors, report);
  const compare = (what: string, actual: Snapshot, usual: Snapshot): void => {
    const { state } = usual;
    const outputs = { ...state?.outputs, ...(without && { __private: without.privateState }) };
    const differs = difference(actual, { ...usual, ...(state && { state: { ...state, outputs } }) });
    if (differs !== undefined) {
      const more = objectsIn(actual) - objectsIn(usual);
      const forgotten = actual.state === undefined && (more > 0 || state !== undefined);
      report(forgotten ? "lost" : more > 0 ? "duplicated" : "inconsistent", `${what}: ${differs}`);
    }
  };
  const isForgotten = operation === "create" && fault.kills === true && fault.applied === "at once";
  const isRead = clean.requests.create[position]?.startsWith("GET ");
  const usual = isForgotten && isRead !== true ? clean.forgotten : clean.snapshots[operation];
  compare("afterwards", await run.snapshot(), usual.done);
  const { requests } = pool.target.proxy;
  const before = requests.length;
  const planned = run.stack.resource && (await run.stack.preview(run.program(operation)));
  if ((planned ?? "same") !== "same" || requests.length !== before) {
    report("inconsistent", `the next preview shows a change (${String(planned)}), or makes requests`);
  }
  await run.stack.refresh();
  compare("after a refresh", await run.snapshot(), usual.refreshed);
  await run.stack.destroy();
  compare("after the destruction", await run.snapshot(), usual.destroyed);

  await run.noteSecrets();
  const shown = await pool.takeShown();
  const inState = run.stack.kept.map((properties) => JSON.stringify(withoutSecrets(properties)));
  if (without !== undefined && !shown.some((text) => without.announced.test(text))) {
    report("lost", "state does not know what it usually knows, and no message names it");
  }
  for (const text of [...shown, ...inState]) {
    run.secretsIn(text).forEach((secret) => report("leaked", `${secret} is shown or kept: ${text}`));
  }
  return { struck, named, problems };
}

/** Deletes what a lost response has left, as the service or the user will. @returns the number of objects */
async function endLeftovers(
  { faultCase, prepared, stack, pool }: FaultRun,
  { operation, fault }: Experiment,
  errors: readonly string[],
  report: Report,
): Promise<number> {
  const { leftByLostResponse: leftovers } = faultCase;
  const holdings = await pool.target.inspect();
  const traces = leftovers?.find(holdings) ?? [];
  const found = traces.filter(({ id }) => !stack.knows(id));
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
  for (const { id } of found) {
    const lease = holdings.secrets.leases.find((each) => each.id === id);
    if (lease?.expiresAt === null) {
      report("lost", "what is left in the service never ends");
    }
    await (lease === undefined
      ? faultCase.deleteByHand?.(prepared.context, id)
      : pool.target.revokeLease(id));
  }
  return found.length;
}

async function tooLate(): Promise<never> {
  await sleep(60_000, undefined, { ref: false });
  throw new Error("The operation does not end.");
}

function objectsIn({ provisioning, secrets, scheduler }: Snapshot): number {
  const kinds = Object.values({ ...provisioning, ...secrets, ...scheduler });
  return kinds.filter(Array.isArray).flat().length;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @returns `undefined` where there is none */
export function difference(actual: unknown, expected: unknown): string | undefined {
  try {
    assert.deepEqual(actual, expected);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * How long a fault lasts, and what the library is allowed to do:
 *
 * - `retried`: it hits one request, and the library can retry;
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
  readonly patience?: Partial<typeof patient>;
}

function status(code: number, message: string, more: object = {}) {
  const headers = { "content-type": "application/json", ...more };
  return { status: code, headers, body: JSON.stringify({ errors: [message] }) };
}

const extents: readonly Extent[] = ["retried", "final"];
const single = { extents, applied: "never" } as const;
const everything = { extents: [...extents, "outage"], applied: "never" } as const;
const afterwards = { applied: "at once" } as const;
const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";
const html = { status: 502, headers: { "content-type": "text/html" }, body: page };
const rateLimits = { "X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.02" };
const stalled = { ...everything, effect: "hold", patience: { requestTimeout: "400ms" } } as const;
const killed = { ...single, extents: ["final"], effect: "hold", kills: true } as const;

export const faultKinds: readonly FaultKind[] = [
  { ...everything, name: "connection refused" },
  { ...everything, name: "reset before processing", effect: "reset" },
  { ...everything, name: "reset after processing", effect: "reset", ...afterwards },
  { ...single, name: "response cut in half", effect: "half", ...afterwards },
  { ...single, name: "429", effect: status(429, "too many requests") },
  { ...single, name: "429 with rate-limit headers", effect: status(429, "too many requests", rateLimits) },
  { ...single, name: "500 before processing", effect: status(500, "internal error") },
  { ...single, name: "500 after processing", effect: status(500, "internal error"), ...afterwards },
  { ...single, name: "502 page before processing", effect: html },
  { ...everything, name: "502 page after processing", effect: html, ...afterwards },
  { ...single, name: "503", effect: status(503, "service unavailable") },
  { ...single, name: "503 with Retry-After", effect: status(503, "unavailable", { "Retry-After": "0.02" }) },
  { ...stalled, name: "stall, never processed" },
  { ...stalled, name: "stall, processed in the end", effect: "late", applied: "late" },
  { ...stalled, name: "stall after processing", ...afterwards },
  { ...killed, name: "process killed before processing" },
  { ...killed, name: "process killed after processing", ...afterwards },
];

/** @returns ends the fault, and tells whether it has hit a request */
type Disarm = () => Promise<boolean>;

/** Affects the next requests, which the proxy counts from 0. */
function arm(pool: ProviderPool, { position, extent, fault }: Experiment, effect: Intervention): Disarm {
  const { proxy } = pool.target;
  proxy.requests.length = 0;
  let hits = 0;
  const strike = ({ number }: SeenRequest): Intervention => {
    if (number < position || (number > position && extent !== "outage")) {
      return undefined;
    }
    hits += 1;
    if (fault.kills === true) {
      pool.kill();
    }
    return effect;
  };
  proxy[fault.applied === "at once" ? "after" : "before"] = strike;
  return async () => {
    proxy.before = proxy.after = undefined;
    await proxy.processLate();
    return hits > 0;
  };
}

/** Milliseconds: longer than a refused attempt, and shorter than the shortest back-off. */
const reopensAfter = 150;
const shortestPause = 240;

/** The next connection after the response to the previous request is refused. */
function refuse({ target: { proxy } }: ProviderPool, { position, extent }: Experiment): Disarm {
  let begun = Infinity;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): undefined => {
    begun = performance.now();
    proxy.refuse();
    timer = extent === "retried" ? setTimeout(() => void proxy.open(), reopensAfter) : undefined;
  };
  proxy.requests.length = 0;
  proxy.before = ({ number }) => (number === position - 1 ? begin() : undefined);
  if (position === 0) {
    begin();
  }
  return async () => {
    clearTimeout(timer);
    const waited = performance.now() - begun;
    proxy.before = undefined;
    await proxy.open();
    return waited > (extent === "retried" ? shortestPause : 0);
  };
}
