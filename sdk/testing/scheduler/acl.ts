import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { either, flag, name, names, object, oneOf, optional } from "../forms";
import type { Caller, Tokens } from "../tokens";
import type { EventStream } from "./event-stream";
import { SchedulerPermissions, type SchedulerAccess } from "./rights";

/** A named set of rights that tokens can be given. */
export interface PolicyRecord {
  readonly name: string;
  /** Nodes. */
  readonly readNodes: boolean;
  /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. */
  readonly readJobs: "*" | readonly string[];
}

/** A policy to set up. */
export interface NewPolicy {
  readonly name: string;
  /** Default false. */
  readonly readNodes?: boolean;
  /** Default none. */
  readonly readJobs?: "*" | readonly string[];
}

/** What a seed says of a policy. */
export const policyForm = object<NewPolicy>({
  name,
  readNodes: optional(flag),
  readJobs: optional(either(oneOf("*"), names, '"*" or a list of strings')),
});

interface StoredPolicy {
  readonly policy: PolicyRecord;
  /** Of the event with which it came. */
  readonly createIndex: number;
}

/** The scheduler's ACL policies. What happens to one appears in the event stream. */
class Policies {
  private readonly stored = new Map<string, StoredPolicy>();
  private readonly changeListeners: ((name: string) => void)[] = [];

  constructor(private readonly events: EventStream) {}

  /** Also in place of the policy that has the same name. */
  set({ name, readNodes = false, readJobs = [] }: NewPolicy): PolicyRecord {
    const policy = { name, readNodes, readJobs: readJobs === "*" ? readJobs : [...readJobs] };
    const index = this.events.nextIndex;
    const stored = { policy, createIndex: this.stored.get(name)?.createIndex ?? index };
    this.stored.set(name, stored);
    this.emit("ACLPolicyUpserted", stored, index);
    return policy;
  }

  /** @throws Error when there is no such policy */
  remove(name: string): void {
    const stored = this.stored.get(name);
    if (stored === undefined) {
      throw new Error(`The emulator's scheduler has no policy ${JSON.stringify(name)}.`);
    }
    this.stored.delete(name);
    this.emit("ACLPolicyDeleted", stored, this.events.nextIndex);
  }

  /** What several policies allow together. One that does not exist allows nothing. */
  accessOf(names: readonly string[]): Exclude<SchedulerAccess, "management"> {
    const policies = names.flatMap((name) => this.stored.get(name)?.policy ?? []);
    const everywhere = policies.some(({ readJobs }) => readJobs === "*");
    return {
      readNodes: policies.some(({ readNodes }) => readNodes),
      readJobs: everywhere ? "*" : policies.flatMap(({ readJobs }) => readJobs),
    };
  }

  /** Calls back with the name of a policy that was written or removed. */
  onChange(listener: (name: string) => void): void {
    this.changeListeners.push(listener);
  }

  all(): PolicyRecord[] {
    return Array.from(this.stored.values(), ({ policy }) => policy);
  }

  clear(): void {
    this.stored.clear();
  }

  private emit(type: string, { policy, createIndex }: StoredPolicy, index: number): void {
    const ACLPolicy = {
      Name: policy.name,
      Description: "",
      Rules: rulesOf(policy),
      CreateIndex: createIndex,
      ModifyIndex: index,
    };
    this.events.emit({ topic: "ACLPolicy", type, key: policy.name, payload: { ACLPolicy } }, index);
    for (const listener of this.changeListeners) {
      listener(policy.name);
    }
  }
}

/** Whether a token may do everything, or what its policies say. */
export type AclTokenType = "client" | "management";

/** A token that somebody has had the scheduler make. */
export interface AclTokenRecord {
  /** Names the token without giving access: a UUID. */
  readonly accessorId: string;
  /** The token itself: a UUID. */
  readonly secretId: string;
  readonly name: string;
  readonly type: AclTokenType;
  /** Names of policies, which need not exist. */
  readonly policies: readonly string[];
  /** Whether it counts in all regions. */
  readonly global: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** What kind of token to make. */
export type NewAclToken = Pick<AclTokenRecord, "name" | "type" | "policies" | "global">;

interface StoredToken {
  readonly record: AclTokenRecord;
  readonly caller: Caller<SchedulerPermissions> | undefined;
  /** Of the event with which it came. */
  readonly createIndex: number;
}

/**
 * Tokens that the scheduler makes at somebody's request. They are valid for the emulated scheduler, with the rights
 * of their type and policies, until they are revoked; both appear in the event stream.
 */
export class AclTokens {
  private readonly stored = new Map<string, StoredToken>();

  constructor(
    private readonly tokens: Tokens<SchedulerPermissions>,
    private readonly policies: Policies,
    private readonly events: EventStream,
    private readonly clock: EmulatorClock,
  ) {
    tokens.onRevoked((caller) => this.noteRevoked(caller));
    policies.onChange((name) => this.closeStreamsUnder(name));
  }

  add(token: NewAclToken): AclTokenRecord {
    const { type, policies, name } = token;
    const record: AclTokenRecord = {
      ...token,
      policies: [...policies],
      accessorId: randomUUID(),
      secretId: randomUUID(),
      createdAt: new Date(this.clock.now()).toISOString(),
    };
    const rights = new SchedulerPermissions(
      type === "management" ? type : () => this.policies.accessOf(record.policies),
    );
    this.tokens.add({ name }, rights, record.secretId);
    const stored = {
      record,
      caller: this.tokens.find(record.secretId),
      createIndex: this.events.nextIndex,
    };
    this.stored.set(record.accessorId, stored);
    this.emit("ACLTokenUpserted", stored);
    return record;
  }

  /** Makes a token invalid. One that is not there any more counts as done. */
  revoke(accessorId: string): void {
    const stored = this.stored.get(accessorId);
    if (stored !== undefined) {
      this.tokens.revoke(stored.record.secretId);
    }
  }

  /** The token with which somebody calls; `undefined` when it was set up and not made. */
  recordOf(caller: Caller<SchedulerPermissions>): AclTokenRecord | undefined {
    return [...this.stored.values()].find((stored) => stored.caller === caller)?.record;
  }

  /** Whether a token is valid and may do everything. */
  isManagement(token: string): boolean {
    return this.tokens.find(token)?.rights.isManagement ?? false;
  }

  all(): AclTokenRecord[] {
    return Array.from(this.stored.values(), ({ record }) => record);
  }

  clear(): void {
    this.stored.clear();
  }

  /** However it was revoked: by its lease's end, or by a test. */
  private noteRevoked(caller: Caller<SchedulerPermissions>): void {
    for (const [accessorId, stored] of this.stored) {
      if (stored.caller === caller) {
        this.stored.delete(accessorId);
        this.emit("ACLTokenDeleted", stored);
      }
    }
  }

  /** Readers have to subscribe anew, with the rights that they have then. */
  private closeStreamsUnder(policy: string): void {
    for (const { record, caller } of this.stored.values()) {
      if (caller !== undefined && record.type === "client" && record.policies.includes(policy)) {
        this.events.disconnectCaller(caller);
      }
    }
  }

  private emit(type: string, { record, createIndex }: StoredToken): void {
    const index = this.events.nextIndex;
    const ACLToken = {
      AccessorID: record.accessorId,
      // The stream shows who got a token, never the token.
      SecretID: "",
      Name: record.name,
      Type: record.type,
      Policies: record.policies,
      Roles: [],
      Global: record.global,
      CreateTime: record.createdAt,
      ExpirationTime: null,
      ExpirationTTL: "",
      CreateIndex: createIndex,
      ModifyIndex: index,
    };
    this.events.emit({ topic: "ACLToken", type, key: record.accessorId, payload: { ACLToken } }, index);
  }
}

/** Who may do what in the scheduler. */
export interface AclInspection {
  readonly policies: readonly PolicyRecord[];
  /** What the scheduler has made at somebody's request, and not revoked. */
  readonly aclTokens: readonly AclTokenRecord[];
}

/** Sets up what the documents give no endpoint for; each change appears in the event stream. */
export interface AclSetup {
  /**
   * Says what a policy's name allows; from the start there are none. Also in place of the one that has the same name:
   * streams of tokens that have it end.
   */
  addPolicy(policy: NewPolicy): PolicyRecord;
  /** @throws Error when there is no such policy */
  removePolicy(name: string): void;
}

/** The scheduler's access control: policies, and tokens made from them. */
export class Acl {
  readonly tokens: AclTokens;
  readonly setup: AclSetup;
  private readonly policies: Policies;

  /** @param tokens all that the scheduler accepts */
  constructor(tokens: Tokens<SchedulerPermissions>, events: EventStream, clock: EmulatorClock) {
    const policies = new Policies(events);
    this.policies = policies;
    this.tokens = new AclTokens(tokens, policies, events, clock);
    this.setup = {
      addPolicy: (policy) => structuredClone(policies.set(policy)),
      removePolicy(name) {
        policies.remove(name);
      },
    };
  }

  inspect(): AclInspection {
    return { policies: this.policies.all(), aclTokens: this.tokens.all() };
  }

  clear(): void {
    this.policies.clear();
    this.tokens.clear();
  }
}

/** The policy in the scheduler's own language. */
function rulesOf({ readNodes, readJobs }: PolicyRecord): string {
  const namespaces = [readJobs].flat().map((name) => `namespace "${name}" { capabilities = ["read-job"] }`);
  return [...(readNodes ? ['node { policy = "read" }'] : []), ...namespaces].join("\n");
}
