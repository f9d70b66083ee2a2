import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { toMilliseconds, type Duration } from "../duration";
import { either, flag, name, names, object, oneOf } from "../forms";
import { Table } from "../table";
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

/** What a seed returns about a policy. */
export const policyForm = object<NewPolicy>({
  name,
  readNodes: flag.optional(),
  readJobs: either(oneOf("*"), names, '"*" or a list of strings').optional(),
});

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
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** A way to log in, and whom it accepts. */
export interface NewSchedulerLogin {
  /** The name of the auth method. */
  readonly method: string;
  /** The identity that it accepts. */
  readonly jwt: string;
  /** Default `"management"`. */
  readonly type?: AclTokenType;
  /** Names of policies, which need not exist. Default none. */
  readonly policies?: readonly string[];
  /** How long a token lives. Default one hour. */
  readonly ttl?: Duration;
}

/** What kind of token to make. */
export type NewAclToken = Pick<AclTokenRecord, "name" | "type" | "policies" | "global" | "expiresAt">;

/** Who may do what in the scheduler. */
export interface AclInspection {
  readonly policies: readonly PolicyRecord[];
  /** What the scheduler has made at somebody's request, and not revoked. */
  readonly aclTokens: readonly AclTokenRecord[];
}

/** Sets up what the documentation gives no endpoint for; each change appears in the event stream. */
export interface AclSetup {
  /**
   * Says what a policy's name allows; from the start there are none. Also instead of the one that has the
   * same name: streams of tokens that have it end.
   */
  addPolicy(policy: NewPolicy): PolicyRecord;
  /** @throws Error when there is no such policy */
  removePolicy(name: string): void;
  /** Adds a way to log in, in the hashicorp dialect. */
  addLogin(login: NewSchedulerLogin): void;
}

/** What makes tokens of the scheduler, seen from an engine that issues them. */
export type AclTokens = Pick<Acl, "add" | "all" | "isManagement" | "revoke">;

interface StoredPolicy extends PolicyRecord {
  /** Of the event with which it came. */
  readonly createIndex: number;
}

interface StoredToken {
  readonly record: AclTokenRecord;
  readonly caller: Caller<SchedulerPermissions> | undefined;
  /** Of the event with which it came. */
  readonly createIndex: number;
}

/**
 * The scheduler's access control: policies, and tokens that it makes at somebody's request. These are valid for the
 * emulated scheduler, with the rights of their type and policies, until they are revoked. What happens to both appears
 * in the event stream.
 */
export class Acl {
  readonly setup: AclSetup;
  private readonly policies = new Table<StoredPolicy>("policy", ({ name }) => name);
  private readonly logins: NewSchedulerLogin[] = [];
  private readonly made = new Table<StoredToken>("ACL token", ({ record }) => record.accessorId);

  /** @param tokens all that the scheduler accepts */
  constructor(
    private readonly tokens: Tokens<SchedulerPermissions>,
    private readonly events: EventStream,
    private readonly clock: EmulatorClock,
  ) {
    tokens.onRevoked((caller) => this.noteRevoked(caller));
    this.setup = {
      addPolicy: (policy) => structuredClone(this.setPolicy(policy)),
      removePolicy: (name) => this.removePolicy(name),
      addLogin: (login) => void this.logins.push(structuredClone(login)),
    };
  }

  /** Makes a token. */
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
      type === "management" ? type : () => this.accessOf(record.policies),
    );
    this.tokens.add({ name }, rights, record.secretId);
    const caller = this.tokens.find(record.secretId);
    const stored = this.made.set({ record, caller, createIndex: this.events.nextIndex });
    this.emitToken("ACLTokenUpserted", stored);
    return record;
  }

  /**
   * Makes a token for somebody who logs in.
   *
   * @returns why not, if the method does not exist or does not accept the identity
   */
  logIn(method: string, jwt: string): AclTokenRecord | "unknown" | "refused" {
    const named = this.logins.filter((login) => login.method === method);
    const login = named.find((each) => each.jwt === jwt);
    if (login === undefined) {
      return named.length === 0 ? "unknown" : "refused";
    }
    const { type = "management", policies = [], ttl = "1h" } = login;
    const life = toMilliseconds(ttl);
    const expiresAt = new Date(this.clock.now() + life).toISOString();
    const record = this.add({ name: `JWT-${method}`, type, policies, global: false, expiresAt });
    this.clock.after(life, () => this.revoke(record.accessorId));
    return record;
  }

  /** Makes a token invalid. One that is not there any more counts as done. */
  revoke(accessorId: string): void {
    const stored = this.made.find(accessorId);
    if (stored !== undefined) {
      this.tokens.revoke(stored.record.secretId);
    }
  }

  /** The token with which somebody calls; `undefined` when it was set up and not made. */
  recordOf(caller: Caller<SchedulerPermissions>): AclTokenRecord | undefined {
    return this.made.all().find((stored) => stored.caller === caller)?.record;
  }

  /** Whether a token is valid and may do everything. */
  isManagement(token: string): boolean {
    return this.tokens.find(token)?.rights.isManagement ?? false;
  }

  /** The tokens that were made. */
  all(): AclTokenRecord[] {
    return this.made.all().map(({ record }) => record);
  }

  inspect(): AclInspection {
    const policies = this.policies.all().map(({ createIndex, ...policy }) => policy);
    return { policies, aclTokens: this.all() };
  }

  clear(): void {
    this.policies.clear();
    this.logins.length = 0;
    this.made.clear();
  }

  private setPolicy({ name, readNodes = false, readJobs = [] }: NewPolicy): PolicyRecord {
    const policy = { name, readNodes, readJobs: readJobs === "*" ? readJobs : [...readJobs] };
    const createIndex = this.policies.find(name)?.createIndex ?? this.events.nextIndex;
    this.emitPolicy("ACLPolicyUpserted", this.policies.set({ ...policy, createIndex }));
    return policy;
  }

  private removePolicy(name: string): void {
    const policy = this.policies.known(name);
    this.policies.delete(name);
    this.emitPolicy("ACLPolicyDeleted", policy);
  }

  /** What several policies allow together. One that does not exist allows nothing. */
  private accessOf(names: readonly string[]): SchedulerAccess {
    const policies = names.flatMap((name) => this.policies.find(name) ?? []);
    const everywhere = policies.some(({ readJobs }) => readJobs === "*");
    return {
      readNodes: policies.some(({ readNodes }) => readNodes),
      readJobs: everywhere ? "*" : policies.flatMap(({ readJobs }) => readJobs),
    };
  }

  /** However it was revoked: by its lease's end, or by a test. */
  private noteRevoked(caller: Caller<SchedulerPermissions>): void {
    for (const stored of this.made.all()) {
      if (stored.caller === caller) {
        this.made.delete(stored.record.accessorId);
        this.emitToken("ACLTokenDeleted", stored);
      }
    }
  }

  private emitPolicy(type: string, policy: StoredPolicy): void {
    const index = this.events.nextIndex;
    const ACLPolicy = {
      Name: policy.name,
      Description: "",
      Rules: rulesOf(policy),
      CreateIndex: policy.createIndex,
      ModifyIndex: index,
    };
    this.events.emit({ topic: "ACLPolicy", type, key: policy.name, payload: { ACLPolicy } }, index);
    // Readers have to subscribe again, with the rights that they have then.
    for (const { record, caller } of this.made.all()) {
      if (caller !== undefined && record.type === "client" && record.policies.includes(policy.name)) {
        this.events.disconnectCaller(caller);
      }
    }
  }

  private emitToken(type: string, { record, createIndex }: StoredToken): void {
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

/** The policy in the scheduler's own language. */
function rulesOf({ readNodes, readJobs }: PolicyRecord): string {
  const namespaces = [readJobs].flat().map((name) => `namespace "${name}" { capabilities = ["read-job"] }`);
  return [...(readNodes ? ['node { policy = "read" }'] : []), ...namespaces].join("\n");
}
