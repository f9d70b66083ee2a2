import type { EmulatorDialect } from "../../dialect";
import type { NameLists } from "../answers";
import type { DirectorySchema } from "./config-record";

/** What differs between the documented directory engine and that of the products. */
export interface DirectoryDialect {
  /** What the schemas are called on the wire, in the order in which an error lists them. */
  readonly schemas: Readonly<Record<string, DirectorySchema>>;
  /** What reads of the configuration answer: the members that the documents name, or all that the products have. */
  readonly configReads: "documented members" | "all members";
  /** Whether URLs of the directory are kept in lower case. */
  readonly foldsUrls: boolean;
  /** Whether a client's certificate and its key have to be given together, and belong together. */
  readonly requiresKeyPair: boolean;
  /** Whether a request may not hold both a length and a policy of passwords, not even one that is empty. */
  readonly lengthExcludesPolicy: boolean;
  /** Whether a library set's `max_ttl` may not be less than its `ttl`. */
  readonly maxTtlHoldsTtl: boolean;
  /** What names of roles and library sets may look like; there is no path for others. */
  readonly names: RegExp;
  /** Whether names of roles and library sets are kept in lower case, so that case does not count. */
  readonly foldsNames: boolean;
  /** What static roles and library sets are listed in. */
  readonly nameLists: NameLists;
  /** Whether a plain GET lists the static roles, too. */
  readonly staticRolesAreListedByGet: boolean;
  readonly dynamicRolesAreListed: boolean;
  /** The member that tells when a static role's password was last rotated. */
  readonly lastRotation: string;
  /** What becomes of a static role that is written before the configuration. */
  readonly staticRoleWithoutConfig: "is refused" | "breaks the connection";
  /** Whether an update of a static role may unset the name of the entry. */
  readonly emptyDnUnsetsIt: boolean;
  /** Whether the deletion of a static role fails while there is none at all. */
  readonly deletionFailsWithoutStaticRoles: boolean;
  /** Whether the requests of a library repeat the name of the set, which stands in their path, in the body. */
  readonly libraryRequestsNameTheSet: boolean;
  /** How long a check-out lasts that neither the set nor the request limits. */
  readonly unlimitedCheckOut: "for ever" | "as the mount says";
  /** What stands behind the errors about accounts that are checked out. */
  readonly checkedOutErrorEnd: string;
  /** The error about a configuration without an account to bind as. */
  readonly bindAccountMissing: string;
}

/** Both dialects. */
export const directoryDialects: Readonly<Record<EmulatorDialect, DirectoryDialect>> = {
  documented: {
    schemas: { open: "open", ad: "ad", racf: "racf" },
    configReads: "documented members",
    foldsUrls: false,
    requiresKeyPair: false,
    lengthExcludesPolicy: true,
    maxTtlHoldsTtl: false,
    names: /^/,
    foldsNames: false,
    nameLists: "bare array",
    staticRolesAreListedByGet: true,
    dynamicRolesAreListed: false,
    lastRotation: "last_svc_rotation",
    staticRoleWithoutConfig: "is refused",
    emptyDnUnsetsIt: false,
    deletionFailsWithoutStaticRoles: false,
    libraryRequestsNameTheSet: true,
    unlimitedCheckOut: "for ever",
    checkedOutErrorEnd: "",
    bindAccountMissing: "cannot derive UserBindDN: binddn and bindpass are required",
  },
  hashicorp: {
    schemas: { openldap: "open", racf: "racf", ad: "ad" },
    configReads: "all members",
    foldsUrls: true,
    requiresKeyPair: true,
    lengthExcludesPolicy: false,
    maxTtlHoldsTtl: true,
    names: /^\w(?:[\w.-]*\w)?$/,
    foldsNames: true,
    nameLists: "keys",
    staticRolesAreListedByGet: false,
    dynamicRolesAreListed: true,
    lastRotation: "last_vault_rotation",
    staticRoleWithoutConfig: "breaks the connection",
    emptyDnUnsetsIt: true,
    deletionFailsWithoutStaticRoles: true,
    libraryRequestsNameTheSet: false,
    unlimitedCheckOut: "as the mount says",
    // The products end these errors with a stray quotation mark.
    checkedOutErrorEnd: "'",
    bindAccountMissing: "cannot derive UserBindDN",
  },
};
