import * as pulumi from "@pulumi/pulumi";
import { InputError, sentence } from "../base/errors";
import { joinedProblems, nearestName } from "../base/nearest";
import {
  configurationKey,
  type Dialect,
  mustNotInherit,
  ownAddressKey,
  packages,
  problemOfSetting,
  providerSettings,
  providerTypes,
  type ServiceName,
  serviceNames,
  type Setting,
  type SettingKind,
  type settings,
  settingsOf,
  sharedDialect,
} from "../base/settings";
import { withForms } from "./aliases";
import { adapter, isSecretConfiguration, warnOfConfiguration } from "./program";
import { settingText } from "./sources";

/**
 * How to log in to Vault or OpenBao. Any auth method that logs in with a single request works: `jwt`,
 * `kubernetes`, `approle`, `userpass`, `ldap`, `cert` and others.
 *
 * Set each parameter of the method as a member: `role` and `jwt`; `roleId` and `secretId`; `username` and
 * `password`; `name`, the role of `cert`. Instead of `x`, you can set `xFile`, a file that contains the
 * value, `xVariable`, an environment variable, or `xGithubAudience`, the audience of an identity token that
 * GitHub Actions issues for the job. These sources are read at each login.
 */
export interface SecretsLogin {
  /** Where the auth method is mounted, without `auth/`: `"jwt"`, `"teams/approle"`. */
  path: pulumi.Input<string>;
  /** The namespace of the auth method. Default: the namespace of all requests. */
  namespace?: pulumi.Input<string>;
  /** A parameter of the method, or the source to read it from. */
  [parameter: string]: pulumi.Input<string> | undefined;
}

/** How to log in to Nomad. Set the identity with `jwt` or one of the three alternatives to it. */
export interface SchedulerLogin {
  /** The name of the auth method. */
  method: pulumi.Input<string>;
  /** The identity: a token that the auth method accepts. */
  jwt?: pulumi.Input<string>;
  /** The path of a file that contains the identity. The file is read at each login. */
  jwtFile?: pulumi.Input<string>;
  /** The name of an environment variable that contains the identity. */
  jwtVariable?: pulumi.Input<string>;
  /** The audience of an identity token for the job, which GitHub Actions issues at each login. */
  jwtGithubAudience?: pulumi.Input<string>;
}

/** The type that a program passes for a setting of each kind. */
interface ValueOf<Service extends ServiceName> extends Readonly<Record<SettingKind, unknown>> {
  text: string;
  dialect: Dialect;
  boolean: boolean;
  count: number;
  duration: string | number;
  headers: Record<string, pulumi.Input<string>>;
  login: Service extends "secrets" ? SecretsLogin : SchedulerLogin;
  list: pulumi.Input<string>[];
}

type Rows = typeof settings;

type IsOf<Service extends ServiceName, Row extends Setting> = Row extends {
  readonly services: infer Services;
}
  ? Services extends readonly (infer Named)[]
    ? Service extends Named
      ? true
      : false
    : never
  : true;

/** The settings of a service, each with what its row says. */
export type ConnectionArgsOf<Service extends ServiceName> = {
  -readonly [Name in keyof Rows as IsOf<Service, Rows[Name]> extends true ? Name : never]?: pulumi.Input<
    ValueOf<Service>[Rows[Name]["kind"]] | null | undefined
  >;
};

/**
 * How to reach the provisioning service (HCP Terraform or Terraform Enterprise). Settings that are not set
 * here come from stack configuration, then from the environment: `PROVISIONING_ADDR`, `PROVISIONING_TOKEN`
 * and so on; in the hashicorp dialect, last from `TFE_ADDRESS` or `TFE_HOSTNAME`, and `TFE_TOKEN`.
 */
export interface ProvisioningConnectionArgs extends ConnectionArgsOf<"provisioning"> {}

/**
 * How to reach the secrets service (Vault or OpenBao). Settings that are not set here come from stack
 * configuration, then from the environment: `SECRETS_ADDR`, `SECRETS_TOKEN` and so on; in the hashicorp
 * dialect, last from `VAULT_ADDR`, `VAULT_TOKEN` and so on.
 */
export interface SecretsConnectionArgs extends ConnectionArgsOf<"secrets"> {}

/**
 * How to reach the scheduler (Nomad). Settings that are not set here come from stack configuration, then from
 * the environment: `SCHEDULER_ADDR`, `SCHEDULER_TOKEN` and so on; in the hashicorp dialect, last from
 * `NOMAD_ADDR`, `NOMAD_TOKEN` and so on.
 */
export interface SchedulerConnectionArgs extends ConnectionArgsOf<"scheduler"> {}

/** The arguments of a {@link Provider}. */
export interface ProviderArgs {
  /** How to reach the provisioning service (HCP Terraform or Terraform Enterprise). */
  provisioning?: ProvisioningConnectionArgs | undefined;
  /** How to reach the secrets service (Vault or OpenBao). */
  secrets?: SecretsConnectionArgs | undefined;
  /** How to reach the scheduler (Nomad). */
  scheduler?: SchedulerConnectionArgs | undefined;
  /**
   * The dialect of all three services: `"documented"`, or `"hashicorp"` for the products. A service's own
   * `dialect` takes precedence, wherever it is set. If `dialect` is not set here, it comes from stack
   * configuration (`trivium:dialect`), then from the environment (`TRIVIUM_DIALECT`).
   *
   * @default "documented"
   */
  dialect?: pulumi.Input<"documented" | "hashicorp" | null | undefined>;
}

const providerBrand = Symbol.for("pulumi-trivium.Provider");

/**
 * Connection settings for the resources and functions that use this provider. Create one if a stack uses
 * several services of the same kind. The children of a component inherit the provider from the component's
 * `providers`.
 *
 * Settings that the provider does not set come from stack configuration, then from the environment. If the
 * provider sets the address of a service, the token, headers, certificates, `serverName`,
 * `insecureSkipVerify` and `movedFrom` of that service come from the provider only, because those of the
 * stack and the environment belong to another address. Time limits, retries, concurrency, `namespace`,
 * `region` and `dialect` are inherited.
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
  /** @internal */
  readonly settings: pulumi.Output<Readonly<Record<string, string>>>;

  /**
   * Whether a value is a {@link Provider}: an instance, including one from another copy of the package, or a
   * provider as a policy pack sees it. With dynamic resources, its type is that of every dynamic provider.
   */
  static override isInstance(value: unknown): value is Provider {
    const { [providerBrand]: isOurs, __pulumiType: type } = Object(value) as Readonly<
      Record<string | symbol, unknown>
    >;
    return (
      isOurs === true ||
      (!pulumi.Resource.isInstance(value) && Object.values(providerTypes).some((each) => each === type))
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
    refuse(name, problemsIn(args));
    const stored = storeFor(name);
    const settings = stored(sharedDialect.key, args.dialect, false);
    for (const service of serviceNames) {
      Object.assign(settings, settingsFor(service, { ...args[service] }, stored));
    }
    const way = adapter();
    super(packages[way], name, settings, way === "plugin" ? withFormerTypes(name, options) : options);
    warnOfConfiguration();
    this.settings = pulumi.output(settings);
  }
}

/**
 * The provider of this library among those of a resource or a component. The engine identifies a provider by
 * its package, not by its key in `providers`: programs also write `{ trivium: provider }` with dynamic
 * resources.
 */
export function inheritedProvider(resource: pulumi.Resource): pulumi.ProviderResource | undefined {
  const [own, called] = [packages[adapter()], packages.plugin].map((name) =>
    resource.getProvider(`${name}:dynamic:Resource`),
  );
  return own ?? (Provider.isInstance(called) ? called : undefined);
}

/**
 * The plugin manages resources that dynamic resources wrote to state. The reverse is not possible: dynamic
 * resources cannot delete what the plugin wrote, so the plugin's entry stays until then.
 */
function withFormerTypes(name: string, options: pulumi.ResourceOptions = {}): pulumi.ResourceOptions {
  const { dynamic: former, plugin: type } = providerTypes;
  const form = (urn: string): string => urn.replace(`${type}::`, `${former}::`);
  const given = withForms(options.aliases ?? [], { name, type, parent: options.parent }, [form]);
  return { ...options, aliases: [{ type: former }, ...given] };
}

type Settings = Record<string, pulumi.Input<string>>;

const settingByArgument = new Map(providerSettings.map((setting) => [setting.argument, setting]));
const settingByKey = new Map(providerSettings.map((setting) => [setting.key, setting]));

function refuse(provider: string, problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new InputError(
      sentence(`trivium.Provider ${JSON.stringify(provider)}: ${joinedProblems(problems)}`),
    );
  }
}

/**
 * The problems of arguments that the compiler did not check: from JSON, a spread or JavaScript. Outputs are
 * checked later.
 */
function problemsIn(args: object): string[] {
  const isService = (name: string): boolean => serviceNames.some((service) => service === name);
  return Object.entries(args).flatMap(([name, value]: [string, unknown]) => {
    if (!isService(name) || value === undefined || value === null) {
      return problemsOf(name, value);
    }
    return typeof value === "object" && !Array.isArray(value) && !pulumi.Output.isInstance(value)
      ? Object.entries(value).flatMap(([setting, given]) => problemsOf(`${name}.${setting}`, given))
      : [`${name} must be an object of settings`];
  });
}

function problemsOf(argument: string, value: unknown): string[] {
  const setting = settingByArgument.get(argument);
  if (value === undefined || serviceNames.some((service) => service === argument)) {
    return [];
  }
  if (setting === undefined) {
    const near = nearestName(argument, [...serviceNames, ...settingByArgument.keys()]);
    return [`${argument} is not a valid argument${near === undefined ? "" : `; did you mean ${near}?`}`];
  }
  const isLate = pulumi.Output.isInstance(value) || value instanceof Promise;
  const problem = isLate ? undefined : problemOfSetting(setting, value);
  return problem === undefined ? [] : [`${argument} ${problem}`];
}

type Store = (key: string, given: unknown, isForeign: boolean, secret?: boolean) => Settings;

function settingsFor(service: ServiceName, args: Readonly<Record<string, unknown>>, stored: Store): Settings {
  const isGiven = (argument: string): boolean => args[argument] !== undefined && args[argument] !== null;
  const found = settingsOf(service).map(([name, { secret }]) =>
    stored(configurationKey(service, name), args[name], mustNotInherit(name, isGiven), secret),
  );
  const own: Settings = isGiven("address") ? { [ownAddressKey(service)]: "true" } : {};
  return Object.assign(own, ...found) as Settings;
}

/** Stores the program's value, or else the stack's; a setting of another address does not inherit it. */
function storeFor(provider: string): Store {
  return (key, given, isForeign, secret = false) => {
    const value = given ?? (isForeign ? undefined : pulumi.runtime.getConfig(key));
    if (value === undefined) {
      return {};
    }
    const text = pulumi.output(value).apply((known) => {
      const setting = settingByKey.get(key);
      const problem = setting && problemOfSetting(setting, known);
      refuse(provider, problem === undefined ? [] : [`${setting?.argument} ${problem}`]);
      return settingText(known);
    });
    return { [key]: secret || isSecretConfiguration(key) ? pulumi.secret(text) : text };
  };
}
