import { problemOfOutputInText } from "./output-in-text";

export const serviceNames = ["provisioning", "secrets", "scheduler"] as const;

export type ServiceName = (typeof serviceNames)[number];

export const dialects = ["documented", "hashicorp"] as const;

export type Dialect = (typeof dialects)[number];

/**
 * In this dialect the products' own variables, logins and tokens are used. Each service's dialect table has
 * all other differences.
 */
export const isProduct = { documented: false, hashicorp: true } as const satisfies Readonly<
  Record<Dialect, boolean>
>;

/**
 * The type that a program can pass for a setting, in addition to the text that stack configuration and
 * variables contain.
 */
const kinds = {
  text: {},
  dialect: {},
  boolean: { type: "boolean", noun: "true or false" },
  count: { type: "number", noun: "a number" },
  duration: { type: "number", noun: "a number" },
  headers: { type: "object", noun: "an object" },
  login: { type: "object", noun: "an object" },
  list: { type: "array", noun: "a list" },
} as const satisfies Readonly<Record<string, { readonly type?: string; readonly noun?: string }>>;

export type SettingKind = keyof typeof kinds;

/** The row of a setting. Its key in stack configuration is `trivium:<service><Name>`. */
export interface Setting {
  readonly kind: SettingKind;
  /** The environment variable is `<SERVICE>_<this>`. */
  readonly environment?: string;
  /** Vault and Nomad have the same variable with their own prefix, such as `VAULT_<environment>`. */
  readonly product?: boolean;
  /** The variables of Terraform. The first one that is set wins. */
  readonly terraform?: readonly string[];
  /** Variables of the products' own tools that are not read, because this setting replaces them. */
  readonly unread?: readonly string[];
  readonly secret?: boolean;
  /** Whether messages can show the value, because it cannot be secret, even by mistake. */
  readonly shown?: boolean;
  /** If a provider or a call sets the address, trust settings only come from there. */
  readonly trust?: boolean;
  readonly services?: readonly ServiceName[];
  /** The smallest value of a count. */
  readonly least?: number;
}

const ofNamespaces = ["secrets", "scheduler"] as const;

/** The settings, in the order of the reference table. Users read these comments. */
export const settings = {
  /**
   * The origin of the service, optionally with a path prefix: `https://example.com`. All trust settings of this service
   * then come from the same source alone: token, headers, certificates, `serverName`, `insecureSkipVerify` and
   * `movedFrom`.
   */
  address: {
    kind: "text",
    environment: "ADDR",
    product: true,
    terraform: ["TFE_ADDRESS", "TFE_HOSTNAME"],
    unread: [
      "TF_CLOUD_HOSTNAME",
      "VAULT_AGENT_ADDR",
      "VAULT_SRV_LOOKUP",
      "BAO_ADDR",
      "BAO_AGENT_ADDR",
      "BAO_SRV_LOOKUP",
    ],
    trust: true,
  },
  /** The API token. Encrypted in the state of a provider. */
  token: {
    kind: "text",
    environment: "TOKEN",
    product: true,
    terraform: ["TFE_TOKEN"],
    unread: ["BAO_TOKEN"],
    secret: true,
    trust: true,
  },
  /** The path of a file that contains the token. The file is read before each request. */
  tokenFile: { kind: "text", environment: "TOKEN_FILE", trust: true },
  /**
   * A login to use instead of a token, in the hashicorp dialect (Nomad 1.5 or newer). Each provider process
   * logs in once, before its first request. Encrypted in the state of a provider.
   */
  login: { kind: "login", environment: "LOGIN", secret: true, trust: true, services: ofNamespaces },
  /**
   * CA certificates to trust instead of the system's: PEM, or the path of a file, which is read again for
   * each new connection. You can also use the certificate of an intermediate authority, or of the service
   * itself.
   */
  caCertificate: {
    kind: "text",
    environment: "CACERT",
    product: true,
    unread: [
      "VAULT_CAPATH",
      "VAULT_CACERT_BYTES",
      "BAO_CACERT",
      "BAO_CAPATH",
      "BAO_CACERT_BYTES",
      "NOMAD_CAPATH",
    ],
    trust: true,
  },
  /**
   * The client certificate, as PEM or the path of a file. Requires `clientKey`. Like `caCertificate`, the
   * file is read again for each new connection.
   */
  clientCertificate: {
    kind: "text",
    environment: "CLIENT_CERT",
    product: true,
    unread: ["BAO_CLIENT_CERT"],
    trust: true,
  },
  /**
   * The private key of `clientCertificate`, as PEM or the path of a file. Encrypted in the state of a
   * provider.
   */
  clientKey: {
    kind: "text",
    environment: "CLIENT_KEY",
    product: true,
    unread: ["BAO_CLIENT_KEY"],
    secret: true,
    trust: true,
  },
  /** The host name in the service's certificate, if it differs from the host of `address`. */
  serverName: {
    kind: "text",
    environment: "TLS_SERVER_NAME",
    product: true,
    unread: ["BAO_TLS_SERVER_NAME"],
    shown: true,
    trust: true,
  },
  /**
   * Disables certificate verification.
   *
   * @default false
   */
  insecureSkipVerify: {
    kind: "boolean",
    environment: "SKIP_VERIFY",
    product: true,
    terraform: ["TFE_SSL_SKIP_VERIFY"],
    unread: ["BAO_SKIP_VERIFY"],
    shown: true,
    trust: true,
  },
  /**
   * The time limit of each request: a number of seconds, or a duration such as `"30s"`.
   *
   * @default "30s"
   */
  requestTimeout: { kind: "duration", environment: "REQUEST_TIMEOUT", shown: true },
  /**
   * How many times a failed request is retried, if a retry is safe.
   *
   * @default 5
   */
  maxRetries: { kind: "count", least: 0, environment: "MAX_RETRIES", shown: true },
  /**
   * The maximum number of concurrent requests.
   *
   * @default 32
   */
  maxConcurrency: { kind: "count", least: 1, environment: "MAX_CONCURRENCY", shown: true },
  /** Additional headers to send with every request. Encrypted in the state of a provider. */
  headers: {
    kind: "headers",
    unread: ["VAULT_HEADERS", "VAULT_MFA", "BAO_HEADERS", "BAO_MFA", "NOMAD_HTTP_AUTH"],
    secret: true,
    trust: true,
  },
  /** The namespace of all requests. */
  namespace: {
    kind: "text",
    environment: "NAMESPACE",
    product: true,
    unread: ["BAO_NAMESPACE"],
    shown: true,
    services: ofNamespaces,
  },
  /**
   * The region for all requests. The agent at `address` forwards them to that region.
   *
   * @default the region of the agent
   */
  region: { kind: "text", environment: "REGION", product: true, shown: true, services: ["scheduler"] },
  /**
   * The dialect of the service: `"documented"`, or `"hashicorp"` for the products (HCP Terraform and
   * Terraform Enterprise; Vault and OpenBao; Nomad), which also enables their own environment variables.
   *
   * @default "documented"
   */
  dialect: { kind: "dialect", environment: "DIALECT", shown: true },
  /**
   * The service's former addresses, or its former dialect. Objects that were created there are then managed at the
   * current address. Without this setting, an object is never changed at any address other than the one where it was
   * created.
   */
  movedFrom: { kind: "list", trust: true },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

export const settingNames = Object.keys(settings) as readonly SettingName[];

export function settingsOf(service: ServiceName): readonly [SettingName, Setting][] {
  return settingNames
    .map((name): [SettingName, Setting] => [name, settings[name]])
    .filter(([, { services }]) => services?.includes(service) ?? true);
}

/**
 * The settings for authentication. If several are set, only the one from the source with the highest
 * precedence is used.
 */
export const credentials = ["token", "tokenFile", "login"] as const satisfies readonly SettingName[];

/** A source with lower precedence must not change the trust settings of an address, or replace the token. */
export function mustNotInherit(name: SettingName, isGiven: (name: SettingName) => boolean): boolean {
  const { trust }: Setting = settings[name];
  const isCredential = credentials.some((each) => each === name);
  return (trust === true && isGiven("address")) || (isCredential && credentials.some(isGiven));
}

/** Also the key in the state of an explicit provider. */
export function configurationKey(service: ServiceName, name: SettingName): string {
  return `trivium:${service}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export function environmentVariable(service: ServiceName, name: SettingName): string | undefined {
  const setting: Setting = settings[name];
  return setting.environment === undefined ? undefined : `${service.toUpperCase()}_${setting.environment}`;
}

/** Applies to services that do not set their own dialect. */
export const sharedDialect = { key: "trivium:dialect", variable: "TRIVIUM_DIALECT" } as const;

/**
 * Variables that set a proxy for the products' own tools. The library reads the usual proxy variables
 * instead.
 */
const unreadProxies = ["VAULT_PROXY_ADDR", "VAULT_HTTP_PROXY", "BAO_PROXY_ADDR", "BAO_HTTP_PROXY"];

/** OpenBao reads the variables of Vault too. */
const productPrefixes = {
  provisioning: ["TF_"],
  secrets: ["VAULT_", "BAO_"],
  scheduler: ["NOMAD_"],
} as const;

/**
 * Variables that redirect the products' own tools or change their identity, and that the library does not
 * read, each with the setting to use instead (except for proxy variables).
 */
export function unreadVariablesOf({ service, dialect }: SettingOwner): [string, SettingName | undefined][] {
  const ofSettings = settingsOf(service).flatMap(([name, { unread = [] }]) =>
    unread.map((variable): [string, SettingName | undefined] => [variable, name]),
  );
  const ofProxies = unreadProxies.map((variable): [string, undefined] => [variable, undefined]);
  const isOfService = (variable: string): boolean =>
    productPrefixes[service].some((prefix) => variable.startsWith(prefix));
  return isProduct[dialect]
    ? [...ofSettings, ...ofProxies].filter(([variable]) => isOfService(variable))
    : [];
}

/** Variables that are read after all other sources. The first one that is set is used. */
export function productVariables(
  dialect: Dialect,
  service: ServiceName,
  name: SettingName,
): readonly string[] {
  const { environment, product, terraform = [] }: Setting = settings[name];
  if (!isProduct[dialect] || product !== true || environment === undefined) {
    return [];
  }
  return service === "provisioning" ? terraform : [`${productPrefixes[service][0]}${environment}`];
}

export function variablesOf(dialect: Dialect, service: ServiceName, name: SettingName): readonly string[] {
  const own = environmentVariable(service, name);
  return [...(own === undefined ? [] : [own]), ...productVariables(dialect, service, name)];
}

export function configurationCommand(key: string, secret = false): string {
  // The CLI assumes that a key with this word is a secret, and does not store it without a flag.
  const plain = /secret/i.test(key) ? "--plaintext " : "";
  return `pulumi config set ${secret ? "--secret " : plain}${key}`;
}

/**
 * The key that marks an address set by a provider. All trust settings of the service then come from that
 * provider alone.
 */
export function ownAddressKey(service: ServiceName): string {
  return `trivium:${service}OwnAddress`;
}

/** A setting of a provider, by its key in stack configuration and in state. */
export interface ProviderSetting {
  readonly key: string;
  /** The setting as a program passes it to `trivium.Provider`. */
  readonly argument: string;
  readonly secret?: boolean | undefined;
  readonly kind: SettingKind;
}

export const providerSettings: readonly ProviderSetting[] = [
  ...serviceNames.flatMap((service) =>
    settingsOf(service).map(([name, { secret, kind }]) => ({
      key: configurationKey(service, name),
      argument: `${service}.${name}`,
      secret,
      kind,
    })),
  ),
  { key: sharedDialect.key, argument: "dialect", kind: "dialect" },
];

/**
 * Why a value is invalid for a setting; never repeats the value. Every setting accepts text, because stack
 * configuration contains text.
 */
export function problemOfSetting({ kind }: ProviderSetting, value: unknown): string | undefined {
  const withOutput = problemOfOutputInText(value);
  if (withOutput !== undefined) {
    return withOutput;
  }
  const { type: expected, noun }: { readonly type?: string; readonly noun?: string } = kinds[kind];
  const type = Array.isArray(value) ? "array" : typeof value;
  if (value === null || value === undefined || type === "string" || type === expected) {
    return undefined;
  }
  const found = Object.values<{ readonly type?: string; readonly noun?: string }>(kinds).find(
    (each) => each.type === type,
  );
  return `must be ${noun === undefined ? "" : `${noun} or `}text, not ${found?.noun ?? `a ${type}`}`;
}

/** Overrides the token from every other source, except if a provider sets the address. */
export function overrideVariable(service: ServiceName): string {
  return `TRIVIUM_${service.toUpperCase()}_TOKEN`;
}

/** Selects dynamic resources or the provider plugin. */
export const adapterKey = "trivium:adapter";

/** The engine's package of each adapter: its own for dynamic providers, or the plugin's. */
export const packages = { dynamic: "pulumi-nodejs", plugin: "trivium" } as const;

export type Adapter = keyof typeof packages;

/** What the engine calls the providers of each adapter. */
export const providerTypes = {
  dynamic: `pulumi:providers:${packages.dynamic}`,
  plugin: `pulumi:providers:${packages.plugin}`,
} as const;

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
