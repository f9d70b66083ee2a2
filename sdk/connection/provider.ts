import * as pulumi from "@pulumi/pulumi";
import { configurationKey, movedFromKey, packages, type ServiceName, settingsOf } from "../base/settings";
import { adapter } from "./adapter";
import { ownAddressKey } from "./sources";
import { warnOfUnknownKeys } from "./unknown-keys";

/**
 * How to reach the provisioning service. What is not given comes from stack configuration, then from the environment:
 * `PROVISIONING_ADDR`, `PROVISIONING_TOKEN` and so on, in the hashicorp dialect last from `TFE_ADDRESS` or
 * `TFE_HOSTNAME`, and `TFE_TOKEN`.
 */
export interface ProvisioningConnectionArgs {
  /**
   * Origin of the service, with or without a path before the service's own: `https://example.com`. When it is given,
   * everything that decides whom this service trusts comes from the provider alone: token, headers, certificates,
   * `serverName`, `insecureSkipVerify` and `movedFrom`.
   */
  address?: pulumi.Input<string | null | undefined>;
  /** The token of the requests. Kept encrypted in state. */
  token?: pulumi.Input<string | null | undefined>;
  /** A file that holds the token, read at each use. */
  tokenFile?: pulumi.Input<string | null | undefined>;
  /** Certificates of authorities to trust instead of the system's: PEM, or the path of a file. */
  caCertificate?: pulumi.Input<string | null | undefined>;
  /** Certificate to show to the service, with `clientKey`: PEM, or the path of a file. */
  clientCertificate?: pulumi.Input<string | null | undefined>;
  /** Key of `clientCertificate`: PEM, or the path of a file. Kept encrypted in state. */
  clientKey?: pulumi.Input<string | null | undefined>;
  /** The name in the service's certificate where it is not the host of `address`. */
  serverName?: pulumi.Input<string | null | undefined>;
  /**
   * Accept any certificate.
   *
   * @default false
   */
  insecureSkipVerify?: pulumi.Input<boolean | null | undefined>;
  /**
   * Time limit of one request: a number of seconds, or a duration such as `"30s"`.
   *
   * @default "30s"
   */
  requestTimeout?: pulumi.Input<string | number | null | undefined>;
  /**
   * How often a failed request that may be repeated is repeated.
   *
   * @default 5
   */
  maxRetries?: pulumi.Input<number | null | undefined>;
  /**
   * How many requests may be under way at once.
   *
   * @default 32
   */
  maxConcurrency?: pulumi.Input<number | null | undefined>;
  /** Headers to send with every request. Kept encrypted in state. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>> | null | undefined>;
  /**
   * What the service speaks: `"documented"`, or `"hashicorp"` for the products with nearly the same wire (HCP
   * Terraform and Terraform Enterprise; Vault and OpenBao; Nomad), whose own environment variables then count too.
   *
   * @default "documented"
   */
  dialect?: pulumi.Input<"documented" | "hashicorp" | null | undefined>;
  /**
   * The former addresses of the service, or its former dialect: objects that were made there are then managed here.
   * When `address` is not given, it comes from stack configuration (`trivium:provisioningMovedFrom` and so on).
   */
  movedFrom?: pulumi.Input<pulumi.Input<string>[] | null | undefined>;
}

/**
 * How to reach the secrets service. What is not given comes from stack configuration, then from the environment:
 * `SECRETS_ADDR`, `SECRETS_TOKEN` and so on, in the hashicorp dialect last from `VAULT_ADDR`, `VAULT_TOKEN` and so on.
 */
export interface SecretsConnectionArgs extends ProvisioningConnectionArgs {
  /** The namespace of all requests. */
  namespace?: pulumi.Input<string | null | undefined>;
}

/**
 * How to reach the scheduler. What is not given comes from stack configuration, then from the environment:
 * `SCHEDULER_ADDR`, `SCHEDULER_TOKEN` and so on, in the hashicorp dialect last from `NOMAD_ADDR`, `NOMAD_TOKEN` and so
 * on.
 */
export interface SchedulerConnectionArgs extends ProvisioningConnectionArgs {
  /** The namespace of all requests. */
  namespace?: pulumi.Input<string | null | undefined>;
}

/** The arguments of a {@link Provider}. */
export interface ProviderArgs {
  /** How to reach the provisioning service. */
  provisioning?: ProvisioningConnectionArgs | undefined;
  /** How to reach the secrets service. */
  secrets?: SecretsConnectionArgs | undefined;
  /** How to reach the scheduler. */
  scheduler?: SchedulerConnectionArgs | undefined;
}

const services: readonly ServiceName[] = ["provisioning", "secrets", "scheduler"];
const providerBrand = Symbol.for("pulumi-trivium.Provider");

/**
 * Connections for the resources and functions that are given this provider, where one stack talks to several
 * services of a kind. It is inherited by the children of a component that has it in `providers`.
 *
 * Settings that it does not mention come from stack configuration, those that are not there from the environment.
 * Except where it gives the address of a service: then its token, headers, certificates, `serverName`,
 * `insecureSkipVerify` and `movedFrom` count alone, since those of the stack and the environment belong to another
 * address. Time limits, retries, concurrency, `namespace` and `dialect` are inherited all the same.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const europe = new trivium.Provider("europe", {
 *   provisioning: {
 *     address: "https://provisioning.eu.example.com",
 *     token: new pulumi.Config().requireSecret("europeToken"),
 *   },
 * });
 *
 * new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" }, { provider: europe });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Its settings by their full configuration keys.
   *
   * @internal
   */
  readonly settings: pulumi.Output<Readonly<Record<string, string>>>;

  /** Whether a value is such a provider, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Provider {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as Record<symbol, unknown>)[providerBrand] === true
    );
  }

  get [providerBrand](): true {
    return true;
  }

  /**
   * @param name the unique name of the provider in the program
   * @param args how to reach the services
   */
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    const settings: Settings = {};
    for (const service of services) {
      Object.assign(settings, settingsFor(service, { ...args[service] }));
    }
    const way = adapter();
    const former = packages[way === "dynamic" ? "plugin" : "dynamic"];
    super(
      packages[way],
      name,
      settings,
      pulumi.mergeOptions(options, { aliases: [{ type: `pulumi:providers:${former}` }] }),
    );
    warnOfUnknownKeys();
    this.settings = pulumi.output(settings);
  }
}

type Settings = Record<string, pulumi.Input<string>>;

function settingsFor(service: ServiceName, args: Readonly<Record<string, unknown>>): Settings {
  const isGiven = (argument: string): boolean => args[argument] !== undefined && args[argument] !== null;
  const ownAddress = isGiven("address");
  const ownToken = isGiven("token") || isGiven("tokenFile");
  const found: Settings = {};
  for (const [name, setting] of settingsOf(service)) {
    const key = configurationKey(service, name);
    // A token from the stack would win against the provider's own file, and a file is no use beside its token.
    const isForeign =
      (ownAddress && setting.trust === true) || (ownToken && (name === "token" || name === "tokenFile"));
    const inherited = isForeign ? undefined : pulumi.runtime.getConfig(key);
    const given = args[setting.argument] ?? undefined;
    const value = given === undefined ? inherited : pulumi.output(given).apply(textOf);
    if (value !== undefined) {
      found[key] = setting.secret === true || isSecretConfiguration(key) ? pulumi.secret(value) : value;
    }
  }
  if (ownAddress) {
    found[ownAddressKey(service)] = "true";
  }
  const { movedFrom } = args;
  const former = isGiven("movedFrom")
    ? pulumi.output(movedFrom as ProvisioningConnectionArgs["movedFrom"]).apply(listText)
    : ownAddress
      ? undefined
      : pulumi.runtime.getConfig(movedFromKey(service));
  return former === undefined ? found : { ...found, [movedFromKey(service)]: former };
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : textOf(value);
}

/** Settings travel as texts; an output may turn out to hold nothing. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

/** Whether the user has set a configuration value with `--secret`; the SDK tells its own code only. */
function isSecretConfiguration(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
