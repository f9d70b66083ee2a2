import type { Mounts } from "../mounts";
import type { Records } from "../records";
import type { EntityAliasRecord } from "./entity-alias-record";

/** An alias as a read answers it. */
export function toEntityAliasData(
  alias: EntityAliasRecord,
  { dialect, mounts }: Pick<Records, "dialect" | "mounts">,
): Record<string, unknown> {
  return {
    ...toEntityAliasSummary(alias, mounts),
    creation_time: alias.creationTime,
    id: alias.id,
    last_update_time: alias.lastUpdateTime,
    ...dialect.aliasMembers,
  };
}

/** An alias as a list describes it. Nothing is said about a mount that is gone. */
export function toEntityAliasSummary(alias: EntityAliasRecord, mounts: Mounts): Record<string, unknown> {
  const mount = mounts.byAccessor(alias.mountAccessor);
  return {
    canonical_id: alias.canonicalId,
    custom_metadata: alias.customMetadata,
    local: false,
    metadata: alias.metadata,
    mount_accessor: alias.mountAccessor,
    ...(mount === undefined ? {} : { mount_path: mounts.shownPathOf(mount), mount_type: mount.type }),
    name: alias.name,
  };
}
