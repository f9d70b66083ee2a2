import assert from "node:assert/strict";
import type { Properties } from "../../support/provider-process";
import { type SeenRequest, services } from "../../support/proxy";
import { FakeEngine } from "../../support/fake-engine";
import { canAdopt } from "../../cases/support/case";
import { inClear } from "../../support/values";
import { definitions, newMark, type PreparedCase } from "../../support/services";
import type { FaultCase, Holdings } from "./fault-target";
import type { ProviderPool } from "./provider-pool";

/** In the engine's terms; a rename creates first, and then deletes the old entry. */
export const operations = ["create", "read", "update", "delete", "rename", "rename with adopt"] as const;

export type OperationName = (typeof operations)[number];

export class FaultRun {
  readonly stack: FakeEngine;
  private readonly secrets: Set<string>;

  private constructor(
    readonly pool: ProviderPool,
    readonly faultCase: FaultCase,
    private readonly prepared: PreparedCase,
    private readonly mark: string,
  ) {
    const definition = definitions.get(faultCase.type) ?? assert.fail(faultCase.type);
    this.stack = new FakeEngine(definition, pool.accessTo(faultCase));
    this.secrets = new Set([...Object.values(pool.target.tokens), ...faultCase.canaries]);
  }

  static async begin(pool: ProviderPool, faultCase: FaultCase): Promise<FaultRun> {
    const mark = newMark();
    const prepared = await pool.begin(faultCase, mark);
    return new FaultRun(pool, faultCase, prepared, mark);
  }

  async before(operation: OperationName): Promise<void> {
    if (operation !== "create") {
      await this.stack.up(this.prepared.made);
    }
  }

  /** @param more additional arguments for this run only */
  async operate(operation: OperationName, more: Properties = {}): Promise<void> {
    const { stack } = this;
    switch (operation) {
      case "create":
      case "update":
        await stack.up({ ...this.program(operation), ...more });
        break;
      case "rename":
      case "rename with adopt":
        stack.rename("renamed");
        await stack.up({
          ...this.program(operation),
          ...(operation === "rename" ? {} : { adopt: true }),
          ...more,
        });
        break;
      case "read":
        await stack.refresh();
        break;
      case "delete":
        await stack.destroy();
        break;
    }
    await this.noteSecrets();
  }

  program(operation: OperationName): Properties {
    const { made, changed } = this.prepared;
    return operation === "update" ? changed : made;
  }

  /** Repeats the operation with `adopt` where the first attempt asks for it. */
  async requestsOf(operation: OperationName): Promise<readonly SeenRequest[]> {
    const { requests: passed } = this.pool.target.proxy;
    passed.length = 0;
    try {
      await this.operate(operation);
      return [...passed];
    } catch (error) {
      if (operation !== "rename" || !asksToAdopt(error)) {
        throw error;
      }
    }
    const requests = [...passed];
    await this.operate(operation, { adopt: true });
    return requests;
  }

  inspect(): Promise<Holdings> {
    return this.pool.target.inspect();
  }

  /** State and services in a form that is the same for all runs of this program. */
  async snapshot(): Promise<Snapshot> {
    const { resource } = this.stack;
    const { mark } = this;
    const { proxy, names: others } = this.pool.target;
    const names = {
      ...this.faultCase.aliases?.(resource?.outputs),
      ...Object.fromEntries(services.map((service) => [proxy.address(service), "<address>"])),
      ...others,
      [mark]: "<mark>",
    };
    const { provisioning, secrets, scheduler } = await this.inspect();
    const state =
      resource === undefined
        ? undefined
        : {
            id: resource.id,
            inputs: withoutAdopt(resource.inputs),
            outputs: withoutAdopt(withoutGeneration(resource.outputs)),
            incomplete: resource.incomplete,
            deleted: resource.deleted,
          };
    return canonical({ provisioning, secrets, scheduler, state }, names) as Snapshot;
  }

  /** Secrets may be gone from the services by the time they are searched for. */
  async noteSecrets(): Promise<void> {
    collectSecrets(await this.pool.target.secretsIn(this.stack.kept.map(inClear)), this.secrets);
  }

  shownIn(text: string): string[] {
    return [...this.secrets].filter((secret) => text.includes(secret));
  }
}

export interface Snapshot {
  readonly provisioning: unknown;
  readonly secrets: unknown;
  readonly scheduler: unknown;
  readonly state: unknown;
}

/** The generation differs in each run. */
function withoutGeneration({ __generation, ...others }: Properties): Properties {
  return others;
}

/** `adopt` is set in one run only, and leaves nothing but a mark that it was given. */
function withoutAdopt({ adopt, __generation: generation, ...others }: Properties): Properties {
  const { adopt: given, ...__managed } = (others.__managed ?? {}) as Properties;
  return { ...others, ...(others.__managed === undefined ? {} : { __managed }) };
}

/** Members of the services' records that contain secrets. */
const secretMembers = new Set([
  "password",
  "lastPassword",
  "bindpass",
  "key",
  "url",
  "secretId",
  "secretKey",
  "integrationKey",
  "clientTlsKey",
  "clientKey",
  "token",
]);

/** Shorter ones would match by chance. */
const shortest = 16;

function collectSecrets(value: unknown, into: Set<string>, isSecret = false): void {
  if (typeof value === "string") {
    if (isSecret && value.length >= shortest && !/^ldap/i.test(value)) {
      into.add(value);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      collectSecrets(inner, into, Array.isArray(value) ? isSecret : secretMembers.has(name));
    }
  }
}

/** A run without faults, to compare with. */
export interface CleanRun {
  readonly requests: Readonly<Record<OperationName, readonly string[]>>;
  /** After each operation, after a refresh, and after the destruction. */
  readonly snapshots: Readonly<Record<OperationName, Snapshots>>;
  /** The same for a creation after one that state has lost. */
  readonly forgotten: Snapshots;
}

interface Snapshots {
  readonly done: Snapshot;
  readonly refreshed: Snapshot;
  readonly destroyed: Snapshot;
}

export async function runCleanly(pool: ProviderPool, faultCase: FaultCase): Promise<CleanRun> {
  const requests: Partial<Record<OperationName, readonly string[]>> = {};
  const snapshots: Partial<Record<OperationName, Snapshots>> = {};
  for (const operation of operationsOf(faultCase)) {
    const seen = await observe(pool, faultCase, operation);
    requests[operation] = seen.requests;
    snapshots[operation] = seen.snapshots;
  }
  const forgotten =
    faultCase.forgets === true
      ? (await observe(pool, faultCase, "create", true)).snapshots
      : snapshots.create;
  await pool.takeShown();
  return { requests, snapshots, forgotten } as CleanRun;
}

export function operationsOf({ type, provider }: FaultCase): readonly OperationName[] {
  if (provider !== undefined) {
    // Flawed projects need not reject an existing object.
    return operations.filter((operation) => !operation.startsWith("rename"));
  }
  const definition = definitions.get(type);
  const adopts = definition !== undefined && canAdopt(definition);
  return operations.filter((operation) => adopts || operation !== "rename with adopt");
}

async function observe(
  pool: ProviderPool,
  faultCase: FaultCase,
  operation: OperationName,
  afterForgottenCreation = false,
): Promise<{ readonly requests: readonly string[]; readonly snapshots: Snapshots }> {
  const run = await FaultRun.begin(pool, faultCase);
  await run.before(operation);
  if (afterForgottenCreation) {
    await run.operate("create");
    run.stack.forget();
  }
  const requests = (await run.requestsOf(operation)).map(({ method, target }) => `${method} ${target}`);
  const done = await run.snapshot();
  await run.stack.refresh();
  const refreshed = await run.snapshot();
  await run.stack.destroy();
  return { requests, snapshots: { done, refreshed, destroyed: await run.snapshot() } };
}

/** What differs between two runs of the same program, in the order of the replacements. */
const times =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| UTC)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g;
const seconds = /(?<![a-z\d-])\d{10,13}(?![a-z\d-])/gi;
// Barcodes, ids, generated passwords and keys, ports, names on real servers.
const random =
  /[\w+/]{200,}={0,2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?<![a-z\d])[a-z\d]{16,}(?![a-z\d])|(?<=(?:ldap|directory|scheduler|userpass)_)[\da-f]{8}|(?<=127\.0\.0\.1:)\d+|trivium-[\da-f]{8}/gi;

/** Random values become numbers in the order of appearance, and lists are sorted: equal values stay equal. */
function canonical(value: unknown, names: Readonly<Record<string, string>>): unknown {
  const common = (text: string): string => {
    let result = text;
    for (const [own, shared] of Object.entries(names)) {
      result = result.replaceAll(own, shared);
    }
    return result.replace(times, "<time>").replace(seconds, "<seconds>");
  };
  const ordered = mapTexts(value, common, (list) =>
    [...list].sort((left, right) => compare(shape(left), shape(right))),
  );
  const numbers = new Map<string, string>();
  const numbered = (found: string): string => {
    const known = numbers.get(found) ?? `<random ${numbers.size + 1}>`;
    numbers.set(found, known);
    return known;
  };
  return mapTexts(ordered, (text) => text.replace(random, numbered));
}

/** All random values look the same in it. */
function shape(value: unknown): string {
  return JSON.stringify(mapTexts(value, (text) => text.replace(random, "<random>")));
}

function mapTexts(
  value: unknown,
  change: (text: string) => string,
  order: (list: readonly unknown[]) => readonly unknown[] = (list) => list,
): unknown {
  const walk = (part: unknown): unknown => {
    if (typeof part === "string") {
      return change(part);
    }
    if (typeof part === "number") {
      return part > 1e9 ? "<seconds>" : part;
    }
    if (Array.isArray(part)) {
      return order(part.map(walk));
    }
    if (typeof part === "object" && part !== null) {
      const entries = Object.entries(part).sort(([left], [right]) => compare(left, right));
      return Object.fromEntries(entries.map(([name, inner]) => [name, walk(inner)]));
    }
    return part;
  };
  return walk(value);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether an operation failed because an object exists that `adopt` would accept. */
export function asksToAdopt(error: unknown): boolean {
  return /\badopt\b/.test(error instanceof Error ? error.message : String(error));
}
