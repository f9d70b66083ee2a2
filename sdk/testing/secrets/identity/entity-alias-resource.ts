import { shownPathOf, type MountRecord } from "../mounts";
import type { EntityAliasRecord } from "./entity-alias-record";

/** An alias as a read answers it. @param mount `undefined` when it is gone */
export function toEntityAliasData(
  alias: EntityAliasRecord,
  mount: MountRecord | undefined,
): Record<string, unknown> {
  return {
    ...toEntityAliasSummary(alias, mount),
    creation_time: alias.creationTime,
    id: alias.id,
    last_update_time: alias.lastUpdateTime,
    merged_from_canonical_ids: null,
    namespace_id: "root",
  };
}

/** An alias as a list describes it. @param mount `undefined` when it is gone */
export function toEntityAliasSummary(
  alias: EntityAliasRecord,
  mount: MountRecord | undefined,
): Record<string, unknown> {
  return {
    canonical_id: alias.canonicalId,
    custom_metadata: alias.customMetadata,
    local: false,
    metadata: alias.metadata,
    mount_accessor: alias.mountAccessor,
    ...(mount === undefined ? {} : { mount_path: shownPathOf(mount), mount_type: mount.type }),
    name: alias.name,
  };
}
