import type { EmulatorDialect } from "../dialect";
import type { BodyRules } from "./body";
import type { Grants } from "./rights";

/** What differs for all endpoints between the documented secrets service and the products with nearly the same wire. */
export interface SecretsDialect {
  /** The header that carries the token, in lower case. */
  readonly tokenHeader: string;
  /** Whether the token may come in the `Authorization` header as well. */
  readonly takesBearerTokens: boolean;
  /** What becomes of what a request says and no endpoint reads. */
  readonly bodyRules: BodyRules;
  /** How the paths begin that belong to the service itself, wherever engines are mounted. */
  readonly ownPaths: readonly string[];
  /** Paths for which no token is needed. */
  readonly publicPaths: RegExp;
  /** What a token without any rights may do, too. */
  readonly grants: Grants;
}

/** Both dialects. */
export const secretsDialects: Readonly<Record<EmulatorDialect, SecretsDialect>> = {
  documented: {
    tokenHeader: "x-secrets-token",
    takesBearerTokens: false,
    bodyRules: { unknown: "refused", otherKinds: "refused" },
    ownPaths: ["identity/", "sys/"],
    publicPaths: /(?!)/,
    grants: {},
  },
  hashicorp: {
    tokenHeader: "x-vault-token",
    takesBearerTokens: true,
    bodyRules: { unknown: "ignored", otherKinds: "converted" },
    ownPaths: ["auth/", "identity/", "sys/"],
    publicPaths: /^(?:sys\/health|auth\/.+\/login(?:\/[^/]+)?)$/,
    grants: {
      "auth/token/lookup-self": ["GET"],
      "auth/token/renew-self": ["POST"],
      "auth/token/revoke-self": ["POST"],
      "sys/health": ["GET"],
      "sys/leases/lookup": ["POST"],
      "sys/leases/renew": ["POST"],
    },
  },
};
