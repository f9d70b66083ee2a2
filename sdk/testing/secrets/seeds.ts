import {
  count,
  duration,
  either,
  flag,
  listOf,
  type Members,
  name,
  names,
  oneOf,
  optional,
  partial,
  recordOf,
  text,
  textOrNull,
  texts,
  type TokenOptions,
} from "../schemas";

export const entrySettings = {
  /** The password. Default (`null`): nobody can bind as this entry. */
  password: optional(textOrNull),
  /** The attributes by name; the values in the entry's name are added. Default none. */
  attributes: optional(recordOf(either(text, listOf(text), "a string or a list of strings"))),
  /** Whether the entry is allowed to search and change other entries once it is bound. Default true. */
  mayManage: optional(flag),
};

/** The settings of an entry. */
export interface DirectoryEntrySettings extends Members<typeof entrySettings> {}

/** An entry to set up. */
export interface NewDirectoryEntry extends DirectoryEntrySettings {
  readonly dn: string;
}

export const newEntity = {
  /** Default: a new one. */
  id: optional(name),
  /** Default: `entity_` and the first part of the ID. */
  name: optional(name),
  /** Default none. */
  metadata: optional(texts),
  /** Default none. */
  policies: optional(names),
  /** Default false. */
  disabled: optional(flag),
};

/** An entity to set up. */
export interface NewEntity extends Members<typeof newEntity> {}

export const newEnforcement = {
  /** Default: `enforcement_` and the first part of its ID. */
  name: optional(name),
  /** IDs of existing methods. */
  methodIds: names,
};

/** An enforcement to set up. */
export interface NewEnforcement extends Members<typeof newEnforcement> {}

export type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512";

const totpParameters = {
  issuer: text,
  /** How long a code is valid, in seconds. */
  period: count,
  algorithm: oneOf<TotpAlgorithm>("SHA1", "SHA256", "SHA512"),
  digits: count,
};

/** How codes are computed. */
export interface TotpParameters extends Members<typeof totpParameters> {}

const totpSettings = {
  /** Bytes. */
  keySize: count,
  /** The size of the barcode in pixels; 0 for none. */
  qrSize: count,
  /** How many periods too early or too late a code is accepted. */
  skew: count,
  maxValidationAttempts: count,
  /** Only in the hashicorp dialect. */
  enableSelfEnrollment: optional(flag),
};

/** Everything that can be set on a TOTP method. */
export interface TotpMethodSettings extends TotpParameters, Members<typeof totpSettings> {}

export const newTotpMethod = {
  ...partial({ ...totpParameters, ...totpSettings }),
  issuer: text,
  /** The unique name that methods have in the hashicorp dialect. Default none. */
  name: optional(name),
  /** Default: a new one. */
  id: optional(name),
};

/** A TOTP method that another client created. */
export interface NewTotpMethod extends Members<typeof newTotpMethod> {}

export const newMount = {
  /**
   * An engine, `directory` or `scheduler` (in the hashicorp dialect also `ldap` or `nomad`), or an auth method, such as
   * `userpass` or `approle`.
   */
  type: name,
  /**
   * The path, which can contain slashes: `corp/ldap`. With the prefix `auth/`, it is the path of an auth
   * method.
   */
  path: name,
  /** Default: a new one, such as `auth_userpass_1a2b3c4d`. */
  accessor: optional(name),
  /** Default 768 h. */
  defaultLeaseTtl: optional(duration),
  /** Default 768 h. */
  maxLeaseTtl: optional(duration),
};

/** What to mount. */
export interface NewMount extends Members<typeof newMount> {}

export const newPasswordPolicy = {
  name,
  /** Default 20. */
  length: optional(count),
  /** Default: letters and digits. */
  characters: optional(name),
};

/** A password policy to set up. */
export interface NewPasswordPolicy extends Members<typeof newPasswordPolicy> {}

/** All permissions, only reading and listing, or none. */
export type SecretsAccess = "full" | "read" | "none";

const access = oneOf<SecretsAccess>("full", "read", "none");

export const secretsToken = {
  /** The ID of the existing entity that the token belongs to. Default: none. */
  entityId: optional(name),
  /** The name in templates and issued credentials. Default `token`. */
  displayName: optional(name),
  /** The access to paths that `paths` does not cover. Default `"full"`. */
  access: optional(access),
  /** The access by path prefix below `/v1/`, such as `ldap/library/manage/`; the longest match applies. */
  paths: optional(recordOf(access)),
  /**
   * Names of policies, which a lookup of the token returns. Default `root` for a token with all permissions,
   * else `default`.
   */
  policies: optional(names),
  /** The time after which the token is invalid. Default: never. */
  ttl: optional(duration),
};

/** Options of an additional token of the secrets service. */
export interface SecretsTokenOptions extends TokenOptions, Members<typeof secretsToken> {}

export const newLogin = {
  /** Where the auth method is mounted: `jwt` for requests to `auth/jwt/login`. */
  path: name,
  /**
   * The parameters that a login must send, by their names on the wire: `{ role: "ci", jwt: "identity" }`,
   * `{ role_id, secret_id }`, `{ username, password }`, `{ name }`. The certificate of a client is not checked.
   */
  parameters: texts,
  /**
   * The name of the login's alias. If there is no such alias, the login creates it, together with an entity.
   * Default: the user name, the `role_id`, the `role` or the `name` among the parameters.
   */
  alias: optional(name),
  /** The metadata of its tokens. Default: `username`, `role` or `cert_name`, from the parameters. */
  metadata: optional(texts),
  /** The lifetime of a token. Default one hour. */
  ttl: optional(duration),
  /** The maximum lifetime with all renewals. Default 32 days. */
  maxTtl: optional(duration),
  /** How many logins succeed. Default: no limit. */
  uses: optional(count),
};

/** An auth method and the identity that it accepts. */
export interface NewLogin extends Omit<SecretsTokenOptions, "token" | "ttl">, Members<typeof newLogin> {}
