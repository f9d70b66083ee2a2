import type { Properties } from "../../support/provider-process";
import { services } from "../../support/proxy";
import { inClear } from "../../support/values";
import type { Declared, FaultCase, Holdings, SeenRequest } from "./bench";
import type { Laboratory } from "./laboratory";
import { definitions, OneResourceStack } from "./one-resource-stack";

/** What is done to a resource, in the engine's terms; a rename creates, and deletes the old entry then. */
export const operations = ["create", "read", "update", "delete", "rename", "rename with adopt"] as const;

/** One of them. */
export type OperationName = (typeof operations)[number];

let marks = 0;

/** A resource with its services: what the program says, what is in state, what is in the services. */
export class Life {
  readonly stack: OneResourceStack;
  /** Every secret that has been there so far. */
  private readonly secrets: Set<string>;

  private constructor(
    readonly laboratory: Laboratory,
    readonly faultCase: FaultCase,
    private readonly declared: Declared,
    private readonly mark: string,
  ) {
    this.stack = new OneResourceStack(faultCase.type, laboratory.operateOn(faultCase));
    this.secrets = new Set([...Object.values(laboratory.bench.tokens), ...faultCase.canaries]);
  }

  /** Begins in empty services. */
  static async begin(laboratory: Laboratory, faultCase: FaultCase): Promise<Life> {
    marks += 1;
    // Long enough to be in no random id by chance.
    const mark = `mark${marks}q`;
    const declared = await laboratory.begin(faultCase, mark);
    return new Life(laboratory, faultCase, declared, mark);
  }

  /** Brings the resource to where an operation can begin. */
  async before(operation: OperationName): Promise<void> {
    if (operation !== "create") {
      await this.stack.up(this.declared.made);
    }
  }

  /**
   * One operation of the CLI.
   *
   * @param more arguments that the program has for this run only
   */
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

  /** What the program says when an operation is done. */
  program(operation: OperationName): Properties {
    const { made, changed } = this.declared;
    return operation === "update" ? changed : made;
  }

  /** The requests of an operation, which is done again where it has to be told to take over what it has found. */
  async requestsOf(operation: OperationName): Promise<readonly SeenRequest[]> {
    const { journal } = this.laboratory.bench;
    journal.clear();
    try {
      await this.operate(operation);
      return journal.requests();
    } catch (error) {
      if (operation !== "rename" || !asksToAdopt(error)) {
        throw error;
      }
    }
    const requests = journal.requests();
    await this.operate(operation, { adopt: true });
    return requests;
  }

  inspect(): Promise<Holdings> {
    return this.laboratory.bench.inspect();
  }

  /** State and services together, in a form that is the same for all lives of this program. */
  async picture(): Promise<Picture> {
    const { resource } = this.stack;
    const { mark } = this;
    const { proxy, names: others } = this.laboratory.bench;
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
    return canonical({ provisioning, secrets, scheduler, state }, names) as Picture;
  }

  /** Adds the secrets that are in the services now, which may be gone when they are looked for. */
  async noteSecrets(): Promise<void> {
    const { bench } = this.laboratory;
    // A real service shows few of its secrets; state has those that it gave away.
    const held = bench.emulator === undefined ? this.stack.kept.map(inClear) : await this.inspect();
    collectSecrets(held, this.secrets);
  }

  /** The secrets that a text shows in clear. */
  shownIn(text: string): string[] {
    return [...this.secrets].filter((secret) => text.includes(secret));
  }
}

/** State and services at one moment. */
export interface Picture {
  readonly provisioning: unknown;
  readonly secrets: unknown;
  readonly scheduler: unknown;
  readonly state: unknown;
}

/** What tells an entry of the state from others of the same object is another one in each run. */
function withoutGeneration({ __generation, ...others }: Properties): Properties {
  return others;
}

/** To take something over is asked for in one run only; nothing of it may be left but that the argument was given. */
function withoutAdopt({ adopt, __generation: generation, ...others }: Properties): Properties {
  const { __managed: managed } = others;
  if (!Array.isArray(managed)) {
    return others;
  }
  const [names, { adopt: given, ...further }] = managed as [string, Properties];
  const { __managed: _managed, __at: at, ...rest } = others;
  if (names === "*" && Object.keys(further).length === 0 && typeof at === "string") {
    return { ...rest, __at: `*${at}` };
  }
  return { ...others, __managed: Object.keys(further).length === 0 ? names : [names, further] };
}

/** The members of the services' records that hold secrets, whoever made them. */
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

/** Shorter ones would be found by chance. */
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

/** How a life goes when nothing happens, to compare with. */
export interface CleanLife {
  /** The requests of each operation, as `GET /v1/ldap/config`. */
  readonly requests: Readonly<Record<OperationName, readonly string[]>>;
  /** After each operation, with a refresh after it, and with the destruction after that. */
  readonly pictures: Readonly<Record<OperationName, Pictures>>;
  /** The same for the creation after one that nobody remembers. */
  readonly forgotten: Pictures;
}

/** At three moments. */
interface Pictures {
  readonly done: Picture;
  readonly refreshed: Picture;
  readonly destroyed: Picture;
}

/** Lives a life for each operation without any fault. */
export async function liveCleanly(laboratory: Laboratory, faultCase: FaultCase): Promise<CleanLife> {
  const requests: Partial<Record<OperationName, readonly string[]>> = {};
  const pictures: Partial<Record<OperationName, Pictures>> = {};
  for (const operation of operationsOf(faultCase)) {
    const seen = await observe(laboratory, faultCase, operation);
    requests[operation] = seen.requests;
    pictures[operation] = seen.pictures;
  }
  const forgotten =
    faultCase.forgets === true
      ? (await observe(laboratory, faultCase, "create", true)).pictures
      : pictures.create;
  await laboratory.takeShown();
  return { requests, pictures, forgotten } as CleanLife;
}

/** What can be done to a resource of a class. */
export function operationsOf({ type, provider }: FaultCase): readonly OperationName[] {
  if (provider !== undefined) {
    // One that is flawed on purpose, which need not know how to refuse what exists.
    return operations.filter((operation) => !operation.startsWith("rename"));
  }
  const adopts = definitions.get(type)?.arguments.adopt !== undefined;
  return operations.filter((operation) => adopts || operation !== "rename with adopt");
}

async function observe(
  laboratory: Laboratory,
  faultCase: FaultCase,
  operation: OperationName,
  afterForgottenCreation = false,
): Promise<{ readonly requests: readonly string[]; readonly pictures: Pictures }> {
  const life = await Life.begin(laboratory, faultCase);
  await life.before(operation);
  if (afterForgottenCreation) {
    await life.operate("create");
    life.stack.forget();
  }
  const requests = (await life.requestsOf(operation)).map(({ method, path }) => `${method} ${path}`);
  const done = await life.picture();
  await life.stack.refresh();
  const refreshed = await life.picture();
  await life.stack.destroy();
  return { requests, pictures: { done, refreshed, destroyed: await life.picture() } };
}

/** What two runs of the same program never have in common, in the order in which it is looked for. */
const times =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| UTC)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g;
const seconds = /(?<![a-z\d-])\d{10,13}(?![a-z\d-])/gi;
// Pictures, ids, generated passwords and keys, ports, names on real servers.
const random =
  /[\w+/]{200,}={0,2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?<![a-z\d])[a-z\d]{16,}(?![a-z\d])|(?<=(?:ldap|directory|scheduler|userpass)_)[\da-f]{8}|(?<=127\.0\.0\.1:)\d+|trivium-[\da-f]{8}/gi;

/**
 * Brings what a run has left into a form that is the same for every run of the same program: each random value becomes
 * a number, in the order of appearance. Two places that held the same value still do, so that an id in state has to
 * be that of the object in the service. The order of lists does not count.
 *
 * @param names the texts that only this run has, each with what stands for it in all runs
 */
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

/** What a value looks like when no random value is told from another. */
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

/** Whether an operation failed because something exists that it would take over if it were told to. */
export function asksToAdopt(error: unknown): boolean {
  return /\badopt\b/.test(error instanceof Error ? error.message : String(error));
}
