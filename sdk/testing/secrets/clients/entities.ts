import type { Area } from "../../area";
import type { ServiceResponse } from "../../response";
import type { Body } from "../body";
import { deletes, lists, reads, writes, productArea, type FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { policiesOf } from "../tokens";
import { badRequest, EngineFailure } from "../refusal";
import { dataResponse, describedListResponse, listResponse } from "../responses";
import type { EntityRecord } from "../types";
import { describeAlias, mountMembers } from "../identity/entity-aliases";

const path = "/identity/entity";
const fields = ["disabled", "id", "metadata", "name", "policies"];
const lookUpFields = ["id", "name", "alias_id", "alias_name", "alias_mount_accessor"];

/** The documentation has no endpoints for entities. */
export function createEntitiesArea(records: Records): Area<FixedEndpoint, object, object> {
  const { entities, entityAliases } = records;
  const named = (name: string): EntityRecord | undefined =>
    entities.all().find((entity) => entity.name.toLowerCase() === name.toLowerCase());
  const aliasesOf = ({ id }: EntityRecord) =>
    entityAliases.all().filter(({ canonicalId }) => canonicalId === id);

  const describe = (entity: EntityRecord | undefined): ServiceResponse | undefined =>
    entity &&
    dataResponse({
      aliases: aliasesOf(entity).map((alias) => {
        const { namespace_id: _namespace, ...shown } = describeAlias(alias, records);
        return shown;
      }),
      creation_time: entity.creationTime,
      direct_group_ids: [],
      disabled: entity.disabled,
      group_ids: [],
      id: entity.id,
      inherited_group_ids: [],
      last_update_time: entity.lastUpdateTime,
      merged_entity_ids: null,
      metadata: Object.keys(entity.metadata).length === 0 ? null : entity.metadata,
      name: entity.name,
      namespace_id: "root",
      policies: entity.policies,
    });
  const summarize = (entity: EntityRecord): object => {
    const aliases = aliasesOf(entity).map((alias) => {
      const { id, mountAccessor: mount_accessor, name } = alias;
      return { id, mount_accessor, ...mountMembers(alias, records), name };
    });
    return { ...(aliases.length === 0 ? {} : { aliases }), name: entity.name };
  };

  /** Members that were not sent keep their values. */
  const write = (
    body: Body,
    target: Partial<Pick<EntityRecord, "id" | "name">>,
  ): ServiceResponse | undefined => {
    const { id, name = body.text("name") || undefined } = target;
    const present = id === undefined ? named(name ?? "") : entities.find(id);
    if (id !== undefined && present === undefined) {
      throw badRequest("entity not found from id");
    }
    const sent = {
      name: target.name === undefined ? name : present?.name,
      metadata: body.map("metadata"),
      policies: body.list("policies") && policiesOf(body.list("policies") ?? [], false),
      disabled: body.boolean("disabled"),
    };
    if (sent.policies?.includes("root") === true) {
      throw badRequest("policies cannot contain root");
    }
    requireMetadata(Object.entries(sent.metadata ?? {}));
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    if (present !== undefined) {
      entities.change(present.id, { ...given, lastUpdateTime: records.now() });
      return undefined;
    }
    const created = records.addEntity({ ...(name === undefined ? {} : { name }), ...given });
    return dataResponse({ aliases: null, id: created.id, name: created.name });
  };
  const remove = (entity: EntityRecord | undefined): void => {
    if (entity !== undefined) {
      records.removeEntity(entity.id);
    }
  };
  const lookUp = (body: Body): EntityRecord | undefined => {
    const [id, name, aliasId, aliasName, accessor] = lookUpFields.map(
      (field) => body.text(field) || undefined,
    );
    const byAlias = aliasName ?? accessor;
    const given = [id, name, aliasId, byAlias].filter((value) => value !== undefined).length;
    if (given !== 1) {
      const problem = "query parameter conflict; please supply distinct set of query parameters";
      throw badRequest(given === 0 ? "query parameter not supplied" : problem);
    }
    if (byAlias !== undefined && (aliasName === undefined || accessor === undefined)) {
      throw badRequest("both 'alias_name' and 'alias_mount_accessor' needs to be set");
    }
    const alias =
      records.aliasNamed({ name: aliasName ?? "", mountAccessor: accessor ?? "" }) ??
      entityAliases.find(aliasId ?? "");
    return name === undefined ? entities.find(id ?? alias?.canonicalId ?? "") : named(name);
  };

  return productArea(records, [
    writes(path, fields, ({ body }) =>
      write(body, { ...(body.text("id") ? { id: body.text("id") ?? "" } : {}) }),
    ),
    lists(`${path}/id`, () => describedListResponse(entities.sorted(), summarize)),
    reads(`${path}/id/:id`, ({ parameter }) => describe(entities.find(parameter("id")))),
    writes(`${path}/id/:id`, fields, ({ parameter, body }) => write(body, { id: parameter("id") })),
    deletes(`${path}/id/:id`, ({ parameter }) => remove(entities.find(parameter("id")))),
    lists(`${path}/name`, () =>
      listResponse(
        entities.all().map(({ name }) => name),
        true,
      ),
    ),
    reads(`${path}/name/:name`, ({ parameter }) => describe(named(parameter("name")))),
    writes(`${path}/name/:name`, fields, ({ parameter, body }) => write(body, { name: parameter("name") })),
    deletes(`${path}/name/:name`, ({ parameter }) => remove(named(parameter("name")))),
    writes("/identity/lookup/entity", lookUpFields, ({ body }) => describe(lookUp(body))),
  ]);
}

function requireMetadata(entries: readonly (readonly [key: string, value: string])[]): void {
  for (const [key, value] of entries) {
    const [tooLong] =
      Object.entries({ key, value: value.slice(384) }).find(([, text]) => text.length > 128) ?? [];
    if (key === "" || tooLong !== undefined) {
      const limit = tooLong === "value" ? 512 : 128;
      const problem =
        key === "" ? "key cannot be blank" : `${tooLong} is too long (limit: ${limit} characters)`;
      const pair = `(${JSON.stringify(key)}, ${JSON.stringify(value)})`;
      throw new EngineFailure(`invalid entity metadata: failed to load metadata pair ${pair}: ${problem}`);
    }
  }
}
