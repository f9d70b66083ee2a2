import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../support/provider-process";
import { asksToAdopt } from "./adoption";
import type { CleanLife } from "./clean-life";
import { difference } from "./difference";
import type { FaultCase } from "./fault-case";
import { type Extent, type FaultKind, patienceOf } from "./fault-kinds";
import { patient, type Laboratory } from "./laboratory";
import { Life, type OperationName, type Picture } from "./life";

/** What may be wrong after a fault. */
export const problemKinds = ["lost", "duplicated", "leaked", "inconsistent"] as const;

/** Something that is wrong after a fault. */
export interface Problem {
  readonly kind: (typeof problemKinds)[number];
  readonly text: string;
}

/** One fault for one request of one operation. */
export interface Experiment {
  readonly faultCase: FaultCase;
  readonly operation: OperationName;
  readonly position: number;
  readonly fault: FaultKind;
  readonly extent: Extent;
}

/** What came of it. */
export interface Verdict {
  readonly struck: boolean;
  /** How much was left in the service, named, for the service or for people to end. */
  readonly named: number;
  readonly problems: readonly Problem[];
}

/** Lets a fault happen, does the operation again as a user would, and looks at what there is then. */
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
  // Once more, and once again where that is told to take over what the first run has made.
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
    for (const secret of life.shownIn(JSON.stringify(withoutWrapped(properties)))) {
      report("leaked", `${secret} is kept in clear`);
    }
  }
  return { struck, named, problems };
}

/** Looks at what a lost answer has left, and ends it as the service or a person will. @returns how much that was */
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
  // A process that is killed later than that loses what an earlier request has brought.
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

/** The same with another memory in state. */
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

/** In milliseconds; no operation takes a tenth of that. */
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

/** How many objects the services hold, of all kinds. */
function objectsIn({ provisioning, secrets, scheduler }: Picture): number {
  return [provisioning, secrets, scheduler]
    .flatMap((service) => Object.values(service as Readonly<Record<string, unknown>>))
    .reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

const signatureKey = "4dabf18193072939515e22adb298388d";

/** What is kept in clear: all that is not marked as secret. */
function withoutWrapped(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutWrapped);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return signatureKey in value
    ? "[secret]"
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutWrapped(inner)]));
}
