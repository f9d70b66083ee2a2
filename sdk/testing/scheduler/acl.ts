import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import { Table } from "../table";
import type { Caller, Tokens } from "../tokens";
import type { EventStream } from "./event-stream";
import type { AclInspection, AclSetup, AclTokenRecord, NewPolicy, NewSchedulerLogin } from "./types";
import type { PolicyRecord, SchedulerAccess } from "./types";

/** The rights of one token. */
export class SchedulerPermissions {
  /** @param access a function where it changes while the token is valid */
  constructor(private readonly access: SchedulerAccess | (() => SchedulerAccess) = "management") {}

  /** Whether it may do everything. */
  get isManagement(): boolean {
    return this.currentAccess() === "management";
  }

  /** Whether it may see what the agent returns about itself. */
  get mayReadAgent(): boolean {
    const access = this.currentAccess();
    return access === "management" || access.readAgent === true;
  }

  /** Whether it may subscribe to a topic in a namespace, `*` standing for all topics or all namespaces. */
  maySubscribe(topic: string, namespace: string, isHashicorp: boolean): boolean {
    const access = this.currentAccess();
    if (access === "management") {
      return true;
    }
    const { readNodes = false, readJobs = [] } = access;
    if (namespace === "*" && readJobs !== "*") {
      return false;
    }
    if (topic === "Node" || (topic === "NodeDrain" && !isHashicorp)) {
      return readNodes;
    }
    const ofJobs = jobTopics.includes(topic) || (topic === "Service" && isHashicorp);
    return ofJobs && (readJobs === "*" || readJobs.includes(namespace));
  }

  private currentAccess(): SchedulerAccess {
    return typeof this.access === "function" ? this.access() : this.access;
  }
}

/** What readers of jobs may subscribe to. */
const jobTopics: readonly string[] = ["Job", "Allocation", "Deployment", "Evaluation"];

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
      removePolicy: (name) => {
        const policy = this.policies.known(name);
        this.policies.delete(name);
        this.emitPolicy("ACLPolicyDeleted", policy);
      },
      addLogin: (login) => void this.logins.push(structuredClone(login)),
    };
  }

  /** Makes a token. */
  add(token: Omit<AclTokenRecord, "accessorId" | "secretId" | "createdAt">): AclTokenRecord {
    const { type, policies, name } = token;
    const record: AclTokenRecord = {
      ...token,
      policies: [...policies],
      accessorId: randomUUID(),
      secretId: randomUUID(),
      createdAt: new Date(this.clock.now()).toISOString(),
    };
    const access = type === "management" ? type : () => this.accessOf(record.policies);
    this.tokens.add({ name }, new SchedulerPermissions(access), record.secretId);
    const caller = this.tokens.find(record.secretId);
    this.emitToken("ACLTokenUpserted", this.made.set({ record, caller, createIndex: this.events.nextIndex }));
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
    for (const stored of this.made.all().filter((each) => each.caller === caller)) {
      this.made.delete(stored.record.accessorId);
      this.emitToken("ACLTokenDeleted", stored);
    }
  }

  private emitPolicy(type: string, { name, createIndex, ...policy }: StoredPolicy): void {
    const index = this.events.nextIndex;
    const indexes = { CreateIndex: createIndex, ModifyIndex: index };
    const ACLPolicy = { Name: name, Description: "", Rules: rulesOf(policy), ...indexes };
    this.events.emit({ topic: "ACLPolicy", type, key: name, payload: { ACLPolicy } }, index);
    // Readers have to subscribe again, with the rights that they have then.
    for (const { record, caller } of this.made.all()) {
      if (caller !== undefined && record.type === "client" && record.policies.includes(name)) {
        this.events.disconnectCaller(caller);
      }
    }
  }

  private emitToken(type: string, { record, createIndex }: StoredToken): void {
    const index = this.events.nextIndex;
    // The stream shows who got a token, never the token.
    const shown = describeToken({ ...record, secretId: "" });
    const ACLToken = { ...shown, CreateIndex: createIndex, ModifyIndex: index };
    this.events.emit({ topic: "ACLToken", type, key: record.accessorId, payload: { ACLToken } }, index);
  }
}

/** A token as the scheduler returns it. */
export function describeToken(record: AclTokenRecord): Readonly<Record<string, unknown>> {
  return {
    AccessorID: record.accessorId,
    SecretID: record.secretId,
    Name: record.name,
    Type: record.type,
    Policies: record.policies,
    Roles: [],
    Global: record.global,
    CreateTime: record.createdAt,
    ExpirationTime: record.expiresAt ?? null,
    ExpirationTTL: "",
  };
}

/** The policy in the scheduler's own language. */
function rulesOf({ readNodes, readJobs }: Omit<PolicyRecord, "name">): string {
  const namespaces = [readJobs].flat().map((name) => `namespace "${name}" { capabilities = ["read-job"] }`);
  return [...(readNodes ? ['node { policy = "read" }'] : []), ...namespaces].join("\n");
}
