import { TriviumError } from "../base/errors";
import type { Dialect } from "../base/settings";
import { path } from "../base/path";

export type SecretsDialect = (typeof secretsDialects)[Dialect];

/** `undefined` or false: the service does not have it. */
export const secretsDialects = {
  documented: {
    name: "documented",
    tokenHeader: "X-Secrets-Token",
    /** The documentation names no such header. */
    namespaceHeader: "X-Secrets-Namespace",
    requestHeaders: {},
    /** The body of each 404 says that it is the service's. By the documentation it may have any, or none. */
    saysAbsence: false,
    schedulerMount: "scheduler",
    /** In paths, and the method's type. */
    pushMethod: "pushauth",
    /** Push methods without a mount are MFA methods of identities. */
    hasDuoMethods: false,
    /** The error if the service has no path for push methods. */
    withoutPushMethods: "This service does not support push methods.",
    /** Whether push methods only know the documented placeholders: the products differ by edition. */
    knowsPlaceholders: true,
    /** Names of roles, sets and aliases are case-insensitive; those of roles and sets are kept in lower case. */
    foldsNames: false,
    leaseRevocation: undefined,
    leaseLookUp: undefined,
    tokenLookUp: undefined,
    /** Where the absence of an entity is proven. */
    entityPath: undefined,
    /** How the generation of a secret may be rejected if there is one; the documentation does not show it. */
    existingSecret: [400, 409, 422],
    deletesAccess: false,
    /** Static roles are listed without `list=true`. */
    listsPlainly: true,
    listsDynamicRoles: false,
    /** Whether the lists of MFA methods and aliases contain what a read of one returns. */
    describesInLists: false,
    /** Whether all units of durations are known: the documentation only names examples. */
    knowsUnits: false,
    /** A listed name that ends with a slash is a folder of more names. */
    hasFolders: false,
    /** Whether reading credentials can rotate a password. */
    rotatesOnRead: false,
    /** Requests about a library set repeat its name in the body. */
    repeatsName: true,
    /** A client certificate of the scheduler requires its key. */
    pairsAccessKeys: true,
    /** A write of the access without a token bootstraps the scheduler's ACL system. */
    bootstrapsAccess: false,
    /** Whether the service checks that policies fit the type of a role, a library's TTLs, and a directory's key. */
    checksPolicies: false,
    checksLibraryTtls: false,
    checksDirectoryKey: false,
    /** Whether accounts are searched by attributes of a list, spelled as there. */
    listsAttributes: false,
    /** The length of generated passwords, which the service also returns beside a policy. */
    passwordLength: 64,
    /** A write of a configuration keeps an omitted policy, and resets an omitted length and type of credentials. */
    keepsPasswordPolicy: false,
    /** Whether this refusal of a configuration may mean that it lacks the bind password. */
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
