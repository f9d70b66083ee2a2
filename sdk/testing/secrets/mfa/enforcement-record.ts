import { randomUUID } from "node:crypto";
import { Table } from "../table";

/** A rule that logging in needs one of some methods; the documents have no endpoint that makes one. */
export interface EnforcementRecord {
  readonly id: string;
  readonly name: string;
  /** Ids of the methods; none of them can be deleted over the interface. */
  readonly methodIds: readonly string[];
}

/** An enforcement to set up. */
export interface NewEnforcement {
  /** Default: `enforcement_` and the first part of its id. */
  readonly name?: string;
  /** Ids of existing TOTP methods. */
  readonly methodIds: readonly string[];
}

export function createEnforcements(): Table<EnforcementRecord> {
  return new Table("enforcement", ({ id }) => id);
}

export function newEnforcement({ name, methodIds }: NewEnforcement): EnforcementRecord {
  const id = randomUUID();
  return { id, name: name ?? `enforcement_${id.slice(0, 8)}`, methodIds: [...methodIds] };
}
