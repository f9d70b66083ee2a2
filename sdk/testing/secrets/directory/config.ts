import { isCertificate } from "../certificates";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type EngineEndpoint, type SecretsArea } from "../endpoint";
import { boolean, FieldTable, integer, never, seconds, text } from "../fields";
import { automatedFields, productConfigFields, versionFields } from "../objects";
import type { Body } from "../body";
import type { Records } from "../records";
import type { DirectoryConfigRecord, DirectoryConfigSetup, DirectorySchema } from "../types";
import { snakeCase } from "../../../base/json";
import type { DirectoryTraits } from "./traits";
import type { MountStates } from "../mounts";
import { badRequest, EngineFailure, notImplemented } from "../refusal";
import { type SecretsTraits, secretsTraits } from "../traits";

/** The length of generated passwords, according to the documentation. */
export const defaultPasswordLength = secretsTraits.documented.passwordLength;

/**
 * Only members of the same request are mutually exclusive: Vault's SDK 0.24.0, helper/automatedrotationutil/fields.go.
 *
 * @throws Refusal 400
 */
export function requireSchedule(body: Body): void {
  const hasPeriod = (body.duration("rotation_period") ?? 0) > 0;
  const hasWindow = (body.duration("rotation_window") ?? 0) > 0;
  if (hasPeriod && body.text("rotation_schedule")) {
    throw badRequest(
      "mutually exclusive fields rotation_schedule and rotation_period were both specified; only one of them can be provided",
    );
  }
  if (hasPeriod && hasWindow) {
    throw badRequest("rotation_window does not apply to period");
  }
  if (hasWindow && !body.has("rotation_schedule")) {
    throw badRequest("cannot use rotation_window without rotation_schedule");
  }
}

function createFields(
  service: SecretsTraits,
  { automates }: DirectoryTraits,
): FieldTable<DirectoryConfigRecord> {
  const schemas: readonly DirectorySchema[] = service.schemas;
  const nameOf = (schema: DirectorySchema): string => (schema === "open" ? service.openSchema : schema);
  const undocumented = service.returnsAllOfConfig ? {} : { returned: never };
  const unlessEmpty = service.returnsAllOfConfig ? (value: unknown) => value || undefined : never;
  return new FieldTable<DirectoryConfigRecord>({
    binddn: text(),
    bindpass: text({ returned: never }),
    url: text({
      initial: "ldap://127.0.0.1",
      read: (body, name) => (service.foldsUrls ? body.text(name)?.toLowerCase() : body.text(name)),
    }),
    passwordPolicy: text({ returned: unlessEmpty }),
    schema: {
      initial: "open",
      read(body, name) {
        const sent = body.text(name);
        const found = schemas.find((schema) => nameOf(schema) === sent);
        if (found === undefined && sent !== undefined) {
          const names = schemas.map(nameOf).join(" ");
          throw new EngineFailure(
            automates
              ? `unsupported schema type ${JSON.stringify(sent)}: must be one of [${names}]`
              : `the configured schema ${sent} is not valid. Supported schemas: [${names}]`,
          );
        }
        return found;
      },
      returned: nameOf,
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
      returned: (length) =>
        length === 0 || (service.returnsAllOfConfig && length < 0) ? service.passwordLength : length,
    }),
    connectionTimeout: seconds({ initial: 30, ...undocumented }),
    lastBindPasswordRotation: { initial: null, returned: unlessEmpty },
    ...(service.hasTlsVersions ? versionFields : {}),
    ...(automates ? { ...productConfigFields, ...automatedFields } : {}),
  });
}

/** Members that real servers also return; no documented write changes them. */
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

/** Members that Vault's engine returns even if they were never set. */
const vaultRest = {
  credential_type: "password",
  disable_automated_rotation: false,
  enable_samaccountname_login: false,
  rotation_period: 0,
  rotation_policy: "",
  rotation_schedule: "",
  rotation_window: 0,
};

/** Settings of the products that the emulator does not implement, with the only value that it accepts. */
const unkept = ["ttl", "max_ttl", ...Object.keys(hashicorpRest).filter((name) => !name.startsWith("tls_"))];

/** @throws Refusal 400 for an invalid value, 501 for one that the product would act on */
function requireUnset(body: Body): void {
  const numbers = [body.duration("ttl"), body.duration("max_ttl"), body.integer("max_page_size")];
  const usual: Readonly<Record<string, unknown>> = hashicorpRest;
  const asked = unkept.find((name, index) => {
    const value = body.any(name);
    const isNumber = index < 2 || name === "max_page_size";
    return isNumber
      ? numbers.some((number) => (number ?? 0) > 0) && value !== undefined && Number(value) !== 0
      : value !== undefined && value !== null && value !== "" && value !== usual[name];
  });
  if (asked !== undefined) {
    throw notImplemented(`${asked} of a directory configuration`);
  }
}

/** Attributes that the products can search by: client/fieldregistry.go of vault-plugin-secrets-openldap 0.18. */
const knownAttributes =
  "cn displayName distinguishedName dc dn name objectCategory objectClass objectGUID objectSid ou passwordLastSet " +
  "racfid racfPassword racfPassPhrase racfAttributes sAMAccountName unicodePwd uid userPassword userPrincipalName";

/** @throws EngineFailure as the products do when they look for an account */
export function requireKnownAttribute(config: DirectoryConfigRecord | undefined): void {
  const attribute = config?.userattr ?? "";
  if (attribute !== "" && !knownAttributes.split(" ").includes(attribute)) {
    throw new EngineFailure(`unsupported userattr ${JSON.stringify(attribute)}`);
  }
}

export interface ConfigState {
  config?: DirectoryConfigRecord | undefined;
}

export function createConfigArea(
  records: Records,
  states: MountStates<ConfigState>,
  connect: (state: ConfigState, withoutConfig: string) => { rotateOwn(): string },
): SecretsArea<EngineEndpoint, "directoryConfigs", DirectoryConfigSetup> {
  const { traits, directory: engine } = records;
  const fields = createFields(traits, engine);
  const path = "/config";
  return {
    endpoints: [
      writes(path, [...fields.names, ...(traits.knowsMoreSettings ? unkept : [])], ({ mount, body }) => {
        if (traits.knowsMoreSettings) {
          requireUnset(body);
        }
        const state = states.of(mount);
        const sent = fields.read(body, state.config);
        const { selfManaged } = state.config ?? sent;
        const config =
          state.config === undefined && !body.has("userattr")
            ? { ...sent, userattr: defaultUserAttribute(sent.schema) }
            : // Only a creation decides it.
              { ...sent, ...(selfManaged !== undefined && { selfManaged }) };
        requireConsistency(config, traits);
        if (traits.hasTlsVersions) {
          requireVersions(config);
        }
        if (engine.automates) {
          requireSchedule(body);
          requireCredentialType(config);
        }
        const hasPolicy = config.passwordPolicy !== "";
        const hasBoth = traits.keepsPolicyWithLength
          ? // Even a length of 0, and even with a policy from an earlier request.
            hasPolicy && body.has("length")
          : // The documentation forbids both in one request, even if one of them is empty.
            (hasPolicy && config.length !== 0) || (body.has("length") && body.has("password_policy"));
        if (hasBoth) {
          throw new EngineFailure("cannot set both 'password_policy' and 'length'");
        }
        state.config = config;
      }),
      reads(path, ({ mount }) => {
        const { config } = states.of(mount);
        const rest = traits.knowsMoreSettings ? hashicorpRest : documentedRest;
        const more = engine.automates ? vaultRest : {};
        return config && dataResponse({ ...rest, ...more, ...fields.returned(config) });
      }),
      deletes(path, ({ mount }) => {
        states.of(mount).config = undefined;
      }),
      writes("/rotate-root", [], ({ mount }) => {
        const state = states.of(mount);
        if (traits.checksAttributes) {
          requireKnownAttribute(state.config);
        }
        const bindpass = connect(state, "the config is currently unset").rotateOwn();
        const lastBindPasswordRotation = records.now();
        state.config &&= { ...state.config, bindpass, lastBindPasswordRotation };
      }),
    ],
    setup: {
      changeDirectoryConfig(change, mount) {
        const state = states.at(mount);
        if (state.config === undefined) {
          const { path: at } = records.mounts.get("directory", mount);
          throw new Error(`The directory engine at ${JSON.stringify(at)} has no configuration.`);
        }
        return (state.config = { ...state.config, ...change });
      },
      removeDirectoryConfig(mount) {
        states.at(mount).config = undefined;
      },
    },
    inspect: () => ({
      directoryConfigs: states.inspect(({ config }) => (config ? [config] : [])),
    }),
  };
}

const userAttributes: Readonly<Record<DirectorySchema, string>> = {
  open: "cn",
  ad: "userPrincipalName",
  racf: "racfid",
};

/** Used when the configuration has no `userattr`. */
export function defaultUserAttribute(schema: DirectorySchema): string {
  return userAttributes[schema];
}

function requireConsistency(config: DirectoryConfigRecord, traits: SecretsTraits): void {
  if (traits.requiresUrl && config.url === "") {
    throw new EngineFailure("at least one url must be provided");
  }
  // The products bind as the user where they can derive the name.
  const derivesName = traits.derivesBindName && (config.userdn !== "" || config.upndomain !== "");
  if (config.selfManaged === true) {
    // Vault's provider requires binddn in each configuration: ldap.SecretBackend of @pulumi/vault 7.8.0.
    if (config.bindpass !== "") {
      throw badRequest("bindpass must not be set with self_managed");
    }
  } else if ((config.binddn === "" || config.bindpass === "") && !derivesName) {
    throw new EngineFailure(`cannot derive UserBindDN${traits.missingBinding}`);
  }
  if (traits.refusesNegativeLength && config.length < 0) {
    throw new EngineFailure("length may not be negative");
  }
  if (config.certificate !== "" && !isCertificate(config.certificate)) {
    throw new EngineFailure("failed to parse server tls cert: failed to decode PEM block in the certificate");
  }
  if (traits.checksKeyPairs) {
    requireKeyPair(config.clientTlsCert, config.clientTlsKey);
  }
}

function requireVersions({ tlsMinVersion = "", tlsMaxVersion = "" }: DirectoryConfigRecord): void {
  for (const [name, version] of Object.entries({ tlsMinVersion, tlsMaxVersion })) {
    if (!/^tls1[0-3]$/.test(version)) {
      throw new EngineFailure(`invalid '${snakeCase(name)}'`);
    }
  }
  if (tlsMaxVersion < tlsMinVersion) {
    throw new EngineFailure("'tls_max_version' must be greater than or equal to 'tls_min_version'");
  }
}

function requireCredentialType({ credentialType = "password" }: DirectoryConfigRecord): void {
  if (!["password", "phrase"].includes(credentialType)) {
    throw new EngineFailure(`invalid credential_type ${JSON.stringify(credentialType)}`);
  }
}

function requireKeyPair(certificate: string, key: string): void {
  if ((certificate === "") !== (key === "")) {
    throw new EngineFailure("both client_tls_cert and client_tls_key must be set, or neither");
  }
  if (certificate !== "" && !isCertificate(certificate, key)) {
    throw new EngineFailure("failed to parse client X509 key pair");
  }
}
