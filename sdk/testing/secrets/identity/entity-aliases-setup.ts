import { randomUUID } from "node:crypto";
import type { Records } from "../records";
import type { EntityAliasRecord } from "./entity-alias-record";

/** An alias that somebody else made. */
export interface NewEntityAlias {
  readonly name: string;
  /** Id of an existing entity. */
  readonly canonicalId: string;
  /** Default: that of the login `userpass`, which is there from the start. */
  readonly mountAccessor?: string;
  /** Default none. */
  readonly customMetadata?: Readonly<Record<string, string>>;
}

/** What happens to an alias behind a program's back. */
export type EntityAliasChange = Partial<
  Pick<EntityAliasRecord, "name" | "canonicalId" | "mountAccessor" | "customMetadata" | "metadata">
>;

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface EntityAliasesSetup {
  /** The rules of the interface, such as one alias for an entity on a mount, are not applied. */
  addEntityAlias(alias: NewEntityAlias): EntityAliasRecord;
  /** Changes what is given; the rules of the interface are not applied. */
  changeEntityAlias(id: string, change: EntityAliasChange): EntityAliasRecord;
  removeEntityAlias(id: string): void;
}

export function createEntityAliasesSetup(records: Records): EntityAliasesSetup {
  const { entityAliases, entities, mounts } = records;
  const save = (alias: EntityAliasRecord): EntityAliasRecord => {
    entities.known(alias.canonicalId);
    if (mounts.byAccessor(alias.mountAccessor) === undefined) {
      throw new Error(`No mount has the accessor ${JSON.stringify(alias.mountAccessor)}.`);
    }
    return structuredClone(entityAliases.set(structuredClone(alias)));
  };
  return {
    addEntityAlias: (alias) =>
      save({
        id: randomUUID(),
        mountAccessor: "auth_userpass_00000001",
        customMetadata: {},
        metadata: null,
        creationTime: records.now(),
        lastUpdateTime: records.now(),
        ...alias,
      }),
    changeEntityAlias: (id, change) =>
      save({ ...entityAliases.known(id), ...change, lastUpdateTime: records.now() }),
    removeEntityAlias(id) {
      entityAliases.remove(id);
    },
  };
}
