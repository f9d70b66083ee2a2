import { TriviumError } from "../base/errors";
import type { Dialect } from "../base/settings";
import { path } from "../base/path";

export type SecretsDialect = (typeof secretsDialects)[Dialect];

/** `undefined` or false: the service does not have the feature. */
export const secretsDialects = {
  documented: {
    name: "documented",
    tokenHeader: "X-Secrets-Token",
    /** The documentation does not mention such a header. */
    namespaceHeader: "X-Secrets-Namespace",
    requestHeaders: {},
    /**
     * Whether the body of every 404 shows that it is the service's. According to the documentation, a 404 can
     * have any body, or none.
     */
    saysAbsence: false,
    schedulerMount: "scheduler",
    /** The name of push methods in paths, which is also their type. */
    pushMethod: "pushauth",
    /** Push methods without a mount are MFA methods of identities. */
    hasDuoMethods: false,
    /** The error if the service does not have a path for push methods. */
    withoutPushMethods: "This service does not support push methods.",
    /** Whether push methods only know the documented placeholders: the products differ by edition. */
    knowsPlaceholders: true,
    /**
     * Whether names of roles, sets and aliases are case-insensitive; those of roles and sets are stored in
     * lower case.
     */
    foldsNames: false,
    leaseRevocation: undefined,
    leaseLookUp: undefined,
    tokenLookUp: undefined,
    /** Where the absence of an entity is proven. */
    entityPath: undefined,
    /**
     * How the generation of a secret can be rejected if one already exists; the documentation does not show
     * it.
     */
    existingSecret: [400, 409, 422],
    deletesAccess: false,
    /** Whether static roles are listed without `list=true`. */
    listsPlainly: true,
    listsDynamicRoles: false,
    /** Whether the lists of MFA methods and aliases contain what a read of one returns. */
    describesInLists: false,
    /** Whether all units of durations are known: the documentation only names examples. */
    knowsUnits: false,
    /** Whether a listed name that ends with a slash is a folder of more names. */
    hasFolders: false,
    /** Whether reading credentials can rotate a password. */
    rotatesOnRead: false,
    /** Whether a path describes its parameters. */
    describesPaths: false,
    /** Whether requests about a library set repeat its name in the body. */
    repeatsName: true,
    /** Whether a client certificate for the scheduler requires its key. */
    pairsAccessKeys: true,
    /** Whether a write of the access without a token bootstraps the scheduler's ACL system. */
    bootstrapsAccess: false,
    /** Whether the service checks that policies fit the type of a role, a library's TTLs, and a directory's key. */
    checksPolicies: false,
    checksLibraryTtls: false,
    checksDirectoryKey: false,
    /** Whether accounts are looked up by attributes from a list, in the list's case. */
    listsAttributes: false,
    /** The length of generated passwords, which the service also returns together with a policy. */
    passwordLength: 64,
    /**
     * Whether a write of a configuration keeps an omitted policy, and resets an omitted length and type of
     * credentials.
     */
    keepsPasswordPolicy: false,
    /** Whether this refusal of a configuration might mean that the bind password is missing. */
    mayLackBindPassword: (): boolean => true,
  },
  hashicorp: {
    name: "hashicorp",
    tokenHeader: "X-Vault-Token",
    namespaceHeader: "X-Vault-Namespace",
    // Agents and proxies of the product can be configured to forward only requests with this header.
    requestHeaders: { "X-Vault-Request": "true" },
    saysAbsence: true,
    schedulerMount: "nomad",
    pushMethod: "duo",
    hasDuoMethods: true,
    withoutPushMethods:
      "With mountAccessor, only Vault Enterprise offers push methods. Without mountAccessor, all editions of Vault and " +
      "OpenBao do.",
    knowsPlaceholders: false,
    foldsNames: true,
    leaseRevocation: path`/sys/leases/revoke`,
    leaseLookUp: path`/sys/leases/lookup`,
    tokenLookUp: path`/auth/token/lookup-self`,
    entityPath: (id: string) => path`/identity/entity/id/${id}`,
    existingSecret: [],
    deletesAccess: true,
    listsPlainly: false,
    listsDynamicRoles: true,
    describesInLists: true,
    knowsUnits: true,
    hasFolders: true,
    rotatesOnRead: true,
    describesPaths: true,
    repeatsName: false,
    pairsAccessKeys: false,
    bootstrapsAccess: true,
    checksPolicies: true,
    checksLibraryTtls: true,
    checksDirectoryKey: true,
    listsAttributes: true,
    passwordLength: undefined,
    keepsPasswordPolicy: true,
    mayLackBindPassword: (messages: readonly string[]): boolean =>
      messages.some((text) => /bind[ _-]?pass/i.test(text)),
  },
} as const satisfies Readonly<Record<Dialect, object>>;

/** @throws TriviumError if the dialect does not have it */
export function requireOffered(isOffered: boolean, what: string): void {
  if (!isOffered) {
    throw new TriviumError(`The documented service has no ${what}.`, {
      advice: "If the service is Vault or OpenBao, set its dialect to hashicorp.",
    });
  }
}
