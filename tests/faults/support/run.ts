import { canAdopt } from "../../cases/support/case";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import type { SeenRequest } from "../../support/proxy";
import { definitions, newMark, type PreparedCase, type TriedCase } from "../../support/services";
import { textsOfMembers } from "../../support/texts";
import { inClear } from "../../support/values";
import { lentNames } from "./library-checkout";
import type { ProviderPool } from "./pool";

/** In the engine's terms; a rename creates first, and then deletes the old entry. */
export const operations = ["create", "read", "update", "delete", "rename", "rename with adopt"] as const;

export type OperationName = (typeof operations)[number];

export class FaultRun {
  readonly stack: FakeEngine;
  private readonly secrets: Set<string>;

  private constructor(
    readonly pool: ProviderPool,
    readonly faultCase: TriedCase,
    readonly prepared: PreparedCase,
    private readonly mark: string,
  ) {
    this.stack = new FakeEngine(definitions.get(faultCase.type), pool.accessTo(faultCase));
    this.secrets = new Set([...Object.values(pool.target.tokens), ...faultCase.canaries]);
  }

  /** Everything that precedes the operation. */
  static async before(operation: OperationName, faultCase: TriedCase, pool: ProviderPool): Promise<FaultRun> {
    const mark = newMark();
    const run = new FaultRun(pool, faultCase, await pool.prepare(faultCase, mark), mark);
    await (operation === "create" ? undefined : run.stack.up(run.prepared.valid));
    return run;
  }

  /** @param more additional arguments for this run only */
  async operate(operation: OperationName, more: Properties = {}): Promise<void> {
    const { stack } = this;
    const adopt: Properties = operation === "rename with adopt" ? { adopt: true } : {};
    stack.rename(operation.startsWith("rename") ? "renamed" : "subject");
    await (operation === "read"
      ? stack.refresh()
      : operation === "delete"
        ? stack.destroy()
        : stack.up({ ...this.program(operation), ...adopt, ...more }));
    await this.noteSecrets();
  }

  program(operation: OperationName): Properties {
    return operation === "update" ? this.prepared.changed : this.prepared.valid;
  }

  /** Repeats the operation with `adopt` where the first attempt asks for it. @returns the requests of the first */
  async requestsOf(operation: OperationName): Promise<readonly SeenRequest[]> {
    const { requests: passed } = this.pool.target.proxy;
    passed.length = 0;
    try {
      await this.operate(operation);
      return [...passed];
    } catch (error) {
      if (operation !== "rename" || !asksToAdopt(String(error))) {
        throw error;
      }
    }
    const requests = [...passed];
    await this.operate(operation, { adopt: true });
    return requests;
  }

  /** State and services in a form that is the same for all runs of this program. */
  async snapshot(): Promise<Snapshot> {
    const { resource } = this.stack;
    const { provisioning, secrets, scheduler } = await this.pool.target.inspect();
    const [inputs, outputs] = [comparable(resource?.inputs ?? {}), comparable(resource?.outputs ?? {})];
    const state = resource && { ...resource, name: undefined, inputs, outputs };
    const lent = lentNames(this.faultCase.type, resource?.outputs);
    const names = { ...lent, [this.mark]: "<mark>" };
    return canonical({ provisioning, secrets, scheduler, state }, names) as Snapshot;
  }

  /** By the time secrets are searched for, the services might no longer have them. */
  async noteSecrets(): Promise<void> {
    textsOfMembers([await this.pool.target.inspect(), this.stack.kept.map(inClear)], secretMembers)
      .filter((text) => text.length >= shortest && !/^ldap/i.test(text))
      .forEach((text) => this.secrets.add(text));
  }

  secretsIn(text: string): string[] {
    return [...this.secrets].filter((secret) => text.includes(secret));
  }
}

export type Snapshot = Readonly<Record<"provisioning" | "secrets" | "scheduler", Properties>> & {
  readonly state?: { readonly outputs: Properties };
};

/** The generation differs in each run. `adopt` is set in one run only, and leaves nothing but a mark that it was given. */
function comparable({ adopt, __generation, ...others }: Properties): Properties {
  const { adopt: given, ...__managed } = (others.__managed ?? {}) as Properties;
  return { ...others, ...(others.__managed === undefined ? {} : { __managed }) };
}

/** Members of state and of the services' records. */
const secretMembers =
  /^(?:(?:last)?password|bindpass|key|url|secretId|(?:secret|integration|client|clientTls)Key|token)$/i;

/** Shorter ones would match by chance. */
const shortest = 16;

export type CleanRun = Awaited<ReturnType<typeof runCleanly>>;

/**
 * Runs without faults, to compare with. The snapshots are those after each operation, after a refresh, and after the
 * destruction; `forgotten` has the same for a creation after one that state has lost.
 */
export async function runCleanly(pool: ProviderPool, faultCase: TriedCase) {
  const requests = {} as Record<OperationName, readonly string[]>;
  const observe = async (operation: OperationName, afterForgottenCreation = false) => {
    const run = await FaultRun.before(operation, faultCase, pool);
    if (afterForgottenCreation) {
      await run.operate("create");
      run.stack.forget();
    }
    const passed = await run.requestsOf(operation);
    const names = passed.map(({ method, target }) => `${method} ${target}`);
    requests[operation] = afterForgottenCreation ? requests[operation] : names;
    const done = await run.snapshot();
    await run.stack.refresh();
    const refreshed = await run.snapshot();
    await run.stack.destroy();
    return { done, refreshed, destroyed: await run.snapshot() };
  };
  const snapshots = {} as Record<OperationName, Awaited<ReturnType<typeof observe>>>;
  for (const operation of operationsOf(faultCase)) {
    snapshots[operation] = await observe(operation);
  }
  const { arguments: rows = {} } = definitions.get(faultCase.type) ?? {};
  // What was there before is lost with the process, so that a deletion cannot restore it.
  const forgotten = "onDestroy" in rows ? await observe("create", true) : snapshots.create;
  await pool.takeShown();
  return { requests, snapshots, forgotten };
}

export function operationsOf({ type, dialect }: TriedCase): readonly OperationName[] {
  const definition = definitions.get(type);
  const adopts = definition !== undefined && canAdopt(definition, [dialect]);
  return operations.filter((operation) => adopts || operation !== "rename with adopt");
}

/** What differs between two runs of the same program, in the order of the replacements. */
const times =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| UTC)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g;
const seconds = /(?<![a-z\d-])\d{10,13}(?![a-z\d-])/gi;
// Barcodes, ids, generated passwords and keys, ports, names on real servers.
const random =
  /[\w+/]{200,}={0,2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?<![a-z\d])[a-z\d]{16,}(?![a-z\d])|(?<=(?:ldap|directory|scheduler|nomad|userpass)_)[\da-f]{8}|(?<=127\.0\.0\.1:)\d+|trivium-[\da-f]{8}/gi;

/** Random values become numbers in the order of appearance, and lists are sorted: equal values stay equal. */
function canonical(value: unknown, names: Readonly<Record<string, string>>): unknown {
  const common = (text: string): string => {
    const shared = Object.entries(names).reduce((all, [own, name]) => all.replaceAll(own, name), text);
    return shared.replace(times, "<time>").replace(seconds, "<seconds>");
  };
  const ordered: unknown = JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    if (Array.isArray(part)) {
      return inOrder<unknown>(part, (item) => JSON.stringify(item).replace(random, "<random>"));
    }
    if (typeof part === "object" && part !== null) {
      return Object.fromEntries(inOrder(Object.entries(part), ([name]) => name));
    }
    const isMoment = typeof part === "number" && part > 1e9;
    return typeof part === "string" ? common(part) : isMoment ? "<seconds>" : part;
  });
  const found: string[] = [];
  const numbered = (text: string): string => {
    found.push(...(found.includes(text) ? [] : [text]));
    return `<random ${found.indexOf(text) + 1}>`;
  };
  return JSON.parse(JSON.stringify(ordered), (_name, part: unknown) =>
    typeof part === "string" ? part.replace(random, numbered) : part,
  );
}

function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const keyed = items.map((item) => [keyOf(item), item] as const);
  return keyed.sort(([left], [right]) => (left < right ? -1 : Number(left > right))).map(([, item]) => item);
}

/** Whether an operation failed because an object exists that `adopt` would accept. */
export function asksToAdopt(message = ""): boolean {
  return /\badopt\b/.test(message);
}
