export { EntityAlias, type EntityAliasArgs } from "./entity-alias";
export {
  type GetEntityAliasResult,
  getEntityAlias,
  type GetEntityAliasArgs,
  getEntityAliasOutput,
  type GetEntityAliasOutputArgs,
  listEntityAliases,
  type ListEntityAliasesArgs,
  listEntityAliasesOutput,
  type ListEntityAliasesOutputArgs,
  type ListEntityAliasesResult,
} from "./entity-alias-functions";
