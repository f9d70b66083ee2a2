import type {
  DirectoryEntrySettings,
  NewDirectoryEntry,
  NewEnforcement,
  NewEntity,
  NewLogin,
  NewMount,
  NewPasswordPolicy,
  NewTotpMethod,
  TotpMethodSettings,
  TotpParameters,
} from "./seeds";
import type { ItemOf } from "./fields";
import type {
  AutomatedRotation,
  DynamicRoleRecord,
  LibrarySetRecord,
  productConfigFields,
  versionFields,
  PushMethodSettings,
  SchedulerAccessRecord,
  SchedulerLeaseRecord,
  SchedulerRoleRecord,
} from "./objects";

/** A kind of directory. `open` is called `openldap` on the wire of the hashicorp dialect. */
export type DirectorySchema = "open" | "ad" | "racf";

/** The configuration of a directory engine. Strings are empty when they are not set. */
export interface DirectoryConfigRecord
  extends AutomatedRotation, Partial<ItemOf<typeof versionFields & typeof productConfigFields>> {
  readonly binddn: string;
  /**
   * The password as last written by a request or a rotation. The bind entry's actual password might differ.
   */
  readonly bindpass: string;
  /** As written; in lower case in the hashicorp dialect. */
  readonly url: string;
  /** The name of a password policy, which does not have to exist. */
  readonly passwordPolicy: string;
  readonly schema: DirectorySchema;
  readonly userdn: string;
  readonly userattr: string;
  readonly upndomain: string;
  /** Seconds. */
  readonly requestTimeout: number;
  /** Seconds. */
  readonly connectionTimeout: number;
  readonly starttls: boolean;
  readonly insecureTls: boolean;
  readonly certificate: string;
  readonly clientTlsCert: string;
  readonly clientTlsKey: string;
  readonly skipStaticRoleImportRotation: boolean;
  /** The length of generated passwords; 0 if it is not set. */
  readonly length: number;
  /** ISO 8601; `null` before the first rotation of the bind password. */
  readonly lastBindPasswordRotation: string | null;
}

/** Changes the configuration as another client would. The default mount is the initial one. */
export interface DirectoryConfigSetup {
  /**
   * Changes the given members. The rules of the API do not apply.
   *
   * @throws Error if there is no configuration
   */
  changeDirectoryConfig(change: Partial<DirectoryConfigRecord>, mount?: string): DirectoryConfigRecord;
  removeDirectoryConfig(mount?: string): void;
}

/** An account that was issued to a client. */
export interface IssuedAccountRecord {
  readonly leaseId: string;
  readonly roleName: string;
  readonly username: string;
  readonly distinguishedNames: readonly string[];
  /** Why the account's deletion at the end of the lease failed; `null` if it did not fail. */
  readonly deletionFailure: string | null;
}

/**
 * Changes records as another client would. The rules of the API do not apply. The default mount is `ldap`.
 * Every method throws an Error for an unknown object.
 */
export interface DirectoryDynamicRolesSetup {
  /** Changes the given members. */
  changeDirectoryDynamicRole(
    name: string,
    change: Partial<Omit<DynamicRoleRecord, "name">>,
    mount?: string,
  ): DynamicRoleRecord;
  /** Removes a role. Accounts that were issued for it exist until their leases end. */
  removeDirectoryDynamicRole(name: string, mount?: string): void;
}

/** Sets up the directory behind the engine. Every method throws an Error if the directory rejects the change. */
export interface DirectoryEntriesSetup {
  /** Adds an entry and its missing parents. */
  addDirectoryEntry(entry: NewDirectoryEntry): DirectoryEntryRecord;
  /** Changes the given members; `attributes` replaces all of the entry's attributes. */
  changeDirectoryEntry(dn: string, change: DirectoryEntrySettings): DirectoryEntryRecord;
  /** Removes an entry without children. */
  removeDirectoryEntry(dn: string): void;
}

/** An entry of the directory. */
export interface DirectoryEntryRecord {
  readonly dn: string;
  /**
   * The password in plain text, so that a test can compare it; `null` for an entry that nobody can bind as.
   */
  readonly password: string | null;
  /** By name, as first written. Passwords are not included. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Whether the entry is allowed to search and change other entries once it is bound. */
  readonly mayManage: boolean;
}

/** The current borrower of an account. */
export interface CheckOutRecord {
  readonly leaseId: string;
  /** The hash of the borrower's token. */
  readonly borrowerClientToken: string;
  /** `null` for a borrower without an entity. */
  readonly borrowerEntityId: string | null;
  /** ISO 8601; `null` for a check-out that never expires. */
  readonly expiresAt: string | null;
}

/** An account of a set. */
export interface LibraryAccountRecord {
  readonly name: string;
  readonly setName: string;
  /** In plain text. */
  readonly password: string;
  /** `null` while it is available. */
  readonly checkOut: CheckOutRecord | null;
}

/**
 * Changes records as another client would. The rules of the API do not apply. The default mount is `ldap`.
 * Every method throws an Error for an unknown object.
 */
export interface DirectoryLibrarySetup {
  /**
   * Changes the given members. The check-outs of accounts that leave the set end; accounts that join it have an empty
   * password until their first check-in.
   */
  changeDirectoryLibrarySet(
    name: string,
    change: Partial<Omit<LibrarySetRecord, "name">>,
    mount?: string,
  ): LibrarySetRecord;
  /** Removes a set and its check-outs. */
  removeDirectoryLibrarySet(name: string, mount?: string): void;
}

/** A static role: an entry whose password the engine rotates. */
export interface StaticRoleRecord extends AutomatedRotation {
  /** Only in the hashicorp dialect. Empty for the configuration's policy. */
  readonly passwordPolicy?: string;
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
  readonly username: string;
  /** Empty when the entry is found by `username`. */
  readonly dn: string;
  /** Seconds. */
  readonly rotationPeriod: number;
  /** In plain text; `null` before the first rotation. */
  readonly password: string | null;
  /** The previous password; `null` before the second rotation. */
  readonly lastPassword: string | null;
  /** ISO 8601; `null` before the first rotation. */
  readonly lastRotation: string | null;
}

/**
 * Changes static roles as another client would. The rules of the API do not apply, and the directory is not
 * contacted. The default mount is `ldap`. Every method throws an Error for an unknown object.
 */
export interface DirectoryStaticRolesSetup {
  /** Changes the given members. */
  changeDirectoryStaticRole(
    name: string,
    change: Partial<Omit<StaticRoleRecord, "name">>,
    mount?: string,
  ): StaticRoleRecord;
  removeDirectoryStaticRole(name: string, mount?: string): void;
}

/** A user or machine that logs in; there is no documented endpoint to create one. */
export interface EntityRecord {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The names of additional policies of the entity's tokens. */
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** ISO 8601. */
  readonly creationTime: string;
  /** ISO 8601. */
  readonly lastUpdateTime: string;
}

/**
 * Sets up objects that no documented endpoint creates. Every method throws an Error for an unknown object.
 */
export interface FoundationSetup {
  /**
   * Mounts an engine or an auth method. From the start there are the engines `directory` at `ldap` and `scheduler` at
   * `scheduler` (in the hashicorp dialect at `nomad`), and the auth method `userpass` with the accessor
   * `auth_userpass_00000001`.
   */
  addMount(mount: NewMount): MountRecord;
  /**
   * Unmounts an engine or an auth method, ends its leases and removes everything in it. Aliases of
   * an auth method are kept.
   */
  removeMount(path: string): void;
  addEntity(entity?: NewEntity): EntityRecord;
  /** Removes an entity with its aliases and TOTP secrets. */
  removeEntity(id: string): void;
  /** Adds a policy, or replaces the one with the same name. */
  addPasswordPolicy(policy: NewPasswordPolicy): PasswordPolicyRecord;
  removePasswordPolicy(name: string): void;
  /** Revokes a lease, as an operator would. */
  revokeLease(id: string): void;
}

/** A login name that is bound to an entity. */
export interface EntityAliasRecord {
  readonly id: string;
  /** The hashicorp dialect ignores case when it compares names. */
  readonly name: string;
  /** The ID of the entity. */
  readonly canonicalId: string;
  /** Empty for an alias of an issuer. */
  readonly mountAccessor: string;
  /** Only in the hashicorp dialect. */
  readonly issuer?: string;
  /** Only in the hashicorp dialect. */
  readonly externalId?: string;
  /** `null` for an alias that a login created, before it is changed. */
  readonly customMetadata: Readonly<Record<string, string>> | null;
  /** Metadata of the latest login; `null` before the first one. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** ISO 8601. */
  readonly creationTime: string;
  /** ISO 8601. */
  readonly lastUpdateTime: string;
}

/** An alias that another client created. */
export interface NewEntityAlias {
  readonly name: string;
  /** The ID of an existing entity. */
  readonly canonicalId: string;
  /** Default: the accessor of the auth method `userpass`, which exists from the start. */
  readonly mountAccessor?: string;
  /** Only in the hashicorp dialect, for example with an empty `mountAccessor`. Default none. */
  readonly issuer?: string;
  /** Default none. */
  readonly customMetadata?: Readonly<Record<string, string>>;
}

/** A change of an alias by another client. */
export type EntityAliasChange = Partial<
  Pick<EntityAliasRecord, "name" | "issuer" | "canonicalId" | "mountAccessor" | "customMetadata" | "metadata">
>;

/** Changes records as another client would. Every method throws an Error for an unknown object. */
export interface EntityAliasesSetup {
  /** Adds an alias. The rules of the API, such as one alias for each entity and mount, do not apply. */
  addEntityAlias(alias: NewEntityAlias): EntityAliasRecord;
  /** Changes the given members. The rules of the API do not apply. */
  changeEntityAlias(id: string, change: EntityAliasChange): EntityAliasRecord;
  removeEntityAlias(id: string): void;
}

/** A lease on something that an engine issued. */
export interface LeaseRecord {
  /** The ID, such as `ldap/creds/web/` and 24 letters and digits. */
  readonly id: string;
  /** The duration of the lease in the response, in seconds; 0 for a lease that never expires. */
  readonly duration: number;
  readonly renewable: boolean;
  /** ISO 8601. */
  readonly issuedAt: string;
  /** ISO 8601; `null` for a lease that never expires. */
  readonly expiresAt: string | null;
}

/** A push-authentication method. */
export interface PushMethodRecord extends PushMethodSettings {
  readonly id: string;
  readonly name: string;
}

/** A push method that another client created. */
export interface NewPushMethod extends Partial<PushMethodSettings> {
  readonly name: string;
}

/** Changes records as another client would. Every method throws an Error for an unknown object. */
export interface PushMethodsSetup {
  addPushMethod(method: NewPushMethod): PushMethodRecord;
  /**
   * Changes the given members.
   *
   * @param name of a method without a mount: its ID
   */
  changePushMethod(name: string, change: Partial<PushMethodSettings>): PushMethodRecord;
  removePushMethod(name: string): void;
}

/** A TOTP method. */
export interface TotpMethodRecord extends TotpMethodSettings {
  readonly id: string;
  /** Only in the hashicorp dialect; empty for none. */
  readonly name?: string;
}

/** A rule that logins require one of several methods; only the hashicorp dialect has requests for it. */
export interface EnforcementRecord {
  readonly id: string;
  readonly name: string;
  /** IDs of the methods; none of them can be deleted through the API. */
  readonly methodIds: readonly string[];
  /** Whose logins require a method; only requests of the hashicorp dialect set it. */
  readonly authMethodAccessors: readonly string[];
  readonly authMethodTypes: readonly string[];
  readonly identityGroupIds: readonly string[];
  readonly identityEntityIds: readonly string[];
}

/** Changes records as another client would. Every method throws an Error for an unknown object. */
export interface TotpMethodsSetup {
  /** The rules of the API do not apply. */
  addTotpMethod(method: NewTotpMethod): TotpMethodRecord;
  /** Changes the given members. The rules of the API do not apply. */
  changeTotpMethod(id: string, change: Partial<Omit<TotpMethodRecord, "id">>): TotpMethodRecord;
  /** Removes a method, also from the enforcements that use it. Secrets that were generated with it remain. */
  removeTotpMethod(id: string): void;
  /** Adds an enforcement. While it exists, its methods cannot be deleted through the API. */
  addEnforcement(enforcement: NewEnforcement): EnforcementRecord;
  removeEnforcement(id: string): void;
}

/** A secret for one method on one entity. It keeps the parameters with which it was generated. */
export interface TotpSecretRecord extends TotpParameters {
  readonly methodId: string;
  readonly entityId: string;
  /** The shared key, in base 32 without padding. */
  readonly key: string;
  /** The `otpauth` address for authenticator apps. */
  readonly url: string;
}

/** Changes records as another client would. Every method throws an Error for an unknown object. */
export interface TotpSecretsSetup {
  /** Adds a secret, or replaces the existing one. */
  addTotpSecret(methodId: string, entityId: string): TotpSecretRecord;
  removeTotpSecret(methodId: string, entityId: string): void;
}

/** Auth methods. */
export interface LoginSetup {
  /** Adds a login, in the hashicorp dialect, and mounts the auth method if nothing is mounted there. */
  addLogin(login: NewLogin): void;
}

/** A mount: an engine or an auth method. */
export interface MountRecord {
  /** Without a slash at either end, and without `auth/`. */
  readonly path: string;
  /**
   * `directory` or `scheduler` for an engine, in the hashicorp dialect `ldap` or `nomad`; anything else is an auth
   * method, such as `userpass`.
   */
  readonly type: string;
  /** Identifies the mount in entity aliases and push methods. */
  readonly accessor: string;
  /** The duration, in seconds, of leases for which nothing else sets one. */
  readonly defaultLeaseTtl: number;
  /** The maximum duration of a lease, in seconds, including renewals. */
  readonly maxLeaseTtl: number;
}

/** The mount of a record. */
export interface MountPath {
  readonly mount: string;
}

/** How passwords are generated; there is no documented endpoint to create a policy. */
export interface PasswordPolicyRecord {
  readonly name: string;
  /** The number of characters in a password. */
  readonly length: number;
  /** The characters that passwords can contain. */
  readonly characters: string;
}

/**
 * What reads of the scheduler engine return. `documented`: what is documented (only `address` for the access
 * configuration; `token_type` and `lease`, without `global`, for a role). `real`: what real servers return
 * (everything except secrets for the access configuration; `type` and `global`, without `lease`, for a role).
 */
export type SchedulerReads = "documented" | "real";

/** Changes the configuration as another client would. */
export interface SchedulerAccessSetup {
  /**
   * Changes the given members; creates a configuration if there is none.
   *
   * @param mount default: the initial one
   * @throws Error if no scheduler engine is mounted there
   */
  changeSchedulerAccess(change: Partial<SchedulerAccessRecord>, mount?: string): SchedulerAccessRecord;
  /** @throws Error if no scheduler engine is mounted there */
  removeSchedulerAccess(mount?: string): void;
}

/** How the secrets service is emulated. */
export interface SecretsEmulatorOptions {
  /**
   * The namespaces in the hashicorp dialect, in addition to the root namespace, such as `teams/platform`. All
   * have the same contents. Requests in other namespaces are rejected. Default none.
   */
  readonly namespaces?: readonly string[];
  /**
   * Which LDAP engine the hashicorp dialect imitates where the two differ: that of Vault Enterprise, or that
   * of OpenBao up to 2.6, which ignores the settings of Enterprise, does not support names with a slash, and
   * drops the connection when a static role is written without a configuration. Default `"vault"`.
   */
  readonly directoryEngine?: "vault" | "openbao";
  /**
   * What reads of the scheduler engine return: `"documented"`, as in the documentation (only `address` for
   * the access configuration; `token_type` and `lease` for a role), or `"real"`, as with real servers
   * (everything except secrets for the access configuration; `type` and `global` for a role). Default
   * `"documented"`, in the hashicorp dialect `"real"`.
   */
  readonly schedulerReads?: SchedulerReads;
  /**
   * Whether the scheduler engine issues tokens of the emulated scheduler with any access configuration
   * (`"any"`), or, like a real engine, only with the emulated scheduler's address and one of its management
   * tokens (`"checked"`). Settings that are not configured count as correct, as if they came from the
   * service's environment. Default `"any"`.
   */
  readonly schedulerAccess?: "any" | "checked";
}

/** Changes the configuration as another client would. */
export interface SchedulerLeaseSetup {
  /**
   * Changes the given members; creates a configuration if there is none.
   *
   * @param mount default: the initial one
   * @throws Error if no scheduler engine is mounted there
   */
  changeSchedulerLease(change: Partial<SchedulerLeaseRecord>, mount?: string): SchedulerLeaseRecord;
  /** @throws Error if no scheduler engine is mounted there */
  removeSchedulerLease(mount?: string): void;
}

/** A role that another client created. */
export interface NewSchedulerRole extends Partial<SchedulerRoleRecord> {
  readonly name: string;
}

/**
 * Changes roles as another client would. The rules of the API do not apply. The default mount is the initial
 * one. Every method throws an Error for an unknown object.
 */
export interface SchedulerRolesSetup {
  /** Adds a role, by default a client role, or replaces the one with the same name. */
  addSchedulerRole(role: NewSchedulerRole, mount?: string): SchedulerRoleRecord;
  /** Changes the given members. */
  changeSchedulerRole(
    name: string,
    change: Partial<Omit<SchedulerRoleRecord, "name">>,
    mount?: string,
  ): SchedulerRoleRecord;
  removeSchedulerRole(name: string, mount?: string): void;
}

/** The contents of the secrets service. */
export interface SecretsInspection {
  /** The configurations, one for each mount that has one. */
  readonly directoryConfigs: readonly (DirectoryConfigRecord & MountPath)[];
  readonly directoryDynamicRoles: readonly (DynamicRoleRecord & MountPath)[];
  /** Accounts whose lease has not ended, or whose deletion failed. */
  readonly directoryIssuedAccounts: readonly (IssuedAccountRecord & MountPath)[];
  readonly directoryEntries: readonly DirectoryEntryRecord[];
  readonly directoryLibrarySets: readonly (LibrarySetRecord & MountPath)[];
  /** The accounts of all sets, with their check-outs. */
  readonly directoryLibraryAccounts: readonly (LibraryAccountRecord & MountPath)[];
  readonly directoryStaticRoles: readonly (StaticRoleRecord & MountPath)[];
  readonly mounts: readonly MountRecord[];
  readonly entities: readonly EntityRecord[];
  readonly passwordPolicies: readonly PasswordPolicyRecord[];
  /** The leases that have not ended. */
  readonly leases: readonly LeaseRecord[];
  readonly entityAliases: readonly EntityAliasRecord[];
  readonly pushMethods: readonly PushMethodRecord[];
  readonly totpMethods: readonly TotpMethodRecord[];
  readonly enforcements: readonly EnforcementRecord[];
  readonly totpSecrets: readonly TotpSecretRecord[];
  /** The access configurations, one for each mount that has one. */
  readonly schedulerAccess: readonly (SchedulerAccessRecord & MountPath)[];
  /** The lease configurations, one for each mount that has one. */
  readonly schedulerLeases: readonly (SchedulerLeaseRecord & MountPath)[];
  readonly schedulerRoles: readonly (SchedulerRoleRecord & MountPath)[];
}
