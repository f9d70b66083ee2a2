import { inClear } from "../../contract/support/values";
import type { Properties } from "../../support/provider-process";
import { services } from "../../support/proxy";
import type { Holdings, SeenRequest } from "./bench";
import { canonical } from "./canonical";
import type { Declared } from "./declared";
import type { FaultCase } from "./fault-case";
import { asksToAdopt } from "./adoption";
import type { Laboratory } from "./laboratory";
import { OneResourceStack } from "./one-resource-stack";

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
