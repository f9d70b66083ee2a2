import { createHash, randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import { Table } from "../table";
import type { Caller, Tokens } from "../tokens";
import type { EventStream } from "./event-stream";
import type { AclInspection, AclSetup, AclTokenRecord, PolicyRecord } from "./types";
import type { NewPolicy, NewSchedulerLogin, SchedulerAccess } from "./seeds";

export class SchedulerPermissions {
  /** @param access a function when it can change while the token is valid */
  constructor(private readonly access: SchedulerAccess | (() => SchedulerAccess) = "management") {}

  get isManagement(): boolean {
    return this.currentAccess() === "management";
  }

  get mayReadAgent(): boolean {
    const access = this.currentAccess();
    return access === "management" || access.readAgent === true;
  }

  /** `*` means all topics or all namespaces. */
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

const jobTopics: readonly string[] = ["Job", "Allocation", "Deployment", "Evaluation"];

export type AclTokens = Pick<Acl, "add" | "all" | "isManagement" | "revoke">;

interface StoredPolicy extends PolicyRecord {
  /** Index of the event that reported its creation. */
  readonly createIndex: number;
}

interface StoredToken {
  readonly record: AclTokenRecord;
  readonly caller: Caller<SchedulerPermissions> | undefined;
  readonly createIndex: number;
}

/** Its tokens are valid for the emulated scheduler until revoked. Changes of tokens and policies appear as events. */
export class Acl {
  readonly setup: AclSetup;
  private readonly policies = new Table<StoredPolicy>("policy", ({ name }) => name);
  private readonly logins: NewSchedulerLogin[] = [];
  private readonly issued = new Table<StoredToken>("ACL token", ({ record }) => record.accessorId);

  constructor(
    private readonly tokens: Tokens<SchedulerPermissions>,
    private readonly events: EventStream,
    private readonly clock: EmulatorClock,
  ) {
    tokens.onRevoked((caller) => this.handleRevocation(caller));
    this.setup = {
      addPolicy: (policy) => this.setPolicy(policy),
      removePolicy: (name) => {
        const policy = this.policies.get(name);
        this.policies.delete(name);
        this.emitPolicy("ACLPolicyDeleted", policy);
      },
      addLogin: (login) => void this.logins.push(login),
    };
  }

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
    this.tokens.add({ name, token: record.secretId }, new SchedulerPermissions(access));
    const caller = this.tokens.find(record.secretId);
    const stored = this.issued.set({ record, caller, createIndex: this.events.nextIndex });
    this.emitToken("ACLTokenUpserted", stored);
    return record;
  }

  /** @returns the reason when the method is unknown or does not accept the identity */
  logIn(method: string, jwt: string): AclTokenRecord | "unknown" | "refused" {
    const candidates = this.logins.filter((login) => login.method === method);
    const login = candidates.find((each) => each.jwt === jwt);
    if (login === undefined) {
      return candidates.length === 0 ? "unknown" : "refused";
    }
    const { type = "management", policies = [], ttl = "1h" } = login;
    const lifetime = toMilliseconds(ttl);
    const expiresAt = new Date(this.clock.now() + lifetime).toISOString();
    const record = this.add({ name: `JWT-${method}`, type, policies, global: false, expiresAt });
    this.clock.after(lifetime, () => this.revoke(record.accessorId));
    return record;
  }

  /** Revoking an unknown token does nothing. */
  revoke(accessorId: string): void {
    const stored = this.issued.find(accessorId);
    if (stored !== undefined) {
      this.tokens.revoke(stored.record.secretId);
    }
  }

  /** @returns `undefined` for a token that a test set up */
  storedOf(caller: Caller<SchedulerPermissions>): StoredToken | undefined {
    return this.issued.all().find((stored) => stored.caller === caller);
  }

  isManagement(token: string): boolean {
    return this.tokens.find(token)?.rights.isManagement ?? false;
  }

  all(): AclTokenRecord[] {
    return this.issued.all().map(({ record }) => record);
  }

  inspect(): AclInspection {
    const policies = this.policies.all().map(({ createIndex, ...policy }) => policy);
    return { policies, aclTokens: this.all() };
  }

  private setPolicy({ name, readNodes = false, readJobs = [] }: NewPolicy): PolicyRecord {
    const policy = { name, readNodes, readJobs: readJobs === "*" ? readJobs : [...readJobs] };
    const createIndex = this.policies.find(name)?.createIndex ?? this.events.nextIndex;
    this.emitPolicy("ACLPolicyUpserted", this.policies.set({ ...policy, createIndex }));
    return policy;
  }

  /** A policy that does not exist grants nothing. */
  private accessOf(names: readonly string[]): SchedulerAccess {
    const policies = names.flatMap((name) => this.policies.find(name) ?? []);
    const hasAllNamespaces = policies.some(({ readJobs }) => readJobs === "*");
    return {
      readNodes: policies.some(({ readNodes }) => readNodes),
      readJobs: hasAllNamespaces ? "*" : policies.flatMap(({ readJobs }) => readJobs),
    };
  }

  /** Called for every revocation, including one by an expired lease or by a test. */
  private handleRevocation(caller: Caller<SchedulerPermissions>): void {
    for (const stored of this.issued.all().filter((each) => each.caller === caller)) {
      this.issued.delete(stored.record.accessorId);
      this.emitToken("ACLTokenDeleted", stored);
    }
  }

  private emitPolicy(type: string, { name, createIndex, ...policy }: StoredPolicy): void {
    const index = this.events.nextIndex;
    const indexes = { CreateIndex: createIndex, ModifyIndex: index };
    const ACLPolicy = { Name: name, Description: "", Rules: rulesOf(policy), ...indexes };
    this.events.emit({ topic: "ACLPolicy", type, key: name, payload: { ACLPolicy } }, index);
    // Clients must subscribe again with their new rights.
    for (const { record, caller } of this.issued.all()) {
      if (caller !== undefined && record.type === "client" && record.policies.includes(name)) {
        this.events.disconnect(caller);
      }
    }
  }

  private emitToken(type: string, { record, createIndex }: StoredToken): void {
    const index = this.events.nextIndex;
    // The stream shows who got a token, never the token.
    const ACLToken = { ...describeToken({ ...record, secretId: "" }, createIndex), ModifyIndex: index };
    this.events.emit({ topic: "ACLToken", type, key: record.accessorId, payload: { ACLToken } }, index);
  }
}

export function describeToken(record: AclTokenRecord, createIndex = 1): Readonly<Record<string, unknown>> {
  return {
    AccessorID: record.accessorId,
    SecretID: record.secretId,
    Name: record.name,
    Type: record.type,
    Policies: record.policies.length === 0 ? null : record.policies,
    Roles: null,
    Global: record.global,
    Hash: createHash("sha256").update(record.accessorId).digest("base64"),
    CreateIndex: createIndex,
    ModifyIndex: createIndex,
    CreateTime: record.createdAt,
    ExpirationTime: record.expiresAt ?? null,
    ExpirationTTL: "",
  };
}

function rulesOf({ readNodes, readJobs }: Omit<PolicyRecord, "name">): string {
  const namespaces = [readJobs].flat().map((name) => `namespace "${name}" { capabilities = ["read-job"] }`);
  return [...(readNodes ? ['node { policy = "read" }'] : []), ...namespaces].join("\n");
}
