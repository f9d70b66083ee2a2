import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../../answer";
import type { Area } from "../../area";
import { dataAnswer, listAnswer, noContent } from "../answers";
import type { FixedEndpoint } from "../endpoint";
import { newEntity } from "../entities";
import type { Fields } from "../fields";
import type { Records } from "../records";
import { badRequest, notFound } from "../refusal";
import { entityAliasFields, readEntityAlias } from "./entity-alias-form";
import type { EntityAliasRecord } from "./entity-alias-record";
import { toEntityAliasData, toEntityAliasSummary } from "./entity-alias-resource";
import { createEntityAliasesSetup, type EntityAliasesSetup } from "./entity-aliases-setup";

export interface EntityAliasesInspection {
  readonly entityAliases: readonly EntityAliasRecord[];
}

type EntityAliasSettings = Pick<
  EntityAliasRecord,
  "name" | "canonicalId" | "mountAccessor" | "customMetadata"
>;

const collection = "/identity/entity-alias";

/** Entity aliases. */
export function createEntityAliasesArea(
  records: Records,
): Area<FixedEndpoint, EntityAliasesInspection, EntityAliasesSetup> {
  const { entityAliases, mounts } = records;

  return {
    endpoints: [
      {
        operation: "POST",
        path: collection,
        fields: ["id", ...entityAliasFields],
        handle({ fields }) {
          const id = fields.text("id") ?? "";
          return id === "" ? write(records, fields) : update(records, id, fields);
        },
      },
      {
        operation: "LIST",
        path: `${collection}/id`,
        handle() {
          const aliases = entityAliases.sorted();
          return listAnswer(
            aliases.map(({ id }) => id),
            records.dialect.describesListed
              ? Object.fromEntries(
                  aliases.map((alias) => [alias.id, toEntityAliasSummary(alias, mounts)] as const),
                )
              : undefined,
          );
        },
      },
      {
        operation: "GET",
        path: `${collection}/id/:id`,
        handle({ parameter }) {
          const alias = entityAliases.find(parameter("id"));
          if (alias === undefined) {
            throw notFound();
          }
          return dataAnswer(toEntityAliasData(alias, records));
        },
      },
      {
        operation: "POST",
        path: `${collection}/id/:id`,
        fields: entityAliasFields,
        handle: ({ parameter, fields }) => update(records, parameter("id"), fields),
      },
      {
        operation: "DELETE",
        path: `${collection}/id/:id`,
        handle({ parameter }) {
          entityAliases.delete(parameter("id"));
          return noContent;
        },
      },
    ],
    setup: createEntityAliasesSetup(records),
    inspect: () => ({ entityAliases: entityAliases.all() }),
    clear: () => entityAliases.clear(),
  };
}

/** Name and mount decide: whatever alias has them becomes what the form says, without metadata when it has none. */
function write(records: Records, fields: Fields): Answer {
  const { dialect, entities } = records;
  const form = readEntityAlias(fields, dialect.aliasesNeedAllFields ? {} : { canonicalId: "" });
  const existing = findByName(records, form);
  const canonicalId = form.canonicalId || (existing?.canonicalId ?? "");
  const complete = { ...form, canonicalId, customMetadata: form.customMetadata ?? {} };
  if (existing !== undefined) {
    return change(records, existing, complete);
  }
  requireMount(records, form);
  if (canonicalId === "") {
    return insert(records, { ...complete, canonicalId: entities.add(newEntity({})).id });
  }
  requireEntity(records, form);
  if (aliasOf(records, form) !== undefined) {
    throw badRequest("Alias already exists for requested entity and mount accessor");
  }
  return insert(records, complete);
}

function insert(records: Records, settings: EntityAliasSettings): Answer {
  const now = records.now();
  return saved(records, {
    ...settings,
    id: randomUUID(),
    metadata: null,
    creationTime: now,
    lastUpdateTime: now,
  });
}

function update(records: Records, id: string, fields: Fields): Answer {
  const alias = records.entityAliases.find(id);
  if (alias === undefined) {
    throw badRequest("invalid alias ID provided");
  }
  const form = readEntityAlias(fields, records.dialect.aliasesNeedAllFields ? {} : alias);
  return change(records, alias, { ...form, customMetadata: form.customMetadata ?? alias.customMetadata });
}

function change(records: Records, alias: EntityAliasRecord, form: EntityAliasSettings): Answer {
  const changed = { ...alias, ...form };
  if (isDeepStrictEqual(changed, alias)) {
    return noContent;
  }
  requireMount(records, form);
  const sameName = findByName(records, form);
  if (sameName !== undefined && sameName.id !== alias.id) {
    throw badRequest("alias with combination of mount accessor and name already exists");
  }
  requireEntity(records, form);
  const other = aliasOf(records, form);
  if (other !== undefined && other.id !== alias.id) {
    throw badRequest("Alias cannot be updated as the given entity already has an alias for this mount");
  }
  return saved(records, { ...changed, lastUpdateTime: records.now() });
}

function saved({ entityAliases }: Records, alias: EntityAliasRecord): Answer {
  const { canonicalId, id } = entityAliases.set(alias);
  return dataAnswer({ canonical_id: canonicalId, id });
}

type Place = Pick<EntityAliasRecord, "name" | "canonicalId" | "mountAccessor">;

function findByName(
  { dialect, entityAliases }: Records,
  { name, mountAccessor }: Place,
): EntityAliasRecord | undefined {
  const kept = (text: string): string => (dialect.foldsAliasNames ? text.toLowerCase() : text);
  return entityAliases
    .all()
    .find((alias) => alias.mountAccessor === mountAccessor && kept(alias.name) === kept(name));
}

/** The alias that is in the way of another one of the same entity on the same mount. */
function aliasOf(
  { dialect, entityAliases }: Records,
  { canonicalId, mountAccessor }: Place,
): EntityAliasRecord | undefined {
  return dialect.oneAliasForEntity
    ? entityAliases
        .all()
        .find((alias) => alias.mountAccessor === mountAccessor && alias.canonicalId === canonicalId)
    : undefined;
}

function requireMount({ mounts }: Records, { mountAccessor }: Place): void {
  if (mounts.byAccessor(mountAccessor) === undefined) {
    throw badRequest(`invalid mount accessor ${JSON.stringify(mountAccessor)}`);
  }
}

function requireEntity({ entities }: Records, { canonicalId }: Place): void {
  if (entities.find(canonicalId) === undefined) {
    throw badRequest("invalid canonical ID");
  }
}
