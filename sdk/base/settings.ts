export const serviceNames = ["provisioning", "secrets", "scheduler"] as const;

export type ServiceName = (typeof serviceNames)[number];

export const dialects = ["documented", "hashicorp"] as const;

export type Dialect = (typeof dialects)[number];

/** Products have variables, logins and tokens of their own. What else differs is in each service's table of dialects. */
export const isProduct = { documented: false, hashicorp: true } as const satisfies Readonly<
  Record<Dialect, boolean>
>;

/** A setting has the name of the provider argument. In stack configuration it is `trivium:<service><Name>`. */
export interface Setting {
  /** The environment variable is `<SERVICE>_<this>`. */
  readonly environment?: string;
  /** In the hashicorp dialect, the variable of the product is read too, such as `VAULT_<environment>`. */
  readonly product?: boolean;
  readonly secret?: boolean;
  /** If a provider or a call sets the address, trust settings only come from there. */
  readonly trust?: boolean;
  readonly services?: readonly ServiceName[];
  /** What a program may give besides text. */
  readonly takes?: keyof typeof kinds;
}

const kinds = {
  boolean: "true or false",
  number: "a number",
  object: "an object",
  array: "a list",
} as const;

/** In the order of the reference table. */
export const settings = {
  address: { environment: "ADDR", product: true, trust: true },
  token: { environment: "TOKEN", product: true, secret: true, trust: true },
  tokenFile: { environment: "TOKEN_FILE", trust: true },
  login: {
    environment: "LOGIN",
    secret: true,
    trust: true,
    services: ["secrets", "scheduler"],
    takes: "object",
  },
  caCertificate: { environment: "CACERT", product: true, trust: true },
  clientCertificate: { environment: "CLIENT_CERT", product: true, trust: true },
  clientKey: { environment: "CLIENT_KEY", product: true, secret: true, trust: true },
  serverName: { environment: "TLS_SERVER_NAME", product: true, trust: true },
  insecureSkipVerify: { environment: "SKIP_VERIFY", product: true, trust: true, takes: "boolean" },
  requestTimeout: { environment: "REQUEST_TIMEOUT", takes: "number" },
  maxRetries: { environment: "MAX_RETRIES", takes: "number" },
  maxConcurrency: { environment: "MAX_CONCURRENCY", takes: "number" },
  headers: { secret: true, trust: true, takes: "object" },
  namespace: { environment: "NAMESPACE", product: true, services: ["secrets", "scheduler"] },
  region: { environment: "REGION", product: true, services: ["scheduler"] },
  dialect: { environment: "DIALECT" },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

export function settingsOf(service: ServiceName): readonly [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(
    ([, setting]) => setting.services?.includes(service) ?? true,
  );
}

/** Also the key in the state of an explicit provider. */
export function configurationKey(service: ServiceName, name: SettingName): string {
  return `trivium:${service}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export function environmentVariable(service: ServiceName, name: SettingName): string | undefined {
  const setting: Setting = settings[name];
  return setting.environment === undefined ? undefined : `${service.toUpperCase()}_${setting.environment}`;
}

/** Applies to services without their own dialect. */
export const sharedDialect = { key: "trivium:dialect", variable: "TRIVIUM_DIALECT" } as const;

const terraformVariables: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  address: ["TFE_ADDRESS", "TFE_HOSTNAME"],
  token: ["TFE_TOKEN"],
  insecureSkipVerify: ["TFE_SSL_SKIP_VERIFY"],
};

/**
 * Variables by which the products' own tools change where, or as whom, a request goes, and that are not read. With the
 * setting that takes their place.
 */
const unreadVariables: Readonly<Record<ServiceName, Readonly<Record<string, SettingName | undefined>>>> = {
  provisioning: { TF_CLOUD_HOSTNAME: "address" },
  secrets: {
    VAULT_AGENT_ADDR: "address",
    VAULT_SRV_LOOKUP: "address",
    VAULT_CAPATH: "caCertificate",
    VAULT_CACERT_BYTES: "caCertificate",
    VAULT_HEADERS: "headers",
    VAULT_MFA: "headers",
    VAULT_PROXY_ADDR: undefined,
    VAULT_HTTP_PROXY: undefined,
    // Of OpenBao, which reads those of Vault too.
    BAO_ADDR: "address",
    BAO_AGENT_ADDR: "address",
    BAO_SRV_LOOKUP: "address",
    BAO_TOKEN: "token",
    BAO_NAMESPACE: "namespace",
    BAO_CACERT: "caCertificate",
    BAO_CAPATH: "caCertificate",
    BAO_CACERT_BYTES: "caCertificate",
    BAO_CLIENT_CERT: "clientCertificate",
    BAO_CLIENT_KEY: "clientKey",
    BAO_TLS_SERVER_NAME: "serverName",
    BAO_SKIP_VERIFY: "insecureSkipVerify",
    BAO_HEADERS: "headers",
    BAO_MFA: "headers",
    BAO_PROXY_ADDR: undefined,
    BAO_HTTP_PROXY: undefined,
  },
  scheduler: { NOMAD_HTTP_AUTH: "headers", NOMAD_CAPATH: "caCertificate" },
};

/** Instead of a setting: the environment variables that name proxies. */
export function unreadVariablesOf({ service, dialect }: SettingOwner): [string, SettingName | undefined][] {
  return isProduct[dialect] ? Object.entries(unreadVariables[service]) : [];
}

/** Read after all other sources. The first one that is set wins. */
export function productVariables(
  dialect: Dialect,
  service: ServiceName,
  name: SettingName,
): readonly string[] {
  const { environment, product }: Setting = settings[name];
  if (!isProduct[dialect] || product !== true || environment === undefined) {
    return [];
  }
  return service === "provisioning"
    ? (terraformVariables[name] ?? [])
    : [`${service === "secrets" ? "VAULT" : "NOMAD"}_${environment}`];
}

export function variablesOf(dialect: Dialect, service: ServiceName, name: SettingName): readonly string[] {
  const own = environmentVariable(service, name);
  return [...(own === undefined ? [] : [own]), ...productVariables(dialect, service, name)];
}

export function configurationCommand(key: string, secret = false): string {
  // The CLI assumes that a key with this word is a secret and refuses to store it without a flag.
  const plain = /secret/i.test(key) ? "--plaintext " : "";
  return `pulumi config set ${secret ? "--secret " : plain}${key}`;
}

export function movedFromKey(service: ServiceName): string {
  return `trivium:${service}MovedFrom`;
}

/** A setting of a provider, by its key in stack configuration and in state. */
export interface ProviderSetting {
  readonly key: string;
  /** As a program gives it to `trivium.Provider`. */
  readonly argument: string;
  readonly secret?: boolean | undefined;
  readonly takes?: Setting["takes"] | undefined;
}

export const providerSettings: readonly ProviderSetting[] = [
  ...serviceNames.flatMap((service) => [
    ...settingsOf(service).map(([name, { secret, takes }]) => ({
      key: configurationKey(service, name),
      argument: `${service}.${name}`,
      secret,
      takes,
    })),
    { key: movedFromKey(service), argument: `${service}.movedFrom`, takes: "array" as const },
  ]),
  { key: sharedDialect.key, argument: "dialect" },
];

/** Why a value cannot be a setting. Never repeats it. Every setting takes text, which stack configuration has. */
export function problemOfSetting({ takes }: ProviderSetting, value: unknown): string | undefined {
  const kind = Array.isArray(value) ? "array" : typeof value;
  if (value === null || value === undefined || kind === "string" || kind === takes) {
    return undefined;
  }
  const found = Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : `a ${kind}`;
  return `must be ${takes === undefined ? "" : `${kinds[takes]} or `}text, not ${found}`;
}

/** Overrides the token from every other source, except if a provider sets the address. */
export function overrideVariable(service: ServiceName): string {
  return `TRIVIUM_${service.toUpperCase()}_TOKEN`;
}

/** Selects dynamic resources or the provider plugin. */
export const adapterKey = "trivium:adapter";

/** The engine's own package for dynamic providers, or that of the plugin. */
export const packages = { dynamic: "pulumi-nodejs", plugin: "trivium" } as const;

export type Adapter = keyof typeof packages;

export interface SettingOwner {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  readonly ownAddress?: boolean | undefined;
}

/** For messages: `caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)`. */
export function nameOfSetting({ service, dialect, ownAddress }: SettingOwner, name: SettingName): string {
  const setting: Setting = settings[name];
  if (ownAddress === true && setting.trust === true) {
    return `${name} (in the trivium.Provider or the call that sets the address)`;
  }
  const places = [configurationKey(service, name), ...variablesOf(dialect, service, name)];
  return `${name} (${places.join(", ")})`;
}

/** Replaces the name of a setting in braces by {@link nameOfSetting}, and `{x}` by `texts.x`. Leaves other names. */
export function filledIn(
  message: string,
  owner: SettingOwner,
  texts: Readonly<Record<string, string>>,
): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(texts, name)
      ? (texts[name] ?? whole)
      : Object.hasOwn(settings, name)
        ? nameOfSetting(owner, name as SettingName)
        : whole,
  );
}
