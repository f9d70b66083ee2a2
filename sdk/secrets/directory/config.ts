import { advisedOtherwise, ServiceError, TriviumError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import type { Dialect } from "../../base/settings";
import { outputForm, promiseForm } from "../../functions/call";
import { ReadableResource } from "../../resource/program/base";
import {
  defineResource,
  type EntryInState,
  type InheritedState,
  notTogether,
  requiredWithout,
  refusedReplacement,
  type RotatedSecret,
  type Rule,
} from "../../resource/definition";
import type { JsonObject } from "../../base/json";
import type { InputsOf, ResultOf } from "../../functions/results";
import { type Desired, Fields, output, snakeCase, type Given } from "../../resource/fields/field";
import {
  adopt,
  caseInsensitive,
  flag,
  integer,
  isGiven,
  oneOf,
  pem,
  text,
  textComparedBy,
  unlikelyBelow,
} from "../../resource/fields/kinds";
import { seconds } from "../seconds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { type SecretsDialect, secretsDialects } from "../dialect";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";
import { dnText } from "./distinguished-name";
import {
  atLeast,
  automatedRows,
  automatedRules,
  directoryLists,
  directoryMount,
  enterprise20,
  isRotatedSince,
  sentAfter,
  usualMount,
  withoutOtherRotation,
  withSecret,
  rotationState,
} from "./names";
import { isAnyPem, isCertificates, isForeignKey, isPrivateKey } from "./pem";

/**
 * How a directory stores passwords and names accounts: OpenLDAP and similar, Active Directory, or RACF. In
 * the hashicorp dialect `"openldap"` is the same as `"open"`; the output is `"open"`.
 */
export type DirectorySchema = (typeof DirectorySchema)[keyof typeof DirectorySchema];

/** The values of the type of this name, as generated programs write them. */
export const DirectorySchema = {
  Open: "open",
  Ad: "ad",
  Racf: "racf",
  Openldap: "openldap",
} as const;

function urlsOf(list: string): string[] {
  return list.split(",").map((url) => url.trim());
}

/** Comma-separated URLs: the order matters; case and white space do not. */
const serverUrls = textComparedBy((value) =>
  typeof value === "string" ? urlsOf(value.toLowerCase()).join(",") : value,
);

function isServerUrls(list: string): boolean {
  return urlsOf(list).every((url) => /^ldaps?:\/\/[^\s/?#]+\/?$/i.test(url) && URL.canParse(url));
}

const searchAttributes: Readonly<Record<string, string>> = {
  ad: "userPrincipalName",
  open: "cn",
  racf: "racfid",
};

function searchAttribute(schema: unknown): string | undefined {
  return searchAttributes[typeof schema === "string" ? schema : "open"];
}

const schemas: readonly DirectorySchema[] = ["open", "ad", "racf"];

/** A version of TLS. */
export type TlsVersion = (typeof TlsVersion)[keyof typeof TlsVersion];

/** The values of the type of this name, as generated programs write them. */
export const TlsVersion = {
  Tls10: "tls10",
  Tls11: "tls11",
  Tls12: "tls12",
  Tls13: "tls13",
} as const;

const tlsVersions: readonly TlsVersion[] = Object.values(TlsVersion);

/** The kind of credentials that accounts have. */
export type CredentialType = (typeof CredentialType)[keyof typeof CredentialType];

/** The values of the type of this name, as generated programs write them. */
export const CredentialType = {
  Password: "password",
  Phrase: "phrase",
} as const;

const credentialTypes: readonly CredentialType[] = Object.values(CredentialType);

const nullableText = { cleared: "", told: "maybe", nullable: true } as const;
const certificates = {
  cleared: "",
  check: (value: string) => value !== "" && !isCertificates(value) && "must be a PEM certificate",
} as const;
/** The products omit it from responses only when it is not set. */
const leftOut = { told: { documented: "maybe", hashicorp: "always" }, nullable: true } as const;

const rows = {
  /**
   * The URL of the directory server (`ldap://` or `ldaps://`), or a comma-separated list of URLs, tried in order when a
   * connection fails. Case-insensitive: the output is in lower case.
   *
   * @default "ldap://127.0.0.1"
   */
  url: serverUrls({
    cleared: "ldap://127.0.0.1",
    told: "kept",
    check: (list) =>
      !isServerUrls(list) && {
        warning: "should be a URL such as ldaps://ldap.example.com, or several, separated by commas",
      },
  }),
  /**
   * The distinguished name of the entry that the engine binds as. The entry must be allowed to search entries
   * and to change their passwords. Required unless `selfManaged` is set; allowed together with it.
   */
  binddn: dnText({ least: 1, told: "kept", optional: { hashicorp: true } }),
  /**
   * The password of `binddn`. Secret. Required unless `selfManaged` is set; conflicts with `selfManaged`. The
   * password is sent only when the configuration is created and when you change this value, because it is
   * obsolete once the service has rotated the password ({@link RootRotation}). If the service rejects an
   * update without it, the update fails; see `resendBindpass`. The service never returns the password, so
   * drift is not detected; the output is `undefined` if this program has not set it.
   */
  bindpass: text({
    least: 1,
    secret: true,
    told: "never",
    optional: { hashicorp: true },
  }),
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the configuration.
   *
   * @default "ldap"
   */
  mount: directoryMount.mount,
  /**
   * Send the unchanged `bindpass` if the service rejects an update without it. Use this only for a password that
   * nothing else changes: a rotated password would be overwritten, and the engine could no longer bind. A password that
   * {@link RootRotation} has rotated is never overwritten. A change does not send a request.
   *
   * @default false
   */
  resendBindpass: flag({ optional: true, local: "state" }),
  /**
   * The name of the policy used to generate passwords. The service does not check it until it generates one. Conflicts
   * with `length`. The output is null or `undefined` if there is none.
   *
   * @default the engine's built-in generator
   */
  passwordPolicy: text({ cleared: "", ...leftOut, recomputedBy: ["length"] }),
  /**
   * The directory schema: `"open"` (OpenLDAP and similar), `"ad"` (Active Directory) or `"racf"`. The names
   * are the same in both dialects.
   *
   * @default "open"
   */
  schema: oneOf(schemas, {
    cleared: "open",
    told: "kept",
    wireWords: { hashicorp: { open: "openldap" } },
  }),
  /**
   * The base DN under which accounts are looked up, for libraries and static roles. The output is `undefined` if the
   * service does not return it.
   *
   * @default none
   */
  userdn: dnText(nullableText),
  /**
   * The attribute that accounts are looked up by. Case-insensitive, except in the hashicorp dialect: the engine only
   * knows attributes in its own spelling. The output is `undefined` if the service does not return it.
   *
   * @default by schema: `cn` for `"open"`, `userPrincipalName` for `"ad"`, `racfid` for `"racf"`
   */
  // The default depends on the schema.
  userattr: textComparedBy({ documented: caseInsensitive })({
    optional: ({ schema }) => searchAttribute(schema),
    told: "maybe",
    nullable: true,
    recomputedBy: ["schema"],
  }),
  /**
   * The domain of the user principal name that the engine binds with: `<binddn>@<upndomain>`. The output is `undefined`
   * if the service does not return it.
   *
   * @default none
   */
  upndomain: text(nullableText),
  /**
   * The time limit for a request to the directory: seconds, or a duration such as `"30s"`. The output is in
   * seconds; `undefined` if the service does not return it.
   *
   * @default "90s"
   */
  requestTimeout: seconds({ cleared: 90, told: "maybe", nullable: true }),
  /**
   * Upgrade an unencrypted connection to TLS with StartTLS.
   *
   * @default false
   */
  starttls: flag({ cleared: false, told: "kept" }),
  /**
   * Do not verify the directory's certificate.
   *
   * @default false
   */
  insecureTls: flag({ cleared: false, told: "kept" }),
  /**
   * The CA certificate to verify the directory's certificate with: X.509 in PEM. The output is empty or null
   * if there is none. Release 1.12 and newer of the service cannot verify certificates that are signed with
   * SHA-1 without a workaround.
   *
   * @default the system CA certificates of the service
   */
  certificate: pem({ ...certificates, told: "kept", nullable: true }),
  /**
   * The client certificate that the engine presents to the directory: X.509 in PEM. Requires `clientTlsKey`.
   * The service never returns the certificate, so drift is not detected; the output is the value that this
   * program last set.
   *
   * @default none
   */
  clientTlsCert: pem({ ...certificates, told: "never" }),
  /**
   * The private key of `clientTlsCert`, in PEM and without a password. Secret. The service never returns the
   * key, so drift is not detected; the output is the value that this program last set.
   *
   * @default none
   */
  clientTlsKey: pem({
    cleared: "",
    told: "never",
    secret: true,
    check(key) {
      if (key === "" || isPrivateKey(key)) {
        return undefined;
      }
      return isAnyPem(key)
        ? { warning: "should be a private key without a password" }
        : "must be a PEM private key";
    },
  }),
  /**
   * Do not rotate the passwords of entries when static roles are created for them, unless a role sets
   * `skipImportRotation`. The output is `undefined` if the service does not return it.
   *
   * @default false
   */
  skipStaticRoleImportRotation: flag({ cleared: false, told: "maybe", nullable: true }),
  /**
   * The length of the passwords that the engine's built-in generator creates. Conflicts with
   * `passwordPolicy`. The output is null or `undefined` if a policy or the engine decides.
   *
   * @default 64
   * @deprecated Use `passwordPolicy` instead.
   */
  // The default depends on the dialect.
  length: integer({
    optional: { documented: () => secretsDialects.documented.passwordLength, hashicorp: true },
    check: unlikelyBelow(1),
    recomputedBy: ["passwordPolicy"],
    ...leftOut,
  }),
  /**
   * How long to wait for a server before the next one in `url` is tried: seconds, or a duration such as `"30s"`. The
   * smaller of the two timeouts applies to both. The output is in seconds; `undefined` if the service does not return
   * it.
   *
   * @default "30s"
   * @deprecated Use `requestTimeout` instead.
   */
  connectionTimeout: seconds({ cleared: 30, told: "maybe", nullable: true }),
  /**
   * Adopt the configuration of the mount if it already exists, instead of failing. `bindpass` is then not sent until
   * its value changes, because the password might have been rotated. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** Whether the names of accounts are case-sensitive. */
  caseSensitiveNames: output(flag()),
  /**
   * The lowest TLS version that is allowed: `"tls10"` to `"tls13"`. In the documented dialect, this is only
   * an output. Only in the hashicorp dialect.
   *
   * @default "tls12"
   */
  tlsMinVersion: oneOf(tlsVersions, {
    only: { dialect: "hashicorp", elsewhere: "output" },
    cleared: "tls12",
  }),
  /**
   * The highest TLS version that is allowed: `"tls10"` to `"tls13"`. A directory that only offers TLS 1.3
   * requires `"tls13"`. In the documented dialect, this is only an output. Only in the hashicorp dialect.
   *
   * @default "tls12"
   */
  tlsMaxVersion: oneOf(tlsVersions, {
    only: { dialect: "hashicorp", elsewhere: "output" },
    cleared: "tls12",
  }),
  /**
   * The kind of credentials that are rotated, for the schema `"racf"`: `"password"` or `"phrase"`. Only in the
   * hashicorp dialect: Vault 1.18.
   *
   * @default "password"
   */
  credentialType: oneOf(credentialTypes, {
    only: { dialect: "hashicorp", since: "Vault 1.18" },
    cleared: "password",
    told: "maybe",
  }),
  /**
   * How often the password of `binddn` is rotated: seconds, or a duration such as `"720h"`; at least 10 seconds, or 0
   * for never. `bindpass` is then obsolete, as after a {@link RootRotation}. Only in the hashicorp dialect: Vault
   * Enterprise 1.19.
   *
   * @default 0
   */
  rotationPeriod: seconds({
    only: { dialect: "hashicorp", since: "Vault Enterprise 1.19" },
    cleared: 0,
    told: "maybe",
    check: atLeast(10, "10 seconds"),
  }),
  /**
   * Bind as the account of each static role, with that role's `password`, instead of as `binddn`. A service that does
   * not know the argument is not written to. A change replaces the configuration. Only in the hashicorp dialect: Vault
   * Enterprise 2.0.
   *
   * @default false
   */
  selfManaged: flag({
    ...enterprise20,
    only: { ...enterprise20.only, instead: "set binddn and bindpass" },
    cleared: false,
    replaces: true,
  }),
  /**
   * When the service last rotated the password of `binddn`: ISO 8601; null if the password was never rotated.
   * Only in the hashicorp dialect.
   */
  lastBindPasswordRotation: output(text({ only: "hashicorp", nullable: true, recomputedBy: true })),
};

const fields = new Fields({ ...rows, ...automatedRows }, snakeCase);

/** The arguments of a {@link Config}. All but `mount` are updated in place. */
export interface ConfigArgs extends ArgsOf<typeof rows>, ArgsOf<typeof automatedRows> {}

/** @internal In client/fieldregistry.go of vault-plugin-secrets-openldap 0.18. */
export const knownAttributes =
  "cn displayName distinguishedName dc dn name objectCategory objectClass objectGUID objectSid ou passwordLastSet " +
  "racfid racfPassword racfPassPhrase racfAttributes sAMAccountName unicodePwd uid userPassword userPrincipalName";

/** About what a configuration tells the rotations of its mount. @internal */
export const failingRotations = (mount: string): string => `rotations of ${mount}`;

/** @internal */
export const configurations = new MountedObjects({
  what: "directory configuration",
  idIs: "the mount's path, such as `ldap`",
  key: directoryMount,
  path: (at) => path`/${at}/config`,
  otherLists: directoryLists,
  hasDefaults: true,
  fields,
  importedBy: "directory",
});

interface ConfigurationWrite {
  /** The values to send, by argument: `undefined` is not sent, and null only where it means a default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the program sets or clears the length. */
  readonly givesLength: boolean;
  /** Whether the service might have a password policy, which a length must replace. */
  readonly hasPolicy: boolean;
}

/** @internal */
export async function writeConfiguration(client: SecretsClient, at: string, wanted: ConfigurationWrite) {
  for (const body of configurationBodies(wanted, client.dialect.name)) {
    await client.write({ ...configurations.request("write", { mount: at }), body });
    if ("bindpass" in body) {
      client.sharedState(ObsoletePasswords).delete(at);
    }
  }
}

/** @internal */
export function configurationBodies(wanted: ConfigurationWrite, dialect: Dialect) {
  return passwordRules(wanted, dialect).map((rules) => {
    const values: Readonly<Record<string, unknown>> = { ...wanted.values, ...rules };
    const { schema, userattr } = values;
    const sent = { ...values, userattr: userattr === null ? searchAttribute(schema) : userattr };
    return fields
      .in(dialect)
      .request(
        sent as Desired<typeof rows & typeof automatedRows>,
        (name, value) => value !== null && isKnown(name, value),
      );
  });
}

/** A service without types of credentials can return an empty type. */
const isKnown = (name: string, value: unknown): boolean => name !== "credentialType" || value !== "";

/**
 * Arguments that a write keeps if it omits them, and that some editions reject: they are sent together when
 * one of them changes.
 */
const automated = [
  "rotationPeriod",
  "rotationSchedule",
  "rotationWindow",
  "disableAutomatedRotation",
  "rotationPolicy",
];

/** A service rejects both together. */
function passwordRules({ values, givesLength, hasPolicy }: ConfigurationWrite, dialect: Dialect): object[] {
  const { length, passwordPolicy } = values;
  const namesPolicy = typeof passwordPolicy === "string" && passwordPolicy !== "";
  const namesLength = typeof length === "number" && givesLength;
  const policyAlone = { length: undefined };
  const { keepsPasswordPolicy, passwordLength } = secretsDialects[dialect];
  if (keepsPasswordPolicy) {
    // The products keep an omitted policy, and reset an omitted length.
    const sendsLength = typeof length === "number" && length > 0 && (!namesPolicy || namesLength);
    return [sendsLength ? { passwordPolicy: namesPolicy ? "" : passwordPolicy } : policyAlone];
  }
  // The default length can occur beside a policy that the service does not return.
  const sent =
    length === null ? passwordLength : namesLength || length !== passwordLength ? length : undefined;
  if ((namesPolicy && !namesLength) || typeof sent !== "number") {
    return [policyAlone];
  }
  const lengthAlone = { length: sent, passwordPolicy: undefined };
  if (!hasPolicy || (!namesLength && passwordPolicy !== "")) {
    return [lengthAlone];
  }
  // Before a length replaces a policy, a separate request removes the policy.
  return [{ length: undefined, passwordPolicy: "" }, ...(namesLength ? [lengthAlone] : [])];
}

/**
 * The mounts for which a password in the program might be obsolete: this process has rotated it, or the
 * configuration was gone, so that it might have been rotated before.
 *
 * @internal
 */
export class ObsoletePasswords extends Map<string, "rotated" | "gone"> {}

/** Shows that the service is there: an engine that was never configured has neither roles nor sets. */
async function wasConfigured(client: SecretsClient, at: string): Promise<boolean> {
  const summary = `list the roles and sets of ${at}`;
  const lists = directoryLists(mountPath(at)).map((list) => client.list({ summary, ...list }));
  // A failed list proves nothing.
  const names = await Promise.all(lists.map((list) => list.catch(() => [])));
  return names.flat().length > 0;
}

/**
 * According to the documentation, each write requires a password, but the error is not shown; the products
 * require one only in the first write.
 */
function mayLackBindPassword(
  error: unknown,
  { mayLackBindPassword: may }: SecretsDialect,
): error is ServiceError {
  return (
    ServiceError.isInstance(error) && ![401, 403, 404, 429].includes(error.status) && may(error.messages)
  );
}

const isLost =
  "A replacement would delete the only copy of it and write the obsolete bindpass, so nothing was changed. Set a new " +
  "password in the directory and in bindpass.";

const rotated: RotatedSecret = {
  argument: "bindpass",
  refuses: (former) =>
    isRotatedSince(former, "lastBindPasswordRotation")
      ? `The service rotated the password of binddn at ${String(former.outputs.lastBindPasswordRotation)}: by a schedule, an ` +
        `operator or another stack. ${isLost}`
      : undefined,
};

const ifRotated =
  `The password of binddn was rotated (RootRotation). ${isLost} If bindpass is already the valid password, first remove ` +
  "the RootRotation with `pulumi state delete`.";

/** After a rotation the program's password is obsolete, so it is only sent if it changes. */
function rotationsInState(
  args: JsonObject,
  entries: readonly EntryInState[],
  own: EntryInState | undefined,
): readonly InheritedState[] {
  const { mount, bindpass = null } = args;
  const keepsPassword = own !== undefined && (own.outputs.bindpass ?? null) === bindpass;
  const rotations = entries.flatMap(({ type, at, outputs }): readonly InheritedState[] => {
    const isReplaced = keepsPassword && own.at === at && own.outputs.mount === outputs.mount;
    const isOfMount = outputs.mount === (mount ?? usualMount) || isReplaced;
    return type === "secrets/directory:RootRotation" && isOfMount
      ? [{ at, privateState: {}, managed: [], ...(isReplaced ? { obsolete: ifRotated } : {}) }]
      : [];
  });
  const refused = own && refusedReplacement({ rotated }, own, args);
  return refused === undefined
    ? rotations
    : [...rotations, { at: own?.at ?? "", privateState: {}, managed: [], obsolete: refused }];
}

/** The documentation does not forbid this combination. */
const toleratesKeys = (dialect: Dialect): boolean => !secretsDialects[dialect].checksDirectoryKey;

const rules: readonly Rule<Given<typeof fields.rows>>[] = [
  ...automatedRules,
  notTogether("bindpass", "selfManaged"),
  ...(["binddn", "bindpass"] as const).map((argument) => requiredWithout(argument, "selfManaged")),
  {
    between: ["tlsMinVersion", "tlsMaxVersion", "adopt"],
    check: ({ tlsMinVersion, tlsMaxVersion, adopt: adopts }) =>
      isGiven(tlsMinVersion) &&
      // An adopted configuration might have a maximum that the program does not set.
      !(tlsMaxVersion === undefined && adopts === true) &&
      (tlsMinVersion as string) > ((tlsMaxVersion as string | null) ?? "tls12") && {
        argument: "tlsMaxVersion",
        reason: "must not be lower than tlsMinVersion; its default is tls12",
      },
  },
  {
    between: ["schema", "autoUnlock"],
    check: ({ schema, autoUnlock }) =>
      autoUnlock === true &&
      schema !== "ad" && { argument: "autoUnlock", reason: 'needs the schema "ad"', warning: true },
  },
  {
    between: ["userattr"],
    check({ userattr, mount }, dialect, _former, program) {
      const isKnown = !isGiven(userattr) || knownAttributes.split(" ").includes(userattr);
      if (isKnown || !secretsDialects[dialect].listsAttributes) {
        return undefined;
      }
      const reason =
        "is not an attribute that the engine can search by (names are case-sensitive), so rotations fail. The engine knows: " +
        knownAttributes.replaceAll(" ", ", ");
      if (typeof mount === "string") {
        program.tell(failingRotations(mount), `userattr ${reason}`);
      }
      return { argument: "userattr", reason, warning: true };
    },
  },
  notTogether("length", "passwordPolicy", ", which sets the length"),
  {
    between: ["clientTlsCert", "clientTlsKey"],
    byPresence: ["clientTlsCert", "clientTlsKey"],
    check({ clientTlsCert, clientTlsKey }, dialect) {
      const warning = toleratesKeys(dialect);
      const argument = isGiven(clientTlsCert) ? "clientTlsKey" : "clientTlsCert";
      const needed = warning ? "is missing" : "is required";
      const reason = `${needed}: clientTlsCert and clientTlsKey must be set together`;
      return isGiven(clientTlsCert) !== isGiven(clientTlsKey) && { argument, reason, warning };
    },
  },
  {
    between: ["clientTlsCert", "clientTlsKey"],
    check: ({ clientTlsCert, clientTlsKey }, dialect) =>
      isGiven(clientTlsCert) &&
      isGiven(clientTlsKey) &&
      isForeignKey(clientTlsCert, clientTlsKey) && {
        argument: "clientTlsKey",
        reason: "is not the key of clientTlsCert",
        warning: toleratesKeys(dialect),
      },
  },
];

/** @internal */
export const configDefinition = defineResource(secretsService, fields)("secrets/directory:Config", {
  ...configurations.behavior,
  rules,
  // A mount has one configuration.
  deleteBeforeReplace: true,
  // A write resets some omitted fields to their defaults.
  updatesWholeObject: true,
  privateState: rotationState,
  inherits: rotationsInState,
  rotated,

  async look(step, desired) {
    const { existing } = await configurations.behavior.look(step, desired);
    return { existing: withSecret(existing, "bindpass", desired.bindpass) };
  },

  recover: async (step, desired) =>
    withSecret(await configurations.behavior.recover(step, desired), "bindpass", desired.bindpass),

  async create({ client, announce }, desired) {
    const { mount: at, binddn, bindpass } = desired;
    const mayBeObsolete = client.sharedState(ObsoletePasswords).has(at);
    await writeConfiguration(client, at, { values: desired, givesLength: true, hasPolicy: false });
    if (bindpass !== undefined && (mayBeObsolete || (await wasConfigured(client, at)))) {
      announce(
        "information",
        `The directory configuration of ${at} is created again with the program's bindpass. If the ` +
          `password of ${binddn} was rotated in the meantime, set a new password in the directory and in bindpass.`,
      );
    }
    return configurations.created(desired);
  },

  async read(step, id, current) {
    const { client, announce } = step;
    const { binddn } = current;
    const { mount: at } = configurations.named(id, client.dialect.name);
    const state = await configurations.behavior.read(step, id, current);
    if (state === undefined && isGiven(binddn)) {
      client.sharedState(ObsoletePasswords).set(at, "gone");
      announce(
        "warning",
        `The directory configuration of ${at} no longer exists. Creating it again sends bindpass. If the password of ` +
          `${binddn} was rotated in the meantime, set a new password in the directory and in bindpass.`,
      );
    }
    return state;
  },

  async update(step, id, desired, changed, current) {
    const { client, managed, others, privateState } = step;
    const { mount: at } = configurations.named(id, client.dialect.name);
    const { bindpass = current.bindpass, selfManaged = false, ...all } = desired;
    // Only an adopted configuration can differ here.
    if (changed.has("selfManaged") && selfManaged !== (current.selfManaged ?? false)) {
      throw new TriviumError(
        `selfManaged of the ${configurations.describe({ mount: at })} is ${String(!selfManaged)} and cannot be changed. Nothing was changed.`,
        { advice: "Use the current value, or delete the configuration first." },
      );
    }
    const rotates = [...changed].some((name) => automated.includes(name));
    const own = withoutOtherRotation(all, managed, changed);
    const values = Object.fromEntries(
      Object.entries(own).filter(([name]) => rotates || !automated.includes(name)),
    );
    // After a rotation an unchanged password is obsolete, and sending it would lock the engine out.
    const sendsPassword = changed.has("bindpass");
    // An adopted configuration might have a policy that responses do not contain.
    const hasPolicy = managed.size === 0 || changed.has("passwordPolicy") || isGiven(current.passwordPolicy);
    const write = (fields: object): Promise<void> =>
      writeConfiguration(client, at, {
        values: { ...values, ...fields },
        givesLength: managed.has("length") || changed.has("length"),
        hasPolicy,
      });
    const { lastBindPasswordRotation = null } = current;
    const before = { outputs: { lastBindPasswordRotation }, privateState };
    const isRotated = isRotatedSince(before, "lastBindPasswordRotation");
    const hasRotated =
      others.inherited !== undefined || client.sharedState(ObsoletePasswords).get(at) === "rotated";
    try {
      await write(sendsPassword ? { bindpass } : {});
      if (sendsPassword) {
        step.remember?.({ ...privateState, ...sentAfter(lastBindPasswordRotation) });
      }
    } catch (error) {
      if (sendsPassword || !isGiven(bindpass) || !mayLackBindPassword(error, client.dialect)) {
        throw error;
      }
      const unsent =
        "The service might require bindpass, which was not sent because it is unchanged in the program";
      if (isRotated || hasRotated) {
        throw advisedOtherwise(
          error,
          `${unsent}. The password of ${at} was rotated (${isRotated ? String(lastBindPasswordRotation) : "RootRotation"}). Set a new password in the directory and in bindpass.`,
        );
      }
      if (desired.resendBindpass !== true) {
        throw advisedOtherwise(
          error,
          `${unsent}. If the password has been rotated since, sending the old one would lock the engine out. ` +
            "If bindpass in the program is not the valid password, correct it; if it is, set `resendBindpass: true`.",
        );
      }
      await write({ bindpass });
    }
    return { mount: at };
  },

  async delete(step, id) {
    await configurations.behavior.delete(step, id);
    const { mount: at } = configurations.named(id, step.client.dialect.name);
    step.client.sharedState(ObsoletePasswords).set(at, "gone");
  },
});

export interface Config extends OutputsOf<typeof rows>, OutputsOf<typeof automatedRows> {}

/**
 * The configuration of a directory engine (the LDAP engine of Vault or OpenBao): the directory server and the account that the engine binds as.
 *
 * Its ID is the mount's path. The mount must exist; the resource does not manage it. Deletion removes only
 * the configuration; roles and sets on the mount then stop working. `bindpass` and `clientTlsKey` are
 * secrets.
 *
 * Drift in `bindpass`, `clientTlsCert` and `clientTlsKey` is not detected. In the documented dialect, drift
 * in `passwordPolicy`, `userdn`, `userattr`, `upndomain`, `requestTimeout`, `connectionTimeout` and
 * `skipStaticRoleImportRotation` is not detected either: according to the documentation the service returns
 * only `binddn`, `certificate`, `insecureTls`, `length`, `schema`, `starttls` and `url`. In the hashicorp
 * dialect, drift in all of these is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const directory = new trivium.secrets.directory.Config("corporate", {
 *   binddn: "cn=admin,dc=example,dc=org",
 *   bindpass: new pulumi.Config().requireSecret("bindPassword"),
 *   url: "ldaps://ldap.example.org",
 *   userdn: "ou=users,dc=example,dc=org",
 * });
 *
 * // From here on only the service knows the password.
 * const rotation = new trivium.secrets.directory.RootRotation("corporate", {}, { dependsOn: directory });
 * ```
 */
export class Config extends ReadableResource<ConfigArgs> {
  /** @internal */
  static override readonly definition = configDefinition;
}

/** The arguments of {@link getConfig}. */
export interface GetConfigArgs extends PlainArgsOf<typeof directoryMount>, Named {}

/** The arguments of {@link getConfigOutput}. */
export type GetConfigOutputArgs = InputsOf<GetConfigArgs>;

/** A directory configuration. Values that the service does not return are null, empty or false. */
export type GetConfigResult = ResultOf<
  Config,
  "id" | "bindpass" | "resendBindpass" | "clientTlsCert" | "clientTlsKey"
>;

const getDefinition = configurations.reading<GetConfigResult>("secrets.directory.getConfig");

/**
 * Reads the configuration of a directory engine, without its secrets.
 *
 * @example
 * ```typescript
 * const { url } = await trivium.secrets.directory.getConfig({ mount: "teams/ldap" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the engine has no configuration
 */
export const getConfig = promiseForm<GetConfigArgs | undefined, GetConfigResult>(getDefinition);

/**
 * Reads the configuration of a directory engine, with arguments that can be outputs of resources. In a
 * preview that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getConfigOutput = outputForm<GetConfigOutputArgs | undefined, GetConfigResult>(getDefinition);
