export { EntityAlias, type EntityAliasArgs } from "./entity-alias";
export {
  type EntityAliasResult,
  getEntityAlias,
  type GetEntityAliasArgs,
  getEntityAliasOutput,
  type GetEntityAliasOutputArgs,
  listEntityAliases,
  type ListEntityAliasesArgs,
  listEntityAliasesOutput,
  type ListEntityAliasesResult,
} from "./entity-alias-functions";
