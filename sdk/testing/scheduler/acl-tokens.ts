import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import type { Caller, Tokens } from "../tokens";
import type { EventStream } from "./event-stream";
import type { Policies } from "./policies";
import { SchedulerPermissions } from "./rights";

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
