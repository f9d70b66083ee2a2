import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { Fields } from "../fields";
import {
  defaultUserAttribute,
  emptyConfig,
  type DirectoryConfigRecord,
  type DirectorySchema,
} from "./config-record";
import type { DirectoryDialect } from "./dialect";
import { EngineFailure } from "./engine-failure";

/** What the body of a write may hold. */
export const configFields = [
  "binddn",
  "bindpass",
  "url",
  "password_policy",
  "schema",
  "userdn",
  "userattr",
  "upndomain",
  "request_timeout",
  "starttls",
  "insecure_tls",
  "certificate",
  "client_tls_cert",
  "client_tls_key",
  "skip_static_role_import_rotation",
  "length",
  "connection_timeout",
];

/**
 * The configuration after a write: what was not sent stays as it is, except the length of passwords, which is then
 * unset.
 *
 * @throws EngineFailure when the result breaks a rule
 */
export function readConfig(
  fields: Fields,
  present: DirectoryConfigRecord | undefined,
  dialect: DirectoryDialect,
): DirectoryConfigRecord {
  const { schemas, bindAccountMissing, foldsUrls } = dialect;
  if (dialect.lengthExcludesPolicy && fields.has("length") && fields.has("password_policy")) {
    throw new EngineFailure(bothGiven);
  }
  const url = fields.text("url") ?? present?.url ?? emptyConfig.url;
  const base = present ?? emptyConfig;
  const schema = readSchema(fields.text("schema"), schemas) ?? base.schema;
  const config: DirectoryConfigRecord = {
    ...base,
    schema,
    binddn: fields.text("binddn") ?? base.binddn,
    bindpass: fields.text("bindpass") ?? base.bindpass,
    url: foldsUrls ? url.toLowerCase() : url,
    passwordPolicy: fields.text("password_policy") ?? base.passwordPolicy,
    userdn: fields.text("userdn") ?? base.userdn,
    userattr:
      fields.text("userattr") ?? (present === undefined ? defaultUserAttribute(schema) : base.userattr),
    upndomain: fields.text("upndomain") ?? base.upndomain,
    requestTimeout: fields.duration("request_timeout") ?? base.requestTimeout,
    connectionTimeout: fields.duration("connection_timeout") ?? base.connectionTimeout,
    starttls: fields.boolean("starttls") ?? base.starttls,
    insecureTls: fields.boolean("insecure_tls") ?? base.insecureTls,
    certificate: fields.text("certificate") ?? base.certificate,
    clientTlsCert: fields.text("client_tls_cert") ?? base.clientTlsCert,
    clientTlsKey: fields.text("client_tls_key") ?? base.clientTlsKey,
    skipStaticRoleImportRotation:
      fields.boolean("skip_static_role_import_rotation") ?? base.skipStaticRoleImportRotation,
    length: fields.integer("length") ?? 0,
  };
  if (config.binddn === "" || config.bindpass === "") {
    throw new EngineFailure(bindAccountMissing);
  }
  requireConsistency(config, dialect);
  return config;
}

const bothGiven = "cannot set both 'password_policy' and 'length'";

function readSchema(
  schema: string | undefined,
  schemas: DirectoryDialect["schemas"],
): DirectorySchema | undefined {
  const known = new Map(Object.entries(schemas)).get(schema ?? "");
  if (schema !== undefined && known === undefined) {
    const names = Object.keys(schemas).join(" ");
    throw new EngineFailure(`the configured schema ${schema} is not valid. Supported schemas: [${names}]`);
  }
  return known;
}

function requireConsistency(config: DirectoryConfigRecord, { requiresKeyPair }: DirectoryDialect): void {
  if (config.passwordPolicy !== "" && config.length !== 0) {
    throw new EngineFailure(bothGiven);
  }
  if (config.length < 0) {
    throw new EngineFailure("length may not be negative");
  }
  if (config.certificate !== "") {
    readCertificate(config.certificate, "failed to parse server tls cert");
  }
  if (requiresKeyPair) {
    requireKeyPair(config.clientTlsCert, config.clientTlsKey);
  }
}

function requireKeyPair(certificate: string, key: string): void {
  if ((certificate === "") !== (key === "")) {
    throw new EngineFailure("both client_tls_cert and client_tls_key must be set, or neither");
  }
  if (certificate !== "") {
    const what = "failed to parse client X509 key pair";
    if (!readCertificate(certificate, what).checkPrivateKey(readKey(key, what))) {
      throw new EngineFailure(`${what}: the private key does not belong to the certificate`);
    }
  }
}

function readCertificate(pem: string, what: string): X509Certificate {
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) {
    throw new EngineFailure(`${what}: failed to decode PEM block in the certificate`);
  }
  try {
    return new X509Certificate(pem);
  } catch {
    throw new EngineFailure(`${what}: the PEM block holds no certificate`);
  }
}

function readKey(pem: string, what: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new EngineFailure(`${what}: the key is no private key in PEM`);
  }
}
