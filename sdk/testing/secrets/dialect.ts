import type { EmulatorDialect } from "../dialect";
import { directoryDialects, type DirectoryDialect } from "./directory/dialect";
import type { FieldRules } from "./fields";
import type { EngineType } from "./mounts";
import type { Grants } from "./rights";
import { schedulerEngineDialects, type SchedulerEngineDialect } from "./scheduler/dialect";

/** What differs between the documented secrets service and the products with nearly the same wire. */
export interface SecretsDialect {
  /** The header that carries the token, in lower case. */
  readonly tokenHeader: string;
  /** Whether the token may come in the `Authorization` header as well. */
  readonly takesBearerTokens: boolean;
  /** What becomes of what a request says and no endpoint reads. */
  readonly fieldRules: FieldRules;
  /** Whether there are the endpoints about the service itself: its health, tokens, mounts and leases. */
  readonly hasSystemEndpoints: boolean;
  /** How the paths begin that belong to the service itself, wherever engines are mounted. */
  readonly ownPaths: readonly string[];
  /** Paths for which no token is needed. */
  readonly publicPaths: readonly string[];
  /** What a token without any rights may do, too. */
  readonly grants: Grants;
  /** What the engines are called in the table of mounts. */
  readonly engineNames: Readonly<Record<EngineType, string>>;
  /** Where the engines are mounted from the start. */
  readonly usualMounts: Readonly<Record<EngineType, string>>;
  /** Whether two names of aliases that differ in nothing but case are the same. */
  readonly foldsAliasNames: boolean;
  /** Whether an entity has at most one alias on a mount. */
  readonly oneAliasForEntity: boolean;
  /** Whether an alias cannot be updated in parts, nor be made without an entity, which would be made with it. */
  readonly aliasesNeedAllFields: boolean;
  /** What push-authentication methods are called in paths and as a type. */
  readonly pushMethod: string;
  /** Attributes by which the body of a write may name the TOTP method to update. */
  readonly totpMethodIdFields: readonly string[];
  /** What a TOTP method says besides its settings. */
  readonly totpMethodMembers: Readonly<Record<string, string>>;
  /** Whether lists of ids describe each object, too. */
  readonly describesListed: boolean;
  /** What an alias says besides what the documents name. */
  readonly aliasMembers: Readonly<Record<string, unknown>>;
  readonly directory: DirectoryDialect;
  readonly scheduler: SchedulerEngineDialect;
}

/** Both dialects. */
export const secretsDialects: Readonly<Record<EmulatorDialect, SecretsDialect>> = {
  documented: {
    tokenHeader: "x-secrets-token",
    takesBearerTokens: false,
    fieldRules: { unknown: "refused", emptyDuration: "refused" },
    hasSystemEndpoints: false,
    ownPaths: ["identity/", "sys/"],
    publicPaths: [],
    grants: {},
    engineNames: { directory: "directory", scheduler: "scheduler" },
    usualMounts: { directory: "ldap", scheduler: "scheduler" },
    foldsAliasNames: false,
    oneAliasForEntity: false,
    aliasesNeedAllFields: true,
    pushMethod: "pushauth",
    totpMethodIdFields: ["id"],
    totpMethodMembers: { namespace: "root" },
    describesListed: false,
    aliasMembers: {},
    directory: directoryDialects.documented,
    scheduler: schedulerEngineDialects.documented,
  },
  hashicorp: {
    tokenHeader: "x-vault-token",
    takesBearerTokens: true,
    fieldRules: { unknown: "ignored", emptyDuration: "zero" },
    hasSystemEndpoints: true,
    ownPaths: ["auth/token/", "identity/", "sys/"],
    publicPaths: ["sys/health"],
    grants: {
      "auth/token/lookup-self": ["read"],
      "sys/capabilities-self": ["update"],
      "sys/health": ["read"],
      "sys/internal/ui/mounts/": ["read"],
      "sys/leases/lookup": ["update"],
      "sys/leases/renew": ["update"],
    },
    engineNames: { directory: "ldap", scheduler: "nomad" },
    usualMounts: { directory: "ldap", scheduler: "nomad" },
    foldsAliasNames: true,
    oneAliasForEntity: true,
    aliasesNeedAllFields: false,
    pushMethod: "duo",
    totpMethodIdFields: [],
    totpMethodMembers: { name: "", namespace_id: "root", namespace_path: "" },
    describesListed: true,
    aliasMembers: { merged_from_canonical_ids: null, namespace_id: "root" },
    directory: directoryDialects.hashicorp,
    scheduler: schedulerEngineDialects.hashicorp,
  },
};
