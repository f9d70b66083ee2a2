import { createHash, randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import { Table } from "../table";
import type { Caller, Tokens } from "../tokens";
import type { EventStream } from "./event-stream";
import type { SchedulerTraits } from "./traits";
import type { AclInspection, AclSetup, AclTokenRecord, PolicyRecord } from "./types";
import type { NewPolicy, NewSchedulerLogin, SchedulerAccess } from "./seeds";

export class SchedulerPermissions {
  /** @param access a function if it can change while the token is valid */
  constructor(private readonly access: SchedulerAccess | (() => SchedulerAccess) = "management") {}

  get isManagement(): boolean {
    return this.currentAccess() === "management";
  }

  get mayReadNodes(): boolean {
    const access = this.currentAccess();
    return access === "management" || access.readNodes === true;
  }

  get mayReadAgent(): boolean {
    const access = this.currentAccess();
    return access === "management" || access.readAgent === true;
  }

  /** `*` means all topics or all namespaces. */
  maySubscribe(topic: string, namespace: string, traits: SchedulerTraits): boolean {
    const access = this.currentAccess();
    if (access === "management") {
      return true;
    }
    const { readNodes = false, readOperator = false, readJobs = [] } = access;
    if (topic === "Node" || (topic === "NodeDrain" && !traits.drainsAreNodes)) {
      return readNodes && (traits.nodesHaveNoNamespace || namespace !== "*" || readJobs === "*");
    }
    if (topic === "Operator" && traits.rights === "product") {
      return readOperator;
    }
    const right = rightsOf[traits.rights].get(topic);
    const namespaces = (right && access[right]) ?? [];
    return namespaces === "*" || namespaces.includes(namespace);
  }

  /** The namespaces in which a token has any permission. */
  mayList(namespace: string): boolean {
    const access = this.currentAccess();
    const { readJobs = [], readVolumes = [], readVariables = [] } = access === "management" ? {} : access;
    const lists = [readJobs, readVolumes, readVariables];
    return access === "management" || lists.some((each) => each === "*" || each.includes(namespace));
  }

  private currentAccess(): SchedulerAccess {
    return typeof this.access === "function" ? this.access() : this.access;
  }
}

type NamespacedRight = "readJobs" | "readVolumes" | "readVariables";

const documentedRights = new Map<string, NamespacedRight>(
  ["Job", "Allocation", "Deployment", "Evaluation"].map((topic) => [topic, "readJobs"]),
);

/** Nomad 2.0.5, nomad/event_endpoint.go, validateNsOp. */
const rightsOfProduct = new Map<string, NamespacedRight>([
  ...documentedRights,
  ["Service", "readJobs"],
  ["CSIPlugin", "readJobs"],
  ["HostVolume", "readVolumes"],
  ["CSIVolume", "readVolumes"],
  ["Variable", "readVariables"],
]);

const rightsOf = { documented: documentedRights, product: rightsOfProduct };

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

  namespaces(): readonly string[] {
    return this.policies
      .all()
      .flatMap(({ readJobs, readVolumes = [], readVariables = [] }) => [readJobs, readVolumes, readVariables])
      .flat(2);
  }

  inspect(): AclInspection {
    const policies = this.policies.all().map(({ createIndex, ...policy }) => policy);
    return { policies, aclTokens: this.all() };
  }

  private setPolicy({ readNodes = false, readJobs = [], ...rest }: NewPolicy): PolicyRecord {
    const policy = { ...rest, readNodes, readJobs: readJobs === "*" ? readJobs : [...readJobs] };
    const { name } = policy;
    const createIndex = this.policies.find(name)?.createIndex ?? this.events.nextIndex;
    this.emitPolicy("ACLPolicyUpserted", this.policies.set({ ...policy, createIndex }));
    return policy;
  }

  /** A policy that does not exist does not grant any permissions. */
  private accessOf(names: readonly string[]): SchedulerAccess {
    const policies = names.flatMap((name) => this.policies.find(name) ?? []);
    const namespaces = (right: NamespacedRight): "*" | readonly string[] => {
      const lists = policies.map((policy) => policy[right] ?? []);
      return lists.includes("*") ? "*" : lists.flat();
    };
    return {
      readNodes: policies.some(({ readNodes }) => readNodes),
      readOperator: policies.some(({ readOperator }) => readOperator === true),
      readJobs: namespaces("readJobs"),
      readVolumes: namespaces("readVolumes"),
      readVariables: namespaces("readVariables"),
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
    const rules = rulesOf(policy);
    // Nomad writes the members of a policy in alphabetical order.
    const ACLPolicy = {
      CreateIndex: createIndex,
      Description: "",
      Hash: hashOf(name, rules),
      JobACL: null,
      ModifyIndex: index,
      Name: name,
      Rules: rules,
      RulesJSON: null,
    };
    this.events.emit({ topic: "ACLPolicy", type, key: name, payload: { ACLPolicy } }, index);
    // Clients must subscribe again with their new permissions.
    for (const { record, caller } of this.issued.all()) {
      if (caller !== undefined && record.type === "client" && record.policies.includes(name)) {
        this.events.disconnect(caller);
      }
    }
  }

  private emitToken(type: string, { record, createIndex }: StoredToken): void {
    const index = this.events.nextIndex;
    // The stream shows who received a token, but never the token.
    const shown = describeToken({ ...record, secretId: "" }, createIndex);
    const ACLToken = { ...shown, Policies: record.policies, Roles: [], ModifyIndex: index };
    this.events.emit({ topic: "ACLToken", type, key: record.accessorId, payload: { ACLToken } }, index);
  }
}

export function describeToken(record: AclTokenRecord, createIndex = 1): Readonly<Record<string, unknown>> {
  const { name, type, policies, global } = record;
  return {
    ExpirationTTL: "",
    AccessorID: record.accessorId,
    SecretID: record.secretId,
    Name: name,
    Type: type,
    Policies: policies.length === 0 ? null : policies,
    Roles: null,
    Global: global,
    Hash: hashOf(name, type, ...policies, global ? "global" : "local"),
    CreateTime: record.createdAt,
    ExpirationTime: record.expiresAt ?? null,
    CreateIndex: createIndex,
    ModifyIndex: createIndex,
  };
}

/** Of what users set, as in nomad/structs/acl.go of Nomad 2.0.5, which uses another algorithm of the same length. */
function hashOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("")).digest("base64");
}

function rulesOf(policy: Omit<PolicyRecord, "name">): string {
  const { readNodes, readOperator = false, readJobs, readVolumes = [], readVariables = [] } = policy;
  const namespaces = (names: "*" | readonly string[], rule: string): string[] =>
    [names].flat().map((name) => `namespace "${name}" { ${rule} }`);
  return [
    ...(readNodes ? ['node { policy = "read" }'] : []),
    ...(readOperator ? ['operator { policy = "read" }'] : []),
    ...namespaces(readJobs, 'capabilities = ["read-job"]'),
    ...namespaces(readVolumes, 'capabilities = ["host-volume-read", "csi-read-volume"]'),
    ...namespaces(readVariables, 'variables { path "*" { capabilities = ["list", "read"] } }'),
  ].join("\n");
}
