/** The three services of the library. */
export const serviceNames = ["provisioning", "secrets", "scheduler"] as const;

/** One of the services. */
export type ServiceName = (typeof serviceNames)[number];

/**
 * What services speak: the documented interface, or that of the HashiCorp products, which differs slightly.
 */
export const dialects = ["documented", "hashicorp"] as const;

/** What a service speaks. */
export type Dialect = (typeof dialects)[number];

/** A connection setting, under its three names. */
export interface Setting {
  /** The provider argument; the stack configuration has it as `trivium:<service><Argument>`. */
  readonly argument: string;
  /** The environment variable is `<SERVICE>_<this>`; some settings have none. */
  readonly environment?: string;
  /** Encrypted in state and redacted in output. */
  readonly secret?: boolean;
  /**
   * Decides which service is trusted, and with what: if a provider or a call sets the address, only it can
   * set this.
   */
  readonly trust?: boolean;
  /** The services that have it; all if absent. */
  readonly services?: readonly ServiceName[];
}

/** All connection settings, in the order of the reference table. */
export const settings = {
  address: { argument: "address", environment: "ADDR", trust: true },
  token: { argument: "token", environment: "TOKEN", secret: true, trust: true },
  tokenFile: { argument: "tokenFile", environment: "TOKEN_FILE", trust: true },
  login: {
    argument: "login",
    environment: "LOGIN",
    secret: true,
    trust: true,
    services: ["secrets", "scheduler"],
  },
  caCertificate: { argument: "caCertificate", environment: "CACERT", trust: true },
  clientCertificate: { argument: "clientCertificate", environment: "CLIENT_CERT", trust: true },
  clientKey: { argument: "clientKey", environment: "CLIENT_KEY", secret: true, trust: true },
  serverName: { argument: "serverName", environment: "TLS_SERVER_NAME", trust: true },
  insecureSkipVerify: { argument: "insecureSkipVerify", environment: "SKIP_VERIFY", trust: true },
  requestTimeout: { argument: "requestTimeout", environment: "REQUEST_TIMEOUT" },
  maxRetries: { argument: "maxRetries", environment: "MAX_RETRIES" },
  maxConcurrency: { argument: "maxConcurrency", environment: "MAX_CONCURRENCY" },
  headers: { argument: "headers", secret: true, trust: true },
  namespace: { argument: "namespace", environment: "NAMESPACE", services: ["secrets", "scheduler"] },
  dialect: { argument: "dialect", environment: "DIALECT" },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The settings of a service. */
export function settingsOf(service: ServiceName): readonly [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(
    ([, setting]) => setting.services?.includes(service) ?? true,
  );
}

/** The stack configuration key of a setting, which is also its key in the state of an explicit provider. */
export function configurationKey(service: ServiceName, name: SettingName): string {
  const { argument } = settings[name];
  return `trivium:${service}${argument.charAt(0).toUpperCase()}${argument.slice(1)}`;
}

/** The environment variable of a setting. */
export function environmentVariable(service: ServiceName, name: SettingName): string | undefined {
  const setting: Setting = settings[name];
  return setting.environment === undefined ? undefined : `${service.toUpperCase()}_${setting.environment}`;
}

/** Where the dialect of all services is set, which applies where a service has none of its own. */
export const sharedDialect = { key: "trivium:dialect", variable: "TRIVIUM_DIALECT" } as const;

type ProductVariables = Readonly<
  Record<ServiceName, Readonly<Partial<Record<SettingName, readonly string[]>>>>
>;

/**
 * The environment variables of the products, read after all other sources; the first one that is set counts.
 * A setting that is not listed has no such variable.
 */
const productVariablesByDialect: Readonly<Record<Dialect, ProductVariables>> = {
  documented: { provisioning: {}, secrets: {}, scheduler: {} },
  hashicorp: {
    provisioning: { address: ["TFE_ADDRESS", "TFE_HOSTNAME"], token: ["TFE_TOKEN"] },
    secrets: {
      address: ["VAULT_ADDR"],
      token: ["VAULT_TOKEN"],
      caCertificate: ["VAULT_CACERT"],
      clientCertificate: ["VAULT_CLIENT_CERT"],
      clientKey: ["VAULT_CLIENT_KEY"],
      serverName: ["VAULT_TLS_SERVER_NAME"],
      insecureSkipVerify: ["VAULT_SKIP_VERIFY"],
      namespace: ["VAULT_NAMESPACE"],
    },
    scheduler: {
      address: ["NOMAD_ADDR"],
      token: ["NOMAD_TOKEN"],
      caCertificate: ["NOMAD_CACERT"],
      clientCertificate: ["NOMAD_CLIENT_CERT"],
      clientKey: ["NOMAD_CLIENT_KEY"],
      serverName: ["NOMAD_TLS_SERVER_NAME"],
      insecureSkipVerify: ["NOMAD_SKIP_VERIFY"],
      namespace: ["NOMAD_NAMESPACE"],
    },
  },
};

/** The products' own environment variables of a setting, in order; none in the documented dialect. */
export function productVariables(
  dialect: Dialect,
  service: ServiceName,
  name: SettingName,
): readonly string[] {
  return productVariablesByDialect[dialect][service][name] ?? [];
}

/** All environment variables of a setting, in the order in which they are read. */
export function variablesOf(dialect: Dialect, service: ServiceName, name: SettingName): readonly string[] {
  const own = environmentVariable(service, name);
  return [...(own === undefined ? [] : [own]), ...productVariables(dialect, service, name)];
}

/** The command that sets a configuration value, without the value. */
export function configurationCommand(key: string, secret = false): string {
  // The CLI assumes that a key with this word is a secret and refuses to store it without a flag.
  const plain = /secret/i.test(key) ? "--plaintext " : "";
  return `pulumi config set ${secret ? "--secret " : plain}${key}`;
}

/** The configuration key that lists the former addresses of a service. */
export function movedFromKey(service: ServiceName): string {
  return `trivium:${service}MovedFrom`;
}

/**
 * The environment variable with the token that overrides every other source, except for the address of a
 * provider.
 */
export function overrideVariable(service: ServiceName): string {
  return `TRIVIUM_${service.toUpperCase()}_TOKEN`;
}

/** The configuration key that selects dynamic resources or the provider plugin. */
export const adapterKey = "trivium:adapter";

/** What the engine has our resources in: its own package for dynamic providers, or that of the plugin. */
export const packages = { dynamic: "pulumi-nodejs", plugin: "trivium" } as const;

/** How the engine reaches the library. */
export type Adapter = keyof typeof packages;
