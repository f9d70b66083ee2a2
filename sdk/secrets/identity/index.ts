export {
  EntityAlias,
  type EntityAliasArgs,
  getEntityAlias,
  type GetEntityAliasArgs,
  getEntityAliasOutput,
  type GetEntityAliasOutputArgs,
  type GetEntityAliasResult,
  listEntityAliases,
  type ListEntityAliasesArgs,
  listEntityAliasesOutput,
  type ListEntityAliasesOutputArgs,
  type ListEntityAliasesResult,
} from "./entity-alias";
