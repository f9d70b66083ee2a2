export type * from "./entity-alias";
export {
  EntityAlias,
  getEntityAlias,
  getEntityAliasOutput,
  listEntityAliases,
  listEntityAliasesOutput,
} from "./entity-alias";
