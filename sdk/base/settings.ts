/** The three services of the library. */
export const serviceNames = ["provisioning", "secrets", "scheduler"] as const;

/** One of the services. */
export type ServiceName = (typeof serviceNames)[number];

/** What services speak: as their documents say, or as the products with nearly the same wire do. */
export const dialects = ["documented", "hashicorp"] as const;

/** What a service speaks. */
export type Dialect = (typeof dialects)[number];

/** One setting of a connection, under the three names it can be given by. */
export interface Setting {
  /** The argument of a provider; stack configuration has it as `trivium:<service><Argument>`. */
  readonly argument: string;
  /** The environment variable is `<SERVICE>_<this>`; there is none for some. */
  readonly environment?: string;
  /** Encrypted wherever it is kept, hidden wherever it is shown. */
  readonly secret?: boolean;
  /**
   * Decides which service is trusted, and with what: where a provider or a call gives the address, only it can give
   * this setting.
   */
  readonly trust?: boolean;
  /** The services that have it; all when absent. */
  readonly services?: readonly ServiceName[];
}

/** Every setting of a connection, in the order of the reference table. */
export const settings = {
  address: { argument: "address", environment: "ADDR", trust: true },
  token: { argument: "token", environment: "TOKEN", secret: true, trust: true },
  tokenFile: { argument: "tokenFile", environment: "TOKEN_FILE", trust: true },
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

/** The settings that a service has. */
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

type ProductVariables = Readonly<
  Record<ServiceName, Readonly<Partial<Record<SettingName, readonly string[]>>>>
>;

/**
 * The environment variables that the products themselves know, read after all other sources, the first of several
 * that is set. What is not listed has no such variable.
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

/** The products' own environment variables of a setting, in their order; none in the documented dialect. */
export function productVariables(
  dialect: Dialect,
  service: ServiceName,
  name: SettingName,
): readonly string[] {
  return productVariablesByDialect[dialect][service][name] ?? [];
}

/** Every environment variable of a setting, in the order in which they are read. */
export function variablesOf(dialect: Dialect, service: ServiceName, name: SettingName): readonly string[] {
  const own = environmentVariable(service, name);
  return [...(own === undefined ? [] : [own]), ...productVariables(dialect, service, name)];
}

/** The command that puts a setting into stack configuration, without its value. */
export function configurationCommand(key: string, secret = false): string {
  // The CLI takes whatever stands under such a name for a secret, and refuses to store it unasked.
  const plain = /secret/i.test(key) ? "--plaintext " : "";
  return `pulumi config set ${secret ? "--secret " : plain}${key}`;
}

/** The configuration key that lists the places from which a service has moved. */
export function movedFromKey(service: ServiceName): string {
  return `trivium:${service}MovedFrom`;
}

/** The environment variable that beats every other source of a token, but never for an address of a provider's own. */
export function overrideVariable(service: ServiceName): string {
  return `TRIVIUM_${service.toUpperCase()}_TOKEN`;
}

/** The configuration key that chooses between dynamic resources and the provider plugin. */
export const adapterKey = "trivium:adapter";

/** What the engine has our resources in: its own package for dynamic providers, or that of the plugin. */
export const packages = { dynamic: "pulumi-nodejs", plugin: "trivium" } as const;

/** How the engine reaches the library. */
export type Adapter = keyof typeof packages;
