import { knownSources } from "../connection/program";
import { configurationKey, movedFromKey, type SettingName, settingsOf } from "../base/settings";
import { isForeign, ownAddressKey, type Sources } from "../connection/sources";
import { announce } from "../functions/announce";
import { InputError } from "../base/errors";
import { connect } from "../connection/connect";
import { Provider, type SchedulerLogin } from "../connection/provider";
import type { SchedulerClient } from "./client";
import { schedulerService } from "./service";

/**
 * How to reach the scheduler. A setting that is not given comes from `provider` or stack configuration, then
 * from the environment (`SCHEDULER_ADDR`, `SCHEDULER_TOKEN` and so on; in the hashicorp dialect, last from
 * `NOMAD_ADDR`, `NOMAD_TOKEN` and so on).
 */
export interface ConnectionOptions {
  /**
   * The origin of the scheduler, optionally with a path prefix before `/v1`: `https://example.com`. If it is
   * given, all trust settings come from the arguments alone: token, headers, certificates, `serverName` and
   * `insecureSkipVerify`.
   */
  readonly address?: string;
  /** The API token. A call that sets `address` only sends its own token, or none. */
  readonly token?: string;
  /** A file that contains the token. It is read at each connection. */
  readonly tokenFile?: string;
  /** A login instead of a token, in the hashicorp dialect, with Nomad 1.5 or newer. */
  readonly login?: LoginOptions;
  /** CA certificates to trust instead of the system's: PEM, or the path of a file. */
  readonly caCertificate?: string;
  /** The client certificate, with `clientKey`: PEM, or the path of a file. */
  readonly clientCertificate?: string;
  /** The key of `clientCertificate`: PEM, or the path of a file. */
  readonly clientKey?: string;
  /** The name in the certificate of the scheduler, if it differs from the host of `address`. */
  readonly serverName?: string;
  /**
   * Disables certificate verification.
   *
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
  /**
   * The time limit for the start of the stream: a number of seconds, or a duration such as `"30s"`. A
   * scheduler that only responds with its first event is asked again after that time, without a limit.
   *
   * @default "30s"
   */
  readonly requestTimeout?: string | number;
  /**
   * How often a failed first connection is retried. An established connection is always resumed.
   *
   * @default 5
   */
  readonly maxRetries?: number;
  /**
   * The maximum number of concurrent requests. A stream only counts until it starts.
   *
   * @default 32
   */
  readonly maxConcurrency?: number;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The dialect of the scheduler: `"documented"`, or `"hashicorp"` for Nomad.
   *
   * @default "documented"
   */
  readonly dialect?: "documented" | "hashicorp";
  /**
   * The provider whose settings apply where the arguments have none, for a program with several schedulers.
   */
  readonly provider?: Provider;
}

/** How to log in to Nomad; the members are those of a {@link SchedulerLogin}. */
export type LoginOptions = Readonly<
  Pick<Record<keyof SchedulerLogin, string>, "method"> & Partial<Record<keyof SchedulerLogin, string>>
>;

/**
 * @throws ConfigurationError if a setting is missing or invalid
 * @internal
 */
export async function connectToScheduler(
  functionName: string,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<SchedulerClient> {
  const { provider } = options;
  if (provider !== undefined && !Provider.isInstance(provider)) {
    throw new InputError(`${functionName}: \`provider\` must be a trivium.Provider.`);
  }
  const known = await knownSources(functionName, provider, "Call it in `apply` of an output of one of them.");
  const sources = withArguments(known, options);
  const caller = { signal, progress: () => undefined, announce };
  return connect(sources, schedulerService).clientFor(caller);
}

/** @internal */
export function withArguments(known: Sources, options: ConnectionOptions): Sources {
  const given = new Map<string, string>();
  const hidden = new Set<string>();
  // The namespace of a call belongs to its subscription, not to its connection.
  const valueOf = (name: SettingName) => (name === "namespace" ? undefined : options[name]);
  const isGiven = (name: SettingName): boolean => valueOf(name) !== undefined;
  for (const [name] of settingsOf("scheduler")) {
    const value = valueOf(name);
    const key = configurationKey("scheduler", name);
    if (value !== undefined) {
      given.set(key, typeof value === "string" ? value : JSON.stringify(value));
    } else if (isForeign(name, isGiven)) {
      hidden.add(key);
    }
  }
  if (isGiven("address")) {
    given.set(ownAddressKey("scheduler"), "true");
    hidden.add(movedFromKey("scheduler"));
  }
  const { configuration, environment } = known;
  return {
    environment,
    configuration: {
      get: (key) => given.get(key) ?? (hidden.has(key) ? undefined : configuration?.get(key)),
      describe: (key) =>
        given.has(key) ? `the argument ${argumentOf(key)}` : configuration?.describe?.(key),
    },
  };
}

function argumentOf(key: string): string {
  return settingsOf("scheduler").find(([name]) => configurationKey("scheduler", name) === key)?.[0] ?? key;
}
