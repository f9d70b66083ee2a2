import type { Dialect } from "../../base/settings";

/** What the secrets service does in each dialect. */
export const secretsTraits = {
  documented: {
    /** Whether the service has what only the products' own clients need: logins, tokens, mounts, capabilities. */
    hasProductPaths: false,
    /** Paths of the service itself, independent of mounts. */
    ownPaths: /^(?:identity|sys)\//,
    tokenHeader: "x-secrets-token",
    takesBearerTokens: false,
    /** Whether requests name a namespace, which the response repeats. */
    hasNamespaces: false,
    /** Whether the health endpoint accepts HEAD. */
    answersToHead: false,
    wrapsResponses: false,
    /** Whether `help=1` describes a path. */
    describesPaths: false,
    /** Whether the denial of a valid token is a numbered list. */
    numbersDenials: false,
    /** Whether unknown members and query parameters are ignored, with a warning. */
    ignoresUnknown: false,
    /** Whether values of other types are converted. */
    convertsValues: false,
    /** Whether a body can be null or blank. */
    takesNull: false,
    /** Whether the query of a request without a body is read instead of the body. */
    readsQueryAsBody: false,
    hasPatch: false,
    takesPut: false,
    /** Whether every token is allowed to use some paths. */
    grantsOwnPaths: false,
    /** Whether an empty list is 404. */
    missingIfEmpty: false,
    engineNames: { directory: "directory", scheduler: "scheduler" },
    /** Whether responses with a lease contain warnings about shortened lifetimes. */
    relaysWarnings: false,
    /** Whether the revocation of a lease fails without the configuration of its engine. */
    revokesAtEngine: false,
    foldsAliasNames: false,
    aliasesHaveIssuers: false,
    /** Which rows aliases have. */
    aliases: "documented",
    /** Whether lists describe their objects. */
    describesInLists: false,
    /** Whether a new alias creates its entity, and an update keeps the members that it omits. */
    aliasesNeedNoEntity: false,
    limitsMetadata: false,
    /** Whether a write that changes nothing is 204. */
    silentIfUnchanged: false,
    /** Whether an entity has at most one alias on a mount. */
    oneAliasPerMount: false,
    /** The error for an update with an unknown entity. */
    unknownEntity: "invalid canonical ID",
    /** The name of the method in paths, which is also its type. */
    pushMethod: "pushauth",
    hasIdentityPushMethods: false,
    methodNamespace: { namespace: "root" },
    methodsHaveNames: false,
    /** Whether a method of another type is known at the path. */
    methodsShareIds: false,
    /** Whether members other than `digits` and `skew` have limits. */
    limitsTotp: false,
    /** Whether users can enroll themselves in TOTP. */
    enrollsThemselves: false,
    /** Whether the error for a missing ID names it. */
    namesMissingIds: false,
    /** Whether a secret of a method that does not exist can be destroyed. */
    destroysOfUnknownMethods: false,
    /** Whether an access configuration needs both a client certificate and its key, or neither. */
    pairsAccessKeys: true,
    bootstrapsAccess: false,
    deletesAccess: false,
    /** Whether reads of the scheduler engine return what real servers return. */
    showsAllOfEngine: false,
    /** Whether policies are checked against the type of a role. */
    checksPolicies: false,
    unsentPoliciesAreNull: false,
    /** The prefix of the names of issued tokens. */
    tokenPrefix: "secrets",
    checksCertificatesOnUse: false,
    /** Whether names of roles and sets are stored in lower case, and their form is checked. */
    foldsNames: false,
    /** Whether a name can have slashes that are not encoded. */
    takesNamesWithSlashes: false,
    /** Whether the body of a library set repeats its name. */
    repeatsName: true,
    /** Whether an account of a static role cannot be in a library set. */
    accountsAreExclusive: false,
    /** Whether roles and sets are listed by LIST, by folder. */
    listsFolders: false,
    checksLibraryTtls: false,
    /** Whether an error about a checked-out account ends with a superfluous quotation mark. */
    quotesOddly: false,
    /** Whether the account is checked in when any lease ends. */
    endingIsForAll: false,
    /** Whether the lease stays after a check-in. */
    keepsLeases: false,
    /** Whether a check-in without names only considers accounts that the caller is allowed to check in. */
    checksInOwnOnly: false,
    /** Whether the mount limits how long an account is checked out. */
    lendsByMount: false,
    /** Whether the status of a checked-out account omits the entity if there is none. */
    omitsNoEntity: false,
    /** Whether LDIF keeps the case of attributes. */
    ldifHasCases: false,
    /** The prefix of an error when binding to issue an account fails. */
    executionFailure: "",
    /** The prefix of an error when binding fails. */
    bindFailure: undefined,
    lastRotation: "last_svc_rotation",
    /** Whether a static role that was never rotated has no rotation time. */
    omitsNoRotation: false,
    /** Whether credentials have an empty password before the first rotation. */
    showsUnknownPassword: false,
    /** The prefix of the error of a rotation that will be retried. */
    retriedRotation: "",
    dnCanBeCleared: false,
    /** Whether `skip_import_rotation` is refused in an update. */
    refusesLateSkip: false,
    /** Whether the body of a dynamic role can repeat its name. */
    repeatsRoleName: true,
    listsDynamicRoles: false,
    /** In the order in which the error lists them. */
    schemas: ["open", "ad", "racf"],
    /** The name of the schema `open`. */
    openSchema: "open",
    /** Whether a configuration is read with all settings. */
    returnsAllOfConfig: false,
    foldsUrls: false,
    /** The length of passwords that a configuration without one returns. */
    passwordLength: 64,
    hasTlsVersions: false,
    /** Whether there are settings that the engine does not use. */
    knowsMoreSettings: false,
    /** Whether a policy of an earlier request excludes a length. */
    keepsPolicyWithLength: false,
    /** Whether the engine can derive the name that it binds with. */
    derivesBindName: false,
    requiresUrl: false,
    /** The end of the error for a configuration without an account to bind as. */
    missingBinding: ": binddn and bindpass are required",
    refusesNegativeLength: true,
    checksKeyPairs: false,
    /** Whether accounts are looked up by attributes from a list. */
    checksAttributes: false,
  },
  hashicorp: {
    hasProductPaths: true,
    ownPaths: /^(?:auth\/|(?:cubbyhole|identity|sys)(?:\/|$))/,
    tokenHeader: "x-vault-token",
    takesBearerTokens: true,
    hasNamespaces: true,
    answersToHead: true,
    wrapsResponses: true,
    describesPaths: true,
    numbersDenials: true,
    ignoresUnknown: true,
    convertsValues: true,
    takesNull: true,
    readsQueryAsBody: true,
    hasPatch: true,
    takesPut: true,
    grantsOwnPaths: true,
    missingIfEmpty: true,
    engineNames: { directory: "ldap", scheduler: "nomad" },
    relaysWarnings: true,
    revokesAtEngine: true,
    foldsAliasNames: true,
    aliasesHaveIssuers: true,
    aliases: "product",
    describesInLists: true,
    aliasesNeedNoEntity: true,
    limitsMetadata: true,
    silentIfUnchanged: true,
    oneAliasPerMount: true,
    unknownEntity: "given 'canonical_id' is not associated with an entity",
    pushMethod: "duo",
    hasIdentityPushMethods: true,
    methodNamespace: { namespace_id: "root", namespace_path: "" },
    methodsHaveNames: true,
    methodsShareIds: true,
    limitsTotp: true,
    enrollsThemselves: true,
    namesMissingIds: true,
    destroysOfUnknownMethods: true,
    pairsAccessKeys: false,
    bootstrapsAccess: true,
    deletesAccess: true,
    showsAllOfEngine: true,
    checksPolicies: true,
    unsentPoliciesAreNull: true,
    tokenPrefix: "vault",
    checksCertificatesOnUse: true,
    foldsNames: true,
    takesNamesWithSlashes: true,
    repeatsName: false,
    accountsAreExclusive: true,
    listsFolders: true,
    checksLibraryTtls: true,
    quotesOddly: true,
    endingIsForAll: true,
    keepsLeases: true,
    checksInOwnOnly: true,
    lendsByMount: true,
    omitsNoEntity: true,
    ldifHasCases: true,
    executionFailure: "failed to create user: failed to execute statements",
    bindFailure: "failed to bind with current password",
    lastRotation: "last_vault_rotation",
    omitsNoRotation: true,
    showsUnknownPassword: true,
    retriedRotation:
      "unable to finish rotating credentials; retries will continue in the background but it is also safe to retry manually",
    dnCanBeCleared: true,
    refusesLateSkip: true,
    repeatsRoleName: false,
    listsDynamicRoles: true,
    schemas: ["open", "racf", "ad"],
    openSchema: "openldap",
    returnsAllOfConfig: true,
    foldsUrls: true,
    passwordLength: undefined,
    hasTlsVersions: true,
    knowsMoreSettings: true,
    keepsPolicyWithLength: true,
    derivesBindName: true,
    requiresUrl: true,
    missingBinding: "",
    refusesNegativeLength: false,
    checksKeyPairs: true,
    checksAttributes: true,
  },
} as const satisfies Readonly<Record<Dialect, object>>;

export type SecretsTraits = (typeof secretsTraits)[Dialect];
