import { ServiceError } from "../../base/errors";
import { mountPath, path, type Path } from "../../base/path";
import type { Validation } from "../../base/validation";
import { durationInSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import type { SecretsDialect } from "../dialect";

/** How a directory stores passwords and names accounts: OpenLDAP and alike, Active Directory, or RACF. */
export type DirectorySchema = "open" | "ad" | "racf" | (string & {});

/** The attribute that accounts are searched by, where the configuration names none. */
const searchAttributes: Readonly<Record<string, string>> = {
  ad: "userPrincipalName",
  open: "cn",
  racf: "racfid",
};

/** The members of a request that arguments are sent as. */
const members: Readonly<Record<string, string>> = {
  binddn: "binddn",
  bindpass: "bindpass",
  certificate: "certificate",
  clientTlsCert: "client_tls_cert",
  clientTlsKey: "client_tls_key",
  connectionTimeout: "connection_timeout",
  insecureTls: "insecure_tls",
  length: "length",
  passwordPolicy: "password_policy",
  requestTimeout: "request_timeout",
  schema: "schema",
  skipStaticRoleImportRotation: "skip_static_role_import_rotation",
  starttls: "starttls",
  upndomain: "upndomain",
  url: "url",
  userattr: "userattr",
  userdn: "userdn",
};

/** @internal */
export function configurationPath(mount: string): Path {
  return path`/${mountPath(mount)}/config`;
}

/** A configuration as the service answers it; some servers leave out more than others. */
function configurationShape(z: Validation) {
  const text = z.string().nullable();
  const flag = z.boolean().nullable();
  const seconds = durationInSeconds(z).nullable();
  return z
    .object({
      binddn: text,
      case_sensitive_names: z.boolean(),
      certificate: text,
      connection_timeout: seconds,
      insecure_tls: flag,
      length: z.number().nullable(),
      password_policy: text,
      request_timeout: seconds,
      schema: text,
      skip_static_role_import_rotation: flag,
      starttls: flag,
      tls_max_version: z.string(),
      tls_min_version: z.string(),
      upndomain: text,
      url: text,
      userattr: text,
      userdn: text,
    })
    .partial()
    .transform((answered) => ({
      binddn: answered.binddn,
      caseSensitiveNames: answered.case_sensitive_names,
      certificate: answered.certificate,
      connectionTimeout: answered.connection_timeout,
      insecureTls: answered.insecure_tls,
      length: answered.length,
      passwordPolicy: answered.password_policy,
      requestTimeout: answered.request_timeout,
      schema: answered.schema,
      skipStaticRoleImportRotation: answered.skip_static_role_import_rotation,
      starttls: answered.starttls,
      tlsMaxVersion: answered.tls_max_version,
      tlsMinVersion: answered.tls_min_version,
      upndomain: answered.upndomain,
      url: answered.url,
      userattr: answered.userattr,
      userdn: answered.userdn,
    }));
}

/**
 * What an answer says of a configuration.
 *
 * @internal
 */
export type ConfigurationState = Partial<ReturnType<ReturnType<typeof configurationShape>["parse"]>>;

/**
 * Reads a mount's configuration: what the answer holds of it.
 *
 * @returns `undefined` when there is none
 * @internal
 */
export async function readConfiguration(
  client: SecretsClient,
  mount: string,
): Promise<ConfigurationState | undefined> {
  const answered = await client.read({
    summary: `read the directory configuration of ${mount}`,
    path: configurationPath(mount),
    data: configurationShape,
  });
  if (answered === undefined) {
    return undefined;
  }
  const { directorySchemas, leftOutOfConfiguration } = client.dialect;
  const names = Object.entries(directorySchemas).map(([name, word]): [string, string] => [word, name]);
  const { schema } = answered;
  return {
    ...Object.fromEntries(leftOutOfConfiguration.map((name) => [name, null])),
    ...Object.fromEntries(Object.entries(answered).filter(([, value]) => value !== undefined)),
    ...(typeof schema === "string" ? { schema: new Map(names).get(schema) ?? schema } : {}),
  };
}

/** What to write of a configuration. */
export interface ConfigurationWrite {
  /** By argument; `undefined` is not sent, and null is sent only where it means a default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the program names an argument. */
  readonly isGiven: (argument: string) => boolean;
  /** Whether the service may have a password policy, which a length then has to replace. */
  readonly hasPolicy: boolean;
}

/**
 * Writes a mount's configuration.
 *
 * @internal
 */
export async function writeConfiguration(
  client: SecretsClient,
  mount: string,
  wanted: ConfigurationWrite,
): Promise<void> {
  const kept = await keptMembers(client, mount);
  for (const body of configurationBodies(wanted, client.dialect)) {
    await client.write({
      summary: `write the directory configuration of ${mount}`,
      path: configurationPath(mount),
      body: { ...kept, ...body },
      data: (z) => z.unknown(),
    });
  }
}

/**
 * Whether a service has refused a write because it has no password to bind with. How it says so is not documented.
 *
 * @internal
 */
export function lacksBindPassword(error: unknown): boolean {
  return (
    ServiceError.isInstance(error) &&
    ![401, 403, 404].includes(error.status) &&
    error.words.some((text) => /bind[ _-]?pass/i.test(text))
  );
}

/** What is nobody's argument, and would be lost with a write that does not repeat it. */
async function keptMembers(
  client: SecretsClient,
  mount: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { keptInConfiguration } = client.dialect;
  if (keptInConfiguration.length === 0) {
    return undefined;
  }
  const answered = await client.read({
    summary: `read what has to stay of the directory configuration of ${mount}`,
    path: configurationPath(mount),
    data: (z) => z.looseObject({}),
  });
  const members = keptInConfiguration.map((name): [string, unknown] => [name, answered?.[name]]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * Deletes a mount's configuration; the mount stays.
 *
 * @internal
 */
export function deleteConfiguration(client: SecretsClient, mount: string): Promise<void> {
  return client.delete({
    summary: `delete the directory configuration of ${mount}`,
    path: configurationPath(mount),
  });
}

/**
 * The bodies of the requests that write a configuration, one after the other.
 *
 * @internal
 */
export function configurationBodies(
  wanted: ConfigurationWrite,
  dialect: SecretsDialect,
): readonly Readonly<Record<string, unknown>>[] {
  const pairs = dialect.lengthExcludesPolicy ? neverTogether(wanted) : [oneOf(wanted)];
  return pairs.map((pair) => bodyOf({ ...wanted.values, ...pair }, dialect));
}

function bodyOf(
  values: Readonly<Record<string, unknown>>,
  dialect: SecretsDialect,
): Readonly<Record<string, unknown>> {
  const { schema, userattr } = values;
  const words = new Map<unknown, string>(Object.entries(dialect.directorySchemas));
  const sent: Readonly<Record<string, unknown>> = {
    ...values,
    schema: words.get(schema) ?? schema,
    userattr: userattr === null ? searchAttributes[typeof schema === "string" ? schema : "open"] : userattr,
  };
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name]) => sent[name] !== undefined && sent[name] !== null)
      .map(([name, member]) => [member, sent[name]]),
  );
}

/**
 * Passwords have a length or a policy, never both: what the program does not name gives way. A policy has to be taken
 * away, since there are services that keep one that is only left out, and then refuse the length.
 */
function oneOf({ values, isGiven }: ConfigurationWrite): PasswordRules {
  const { length, passwordPolicy } = values;
  const cleared = length === null ? { length: 0 } : {};
  if (typeof passwordPolicy !== "string" || passwordPolicy === "") {
    return cleared;
  }
  return isGiven("length") && typeof length === "number" && length > 0
    ? { passwordPolicy: "" }
    : { length: length === null ? 0 : undefined };
}

/** How passwords are made: what replaces these two arguments in a request. */
type PasswordRules = Readonly<Partial<Record<"length" | "passwordPolicy", unknown>>>;

/**
 * The documented length where none is set.
 *
 * @internal
 */
export const usualLength = 64;

/**
 * "Setting both `length` and `password_policy` makes the POST be rejected", so that no request names both. Where a
 * length replaces a policy, a request of its own takes the policy away first.
 */
function neverTogether({ values, isGiven, hasPolicy }: ConfigurationWrite): readonly PasswordRules[] {
  const { length, passwordPolicy } = values;
  const wantsPolicy = typeof passwordPolicy === "string" && passwordPolicy !== "";
  const wantsLength = typeof length === "number" && isGiven("length");
  // A length that is only the usual one may stand beside a policy that the service does not tell.
  const sent = length === null ? usualLength : wantsLength || length !== usualLength ? length : undefined;
  if ((wantsPolicy && !wantsLength) || typeof sent !== "number") {
    return [{ length: undefined }];
  }
  const alone = { length: sent, passwordPolicy: undefined };
  const without = { length: undefined, passwordPolicy: "" };
  if (hasPolicy && (wantsLength || passwordPolicy === "")) {
    return wantsLength ? [without, alone] : [without];
  }
  return [alone];
}
