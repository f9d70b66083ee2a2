import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { Area } from "../../area";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type EngineEndpoint } from "../endpoint";
import { boolean, FieldTable, integer, never, seconds, text } from "../fields";
import type { MountStates } from "../mount-states";
import type { MountPath } from "../mounts";
import type { Records } from "../records";
import { EngineFailure } from "./engine-failure";

/** A kind of directory. `open` is called `openldap` on the wire of the hashicorp dialect. */
export type DirectorySchema = "open" | "ad" | "racf";

/** The configuration of a directory engine. Texts are empty when they are not set. */
export interface DirectoryConfigRecord {
  readonly binddn: string;
  /** As it was written last, by a request or by a rotation. The bind entry may have another one. */
  readonly bindpass: string;
  /** As written; in lower case in the hashicorp dialect. */
  readonly url: string;
  /** The name of a password policy, which need not exist. */
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
  /** Of generated passwords; 0 when it is not set. */
  readonly length: number;
  /** ISO 8601; `null` before the first rotation of the bind password. */
  readonly lastBindPasswordRotation: string | null;
}

/** Of generated passwords, by the documentation. */
export const usualPasswordLength = 64;

/** What a schema is called on the wire, in the order in which an error lists them. */
const documentedSchemas = new Map<string, DirectorySchema>([
  ["open", "open"],
  ["ad", "ad"],
  ["racf", "racf"],
]);
const hashicorpSchemas = new Map<string, DirectorySchema>([
  ["openldap", "open"],
  ["racf", "racf"],
  ["ad", "ad"],
]);

function createFields(isHashicorp: boolean): FieldTable<DirectoryConfigRecord> {
  const schemas = isHashicorp ? hashicorpSchemas : documentedSchemas;
  const undocumented = isHashicorp ? {} : { returned: never };
  const unlessEmpty = isHashicorp ? (value: unknown) => value || undefined : never;
  return new FieldTable<DirectoryConfigRecord>({
    binddn: text(),
    bindpass: text({ returned: never }),
    url: text({
      initial: "ldap://127.0.0.1",
      read: (body, name) => (isHashicorp ? body.text(name)?.toLowerCase() : body.text(name)),
    }),
    passwordPolicy: text({ returned: unlessEmpty }),
    schema: {
      initial: "open",
      read: (body, name) => readSchema(body.text(name), schemas),
      returned: (schema) => [...schemas].find(([, known]) => known === schema)?.[0],
    },
    userdn: text(undocumented),
    userattr: text(undocumented),
    upndomain: text(undocumented),
    requestTimeout: seconds({ initial: 90, ...undocumented }),
    starttls: boolean(),
    insecureTls: boolean(),
    certificate: text(),
    clientTlsCert: text({ returned: never }),
    clientTlsKey: text({ returned: never }),
    skipStaticRoleImportRotation: boolean(undocumented),
    length: integer({
      resets: true,
      returned: (length) => (isHashicorp ? (length > 0 ? length : undefined) : length || usualPasswordLength),
    }),
    connectionTimeout: seconds({ initial: 30, ...undocumented }),
    lastBindPasswordRotation: { initial: null, returned: unlessEmpty },
  });
}

/** What real servers return in addition; no documented write changes it. */
const documentedRest = { case_sensitive_names: false, tls_max_version: "tls12", tls_min_version: "tls12" };
const hashicorpRest = {
  ...documentedRest,
  anonymous_group_search: false,
  deny_null_bind: true,
  dereference_aliases: "never",
  discoverdn: false,
  groupattr: "cn",
  groupdn: "",
  groupfilter: "(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))",
  max_page_size: 0,
  use_token_groups: false,
  userfilter: "({{.UserAttr}}={{.Username}})",
  username_as_alias: false,
};

export interface DirectoryConfigInspection {
  /** The configurations, one for each mount that has one. */
  readonly directoryConfigs: readonly (DirectoryConfigRecord & MountPath)[];
}

/** Works behind a program's back. The mount is the one from the start unless another is given. */
export interface DirectoryConfigSetup {
  /**
   * Changes what is given; the rules of the interface are not applied.
   *
   * @throws Error when there is not a configuration
   */
  changeDirectoryConfig(change: Partial<DirectoryConfigRecord>, mount?: string): DirectoryConfigRecord;
  removeDirectoryConfig(mount?: string): void;
}

export interface ConfigState {
  config?: DirectoryConfigRecord | undefined;
}

/**
 * The configuration, and the rotation of the bind account's password.
 *
 * @param connect makes a connection that can give its own account a new password
 */
export function createConfigArea(
  records: Records,
  states: MountStates<ConfigState>,
  connect: (state: ConfigState, withoutConfig: string) => { rotateOwn(): string },
): Area<EngineEndpoint, DirectoryConfigInspection, DirectoryConfigSetup> {
  const { isHashicorp } = records;
  const fields = createFields(isHashicorp);
  const path = "/config";
  return {
    endpoints: [
      writes(path, fields.names, ({ mount, body }) => {
        const state = states.of(mount);
        const sent = fields.read(body, state.config);
        const config =
          state.config === undefined && !body.has("userattr")
            ? { ...sent, userattr: defaultUserAttribute(sent.schema) }
            : sent;
        requireConsistency(config, isHashicorp);
        const hasPolicy = config.passwordPolicy !== "";
        const hasBoth = isHashicorp
          ? // A length of 0 too, and a policy from before.
            hasPolicy && body.has("length")
          : // The documentation forbids both in one request even where one of them is empty.
            (hasPolicy && config.length !== 0) || (body.has("length") && body.has("password_policy"));
        if (hasBoth) {
          throw new EngineFailure("cannot set both 'password_policy' and 'length'");
        }
        state.config = config;
      }),
      reads(path, ({ mount }) => {
        const { config } = states.of(mount);
        const rest = isHashicorp ? hashicorpRest : documentedRest;
        return config && dataResponse({ ...rest, ...fields.returned(config) });
      }),
      deletes(path, ({ mount }) => {
        states.of(mount).config = undefined;
      }),
      writes("/rotate-root", [], ({ mount }) => {
        const state = states.of(mount);
        const bindpass = connect(state, "the config is currently unset").rotateOwn();
        const lastBindPasswordRotation = records.now();
        state.config &&= { ...state.config, bindpass, lastBindPasswordRotation };
      }),
    ],
    setup: {
      changeDirectoryConfig(change, mount) {
        const state = states.at(mount);
        if (state.config === undefined) {
          const { path: at } = records.mounts.known("directory", mount);
          throw new Error(`The directory engine at ${JSON.stringify(at)} has no configuration.`);
        }
        state.config = { ...state.config, ...change };
        return structuredClone(state.config);
      },
      removeDirectoryConfig(mount) {
        states.at(mount).config = undefined;
      },
    },
    inspect: () => ({
      directoryConfigs: states.inspect(({ config }) => (config === undefined ? [] : [config])),
    }),
  };
}

const userAttributes: Readonly<Record<DirectorySchema, string>> = {
  open: "cn",
  ad: "userPrincipalName",
  racf: "racfid",
};

/** What entries are searched by when the configuration does not say. */
export function defaultUserAttribute(schema: DirectorySchema): string {
  return userAttributes[schema];
}

function readSchema(
  sent: string | undefined,
  schemas: ReadonlyMap<string, DirectorySchema>,
): DirectorySchema | undefined {
  if (sent !== undefined && !schemas.has(sent)) {
    const names = [...schemas.keys()].join(" ");
    throw new EngineFailure(`the configured schema ${sent} is not valid. Supported schemas: [${names}]`);
  }
  return schemas.get(sent ?? "");
}

function requireConsistency(config: DirectoryConfigRecord, isHashicorp: boolean): void {
  if (isHashicorp && config.url === "") {
    throw new EngineFailure("at least one url must be provided");
  }
  // The products bind as the user where they can derive the name.
  const derives = isHashicorp && (config.userdn !== "" || config.upndomain !== "");
  if ((config.binddn === "" || config.bindpass === "") && !derives) {
    const more = isHashicorp ? "" : ": binddn and bindpass are required";
    throw new EngineFailure(`cannot derive UserBindDN${more}`);
  }
  if (!isHashicorp && config.length < 0) {
    throw new EngineFailure("length may not be negative");
  }
  if (config.certificate !== "") {
    readCertificate(config.certificate, "failed to parse server tls cert");
  }
  if (isHashicorp) {
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
