export const serviceNames = ["provisioning", "secrets", "scheduler"] as const;

export type ServiceName = (typeof serviceNames)[number];

export const dialects = ["documented", "hashicorp"] as const;

export type Dialect = (typeof dialects)[number];

export interface Setting {
  /** The provider argument. In stack configuration it is `trivium:<service><Argument>`. */
  readonly argument: string;
  /** The environment variable is `<SERVICE>_<this>`. */
  readonly environment?: string;
  readonly secret?: boolean;
  /** If a provider or a call sets the address, trust settings only come from there. */
  readonly trust?: boolean;
  readonly services?: readonly ServiceName[];
}

/** In the order of the reference table. */
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

export type SettingName = keyof typeof settings;

export function settingsOf(service: ServiceName): readonly [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(
    ([, setting]) => setting.services?.includes(service) ?? true,
  );
}

/** Also the key in the state of an explicit provider. */
export function configurationKey(service: ServiceName, name: SettingName): string {
  const { argument } = settings[name];
  return `trivium:${service}${argument.charAt(0).toUpperCase()}${argument.slice(1)}`;
}

export function environmentVariable(service: ServiceName, name: SettingName): string | undefined {
  const setting: Setting = settings[name];
  return setting.environment === undefined ? undefined : `${service.toUpperCase()}_${setting.environment}`;
}

/** Applies to services without their own dialect. */
export const sharedDialect = { key: "trivium:dialect", variable: "TRIVIUM_DIALECT" } as const;

type ProductVariables = Readonly<
  Record<ServiceName, Readonly<Partial<Record<SettingName, readonly string[]>>>>
>;

/** Read after all other sources. The first one that is set wins. */
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

export function productVariables(
  dialect: Dialect,
  service: ServiceName,
  name: SettingName,
): readonly string[] {
  return productVariablesByDialect[dialect][service][name] ?? [];
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

/** Overrides the token from every other source, except if a provider sets the address. */
export function overrideVariable(service: ServiceName): string {
  return `TRIVIUM_${service.toUpperCase()}_TOKEN`;
}

/** Selects dynamic resources or the provider plugin. */
export const adapterKey = "trivium:adapter";

/** The engine's own package for dynamic providers, or that of the plugin. */
export const packages = { dynamic: "pulumi-nodejs", plugin: "trivium" } as const;

export type Adapter = keyof typeof packages;
