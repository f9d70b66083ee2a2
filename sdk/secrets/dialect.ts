import type { Dialect } from "../connection/settings";

/** What differs between the documented secrets service and the products with nearly the same wire. */
export interface SecretsDialect {
  /** The header that carries the token. */
  readonly tokenHeader: string;
  /** The header that names the namespace; the documents name none. */
  readonly namespaceHeader: string;
  /** What the push-authentication method is called in paths. */
  readonly pushMethod: string;
  /** Whether the writes of a library repeat the name of the set, which stands in their path, in the body. */
  readonly libraryRequestsNameTheSet: boolean;
  /** The member that tells when a static role's password was last rotated. */
  readonly lastRotation: string;
  /** What the directory engine calls the schema of OpenLDAP and alike. */
  readonly openDirectorySchema: string;
  /** Whether a first access configuration without a token makes the service take over the scheduler's ACLs. */
  readonly accessWithoutTokenBootstraps: boolean;
}

/** Both dialects. */
export const secretsDialects: Readonly<Record<Dialect, SecretsDialect>> = {
  documented: {
    tokenHeader: "X-Secrets-Token",
    namespaceHeader: "X-Secrets-Namespace",
    pushMethod: "pushauth",
    libraryRequestsNameTheSet: true,
    lastRotation: "last_svc_rotation",
    openDirectorySchema: "open",
    accessWithoutTokenBootstraps: false,
  },
  hashicorp: {
    tokenHeader: "X-Vault-Token",
    namespaceHeader: "X-Vault-Namespace",
    pushMethod: "duo",
    libraryRequestsNameTheSet: false,
    lastRotation: "last_vault_rotation",
    openDirectorySchema: "openldap",
    accessWithoutTokenBootstraps: true,
  },
};
