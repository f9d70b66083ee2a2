import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ServiceResponse } from "../../response";
import type { Table } from "../../table";
import { dataResponse, describedListResponse, listResponse } from "../responses";
import type { Body } from "../body";
import { deletes, lists, reads, writes, type FixedEndpoint, type SecretsArea } from "../endpoint";
import { enterprise, type Field, FieldTable, map, requiredText, text } from "../fields";
import type { Records } from "../records";
import { badRequest, EngineFailure } from "../refusal";
import type { EntityAliasRecord, EntityAliasesSetup } from "../types";

type EntityAliasSettings = Pick<
  EntityAliasRecord,
  "name" | "canonicalId" | "mountAccessor" | "issuer" | "externalId" | "customMetadata"
>;

export function describeAlias(alias: EntityAliasRecord, records: Records): Record<string, unknown> {
  return {
    ...summarizeAlias(alias, records),
    creation_time: alias.creationTime,
    id: alias.id,
    last_update_time: alias.lastUpdateTime,
    ...(records.traits.aliases === "product"
      ? { merged_from_canonical_ids: null, namespace_id: "root" }
      : {}),
  };
}

function summarizeAlias(alias: EntityAliasRecord, records: Records): Record<string, unknown> {
  const { metadata } = alias;
  return { ...fieldsIn(records).returned(alias), local: false, metadata, ...mountMembers(alias, records) };
}

/** As in Vault 2.0.3 and in the tests of its interface: the ID at the end is that of the issuer's profile. */
function accessorOfIssuer(issuer: string): string {
  const digest = createHash("sha256").update(issuer).digest("hex");
  return `oauth-resource-server_root_${digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")}`;
}

/** Omitted when the mount no longer exists. */
export function mountMembers({ mountAccessor, issuer }: EntityAliasRecord, { mounts }: Records): object {
  if (mountAccessor === "" && issuer !== undefined && issuer !== "") {
    return { mount_accessor: accessorOfIssuer(issuer), mount_path: "auth/oauth-resource-server/" };
  }
  const mount = mounts.byAccessor(mountAccessor);
  return mount === undefined ? {} : { mount_path: mounts.shownPathOf(mount), mount_type: mount.type };
}

type Metadata = EntityAliasSettings["customMetadata"];

const customMetadata = map() as Field<Metadata>;
const aliasFields = new FieldTable<EntityAliasSettings>({
  name: requiredText(),
  canonicalId: requiredText(),
  mountAccessor: requiredText(),
  customMetadata,
});
const incomplete = "'id' or 'mount_accessor' and 'name' must be provided";
const productFields = new FieldTable<EntityAliasSettings>({
  name: requiredText(incomplete),
  canonicalId: requiredText(incomplete),
  mountAccessor: text(),
  issuer: enterprise(text()),
  externalId: enterprise(text()),
  customMetadata: {
    ...customMetadata,
    read: (body, name) => (body.any(name) === null ? null : body.map(name)),
  },
});
const tables = { documented: aliasFields, product: productFields };
const fieldsIn = ({ traits }: Records) => tables[traits.aliases];

export function createEntityAliasesArea(
  records: Records,
): SecretsArea<FixedEndpoint, "entityAliases", EntityAliasesSetup> {
  const aliases = new EntityAliases(records);
  const { entityAliases: table } = records;
  const path = "/identity/entity-alias";
  const { names } = fieldsIn(records);
  return {
    endpoints: [
      writes(path, ["id", ...names], ({ body }) => {
        const id = body.text("id") ?? "";
        return id === "" ? aliases.write(body) : aliases.update(id, body);
      }),
      lists(`${path}/id`, () => {
        return records.traits.describesInLists
          ? describedListResponse(table.sorted(), (alias) => summarizeAlias(alias, records))
          : listResponse(table.keys(), false);
      }),
      reads(`${path}/id/:id`, ({ parameter }) => {
        const alias = table.find(parameter("id"));
        return alias && dataResponse(describeAlias(alias, records));
      }),
      writes(`${path}/id/:id`, names, ({ parameter, body }) => aliases.update(parameter("id"), body)),
      deletes(`${path}/id/:id`, ({ parameter }) => table.delete(parameter("id"))),
    ],
    setup: {
      addEntityAlias(alias) {
        aliases.requireReferences({ mountAccessor: "auth_userpass_00000001", customMetadata: {}, ...alias });
        return records.addAlias({ mountAccessor: "auth_userpass_00000001", customMetadata: {}, ...alias });
      },
      changeEntityAlias: (id, change) =>
        aliases.place({ ...table.get(id), ...change, lastUpdateTime: records.now() }),
      removeEntityAlias: (id) => table.remove(id),
    },
    inspect: () => ({ entityAliases: table.all() }),
  };
}

class EntityAliases {
  private readonly table: Table<EntityAliasRecord>;

  constructor(private readonly records: Records) {
    this.table = records.entityAliases;
    records.onEntityRemoved((id) => this.table.deleteWhere(({ canonicalId }) => canonicalId === id));
  }

  /** Replaces the alias with the same name and mount. Without metadata in the body, its metadata is cleared. */
  write(body: Body): ServiceResponse | undefined {
    const { aliasesNeedNoEntity } = this.records.traits;
    // The products also create the entity if the request names none.
    const sent = this.read(body, aliasesNeedNoEntity ? { canonicalId: "" } : {});
    const existing = this.records.aliasNamed(sent);
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
    return this.saved(this.records.addAlias(placed));
  }

  update(id: string, body: Body): ServiceResponse | undefined {
    const alias = this.table.find(id);
    if (alias === undefined) {
      throw badRequest("invalid alias ID provided");
    }
    // In the documented dialect an update replaces everything but the metadata.
    const { customMetadata } = alias;
    return this.change(
      alias,
      this.read(body, this.records.traits.aliasesNeedNoEntity ? alias : { customMetadata }),
    );
  }

  /** For setup, so the rules of the API do not apply. */
  place(alias: EntityAliasRecord): EntityAliasRecord {
    this.requireReferences(alias);
    return this.table.set(alias);
  }

  requireReferences({
    canonicalId,
    mountAccessor,
  }: Pick<EntityAliasRecord, "canonicalId" | "mountAccessor">): void {
    const { entities, mounts } = this.records;
    entities.get(canonicalId);
    if (mountAccessor !== "" && mounts.byAccessor(mountAccessor) === undefined) {
      throw new Error(`No mount has the accessor ${JSON.stringify(mountAccessor)}.`);
    }
  }

  private read(body: Body, present: Partial<EntityAliasSettings>): EntityAliasSettings {
    const settings = fieldsIn(this.records).read(body, present);
    const { issuer = "", mountAccessor } = settings;
    if (mountAccessor === "" && issuer === "") {
      throw badRequest(incomplete);
    }
    // The documentation does not define limits.
    if (this.records.traits.limitsMetadata) {
      requireMetadata(Object.entries(body.map("custom_metadata") ?? {}));
    }
    return issuer !== "" && mountAccessor === accessorOfIssuer(issuer)
      ? { ...settings, mountAccessor: "" }
      : settings;
  }

  private change(alias: EntityAliasRecord, settings: EntityAliasSettings): ServiceResponse | undefined {
    const isEmptied = [alias, settings].every((each) => isEmpty(each.customMetadata));
    const metadata = isEmptied ? { customMetadata: alias.customMetadata } : {};
    const changed = { ...alias, ...settings, ...metadata };
    if (isDeepStrictEqual(changed, alias)) {
      return this.records.traits.silentIfUnchanged ? undefined : this.saved(alias);
    }
    this.requireMount(changed);
    if (changed.issuer !== alias.issuer || changed.externalId !== alias.externalId) {
      throw badRequest("issuer and external_id cannot be changed");
    }
    const sameName = this.records.aliasNamed(changed);
    if (sameName !== undefined && sameName.id !== alias.id) {
      throw badRequest("alias with combination of mount accessor and name already exists");
    }
    this.requireEntity(changed, this.records.traits.unknownEntity);
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

  /** In the products, an entity has at most one alias per mount. */
  private findByEntity({ canonicalId, mountAccessor }: EntityAliasSettings): EntityAliasRecord | undefined {
    const aliases = this.records.traits.oneAliasPerMount && mountAccessor !== "" ? this.table.all() : [];
    return aliases.find(
      (alias) => alias.mountAccessor === mountAccessor && alias.canonicalId === canonicalId,
    );
  }

  private requireMount({ mountAccessor }: EntityAliasSettings): void {
    if (mountAccessor !== "" && this.records.mounts.byAccessor(mountAccessor) === undefined) {
      throw badRequest(`invalid mount accessor ${JSON.stringify(mountAccessor)}`);
    }
  }

  private requireEntity({ canonicalId }: EntityAliasSettings, refusal = "invalid canonical ID"): void {
    if (this.records.entities.find(canonicalId) === undefined) {
      throw badRequest(refusal);
    }
  }
}

const isEmpty = (metadata: Metadata): boolean => Object.keys(metadata ?? {}).length === 0;

/** Lengths are in bytes. */
function requireMetadata(entries: readonly (readonly [key: string, value: string])[]): void {
  const fail = (problem: string): never => {
    throw new EngineFailure(`custom_metadata validation failed: ${problem}`);
  };
  if (entries.length > 64) {
    fail(`payload must contain at most 64 keys, provided ${entries.length}`);
  }
  for (const [key, value] of entries) {
    const quoted = JSON.stringify(key);
    for (const [kind, part, what, longest] of [
      ["key", key, `key ${quoted}`, 128],
      ["value", value, `value for key ${quoted}`, 512],
    ] as const) {
      const length = Buffer.byteLength(part);
      if (length < 1 || length > longest) {
        fail(`length of ${what} is ${length} but must be 0 < len(${kind}) <= ${longest}`);
      }
      if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(part)) {
        fail(`${what} contains unprintable characters`);
      }
    }
  }
}
