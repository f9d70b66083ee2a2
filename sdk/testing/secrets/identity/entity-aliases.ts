import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Area } from "../../area";
import type { ServiceResponse } from "../../response";
import { Table } from "../../table";
import { dataResponse, describedListResponse, listResponse } from "../responses";
import type { Body } from "../body";
import { deletes, lists, reads, writes, type FixedEndpoint } from "../endpoint";
import { FieldTable, map, requiredText } from "../fields";
import type { Records } from "../records";
import { badRequest, EngineFailure } from "../refusal";
import type { EntityAliasRecord, EntityAliasesInspection, EntityAliasesSetup } from "../types";

type EntityAliasSettings = Pick<
  EntityAliasRecord,
  "name" | "canonicalId" | "mountAccessor" | "customMetadata"
>;

const aliasFields = new FieldTable<EntityAliasSettings>({
  name: requiredText(),
  canonicalId: requiredText(),
  mountAccessor: requiredText(),
  customMetadata: map(),
});

export function createEntityAliasesArea(
  records: Records,
): Area<FixedEndpoint, EntityAliasesInspection, EntityAliasesSetup> {
  const aliases = new EntityAliases(records);
  const path = "/identity/entity-alias";
  return {
    endpoints: [
      writes(path, ["id", ...aliasFields.names], ({ body }) => {
        const id = body.text("id") ?? "";
        return id === "" ? aliases.write(body) : aliases.update(id, body);
      }),
      lists(`${path}/id`, () => {
        return records.isHashicorp
          ? describedListResponse(aliases.table.sorted(), (alias) => aliases.summaryOf(alias))
          : listResponse(aliases.table.keys(), false);
      }),
      reads(`${path}/id/:id`, ({ parameter }) => {
        const alias = aliases.table.find(parameter("id"));
        return alias && dataResponse(aliases.dataOf(alias));
      }),
      writes(`${path}/id/:id`, aliasFields.names, ({ parameter, body }) =>
        aliases.update(parameter("id"), body),
      ),
      deletes(`${path}/id/:id`, ({ parameter }) => aliases.table.delete(parameter("id"))),
    ],
    setup: {
      addEntityAlias: (alias) =>
        aliases.place({
          id: randomUUID(),
          mountAccessor: "auth_userpass_00000001",
          customMetadata: {},
          metadata: null,
          creationTime: records.now(),
          lastUpdateTime: records.now(),
          ...alias,
        }),
      changeEntityAlias: (id, change) =>
        aliases.place({ ...aliases.table.get(id), ...change, lastUpdateTime: records.now() }),
      removeEntityAlias: (id) => aliases.table.remove(id),
    },
    inspect: () => ({ entityAliases: aliases.table.all() }),
  };
}

class EntityAliases {
  readonly table = new Table<EntityAliasRecord>("entity alias", ({ id }) => id);

  constructor(private readonly records: Records) {
    records.onEntityRemoved((id) => this.table.deleteWhere(({ canonicalId }) => canonicalId === id));
  }

  /** Replaces the alias with the same name and mount. Without metadata in the body, its metadata is cleared. */
  write(body: Body): ServiceResponse | undefined {
    const { isHashicorp } = this.records;
    // The products also create the entity if the request names none.
    const sent = this.read(body, isHashicorp ? { canonicalId: "" } : {});
    const existing = this.findByName(sent);
    const settings = { ...sent, canonicalId: sent.canonicalId || (existing?.canonicalId ?? "") };
    if (existing !== undefined) {
      return this.change(existing, settings);
    }
    this.requireMount(settings);
    const placed = { ...settings, canonicalId: settings.canonicalId || this.records.addEntity().id };
    this.requireEntity(placed);
    if (this.findByEntity(placed) !== undefined) {
      throw badRequest("Alias already exists for requested entity and mount accessor");
    }
    const now = this.records.now();
    const generated = { id: randomUUID(), metadata: null, creationTime: now, lastUpdateTime: now };
    return this.saved({ ...placed, ...generated });
  }

  update(id: string, body: Body): ServiceResponse | undefined {
    const alias = this.table.find(id);
    if (alias === undefined) {
      throw badRequest("invalid alias ID provided");
    }
    // In the documented dialect an update replaces everything but the metadata.
    const { customMetadata } = alias;
    return this.change(alias, this.read(body, this.records.isHashicorp ? alias : { customMetadata }));
  }

  /** For setup: does not apply the rules of the API. */
  place(alias: EntityAliasRecord): EntityAliasRecord {
    const { entities, mounts } = this.records;
    entities.get(alias.canonicalId);
    if (mounts.byAccessor(alias.mountAccessor) === undefined) {
      throw new Error(`No mount has the accessor ${JSON.stringify(alias.mountAccessor)}.`);
    }
    return this.table.set(alias);
  }

  dataOf(alias: EntityAliasRecord): Record<string, unknown> {
    return {
      ...this.summaryOf(alias),
      creation_time: alias.creationTime,
      id: alias.id,
      last_update_time: alias.lastUpdateTime,
      ...(this.records.isHashicorp ? { merged_from_canonical_ids: null, namespace_id: "root" } : {}),
    };
  }

  /** The mount's members are omitted when it no longer exists. */
  summaryOf(alias: EntityAliasRecord): Record<string, unknown> {
    const { mounts } = this.records;
    const mount = mounts.byAccessor(alias.mountAccessor);
    return {
      ...aliasFields.returned(alias),
      local: false,
      metadata: alias.metadata,
      ...(mount && { mount_path: mounts.shownPathOf(mount), mount_type: mount.type }),
    };
  }

  private read(body: Body, present: Partial<EntityAliasSettings>): EntityAliasSettings {
    const settings = aliasFields.read(body, present);
    // The documents define no limits.
    if (this.records.isHashicorp) {
      requireMetadata(Object.entries(body.map("custom_metadata") ?? {}));
    }
    return settings;
  }

  private change(alias: EntityAliasRecord, settings: EntityAliasSettings): ServiceResponse | undefined {
    const changed = { ...alias, ...settings };
    if (isDeepStrictEqual(changed, alias)) {
      return this.records.isHashicorp ? undefined : this.saved(alias);
    }
    this.requireMount(changed);
    const sameName = this.findByName(changed);
    if (sameName !== undefined && sameName.id !== alias.id) {
      throw badRequest("alias with combination of mount accessor and name already exists");
    }
    this.requireEntity(changed);
    const other = this.findByEntity(changed);
    if (other !== undefined && other.id !== alias.id) {
      throw badRequest("Alias cannot be updated as the given entity already has an alias for this mount");
    }
    return this.saved({ ...changed, lastUpdateTime: this.records.now() });
  }

  private saved(alias: EntityAliasRecord): ServiceResponse {
    const { canonicalId, id } = this.table.set(alias);
    return dataResponse({ canonical_id: canonicalId, id });
  }

  private findByName({ name, mountAccessor }: EntityAliasSettings): EntityAliasRecord | undefined {
    const normalized = (text: string): string => (this.records.isHashicorp ? text.toLowerCase() : text);
    return this.table
      .all()
      .find((alias) => alias.mountAccessor === mountAccessor && normalized(alias.name) === normalized(name));
  }

  /** In the products an entity has at most one alias per mount. */
  private findByEntity({ canonicalId, mountAccessor }: EntityAliasSettings): EntityAliasRecord | undefined {
    const aliases = this.records.isHashicorp ? this.table.all() : [];
    return aliases.find(
      (alias) => alias.mountAccessor === mountAccessor && alias.canonicalId === canonicalId,
    );
  }

  private requireMount({ mountAccessor }: EntityAliasSettings): void {
    if (this.records.mounts.byAccessor(mountAccessor) === undefined) {
      throw badRequest(`invalid mount accessor ${JSON.stringify(mountAccessor)}`);
    }
  }

  private requireEntity({ canonicalId }: EntityAliasSettings): void {
    if (this.records.entities.find(canonicalId) === undefined) {
      throw badRequest("invalid canonical ID");
    }
  }
}

/** Lengths are in bytes. */
function requireMetadata(entries: readonly (readonly [key: string, value: string])[]): void {
  if (entries.length > 64) {
    throw new EngineFailure(`payload must contain at most 64 keys, provided ${entries.length}`);
  }
  const parts = entries.flatMap(([key, value]) => [
    ["key", key, 128] as const,
    ["value", value, 512] as const,
  ]);
  for (const [part, text, longest] of parts) {
    const length = Buffer.byteLength(text);
    if (length < 1 || length > longest) {
      throw new EngineFailure(`length of ${part} is ${length} but must be 0 < len(${part}) <= ${longest}`);
    }
    if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(text)) {
      throw new EngineFailure(`${part} ${JSON.stringify(text)} contains unprintable characters`);
    }
  }
}
