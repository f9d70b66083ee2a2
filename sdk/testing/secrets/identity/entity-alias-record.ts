import { Table } from "../table";

/** A name at a login that stands for an entity. */
export interface EntityAliasRecord {
  readonly id: string;
  /** In the hashicorp dialect two names that differ in nothing but case are the same. */
  readonly name: string;
  /** Id of the entity. */
  readonly canonicalId: string;
  readonly mountAccessor: string;
  readonly customMetadata: Readonly<Record<string, string>>;
  /** What the login has to say; `null` before anybody logged in. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** ISO 8601. */
  readonly creationTime: string;
  /** ISO 8601. */
  readonly lastUpdateTime: string;
}

export function createEntityAliases(): Table<EntityAliasRecord> {
  return new Table("entity alias", ({ id }) => id);
}
