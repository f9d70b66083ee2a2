import { knownSources } from "../connection/program";
import { configurationKey, movedFromKey, type SettingName, settingsOf } from "../base/settings";
import { ownAddressKey, type Sources } from "../connection/sources";
import { announce } from "../functions/announce";
import { InputError } from "../base/errors";
import { connect } from "../connection/connect";
import { Provider } from "../connection/provider";
import type { SchedulerClient } from "./client";
import { schedulerService } from "./service";

/**
 * How to reach the scheduler. What is not given comes from `provider` or stack configuration, then from the
 * environment (`SCHEDULER_ADDR`, `SCHEDULER_TOKEN` and so on; in the hashicorp dialect last from `NOMAD_ADDR`,
 * `NOMAD_TOKEN` and so on).
 */
export interface ConnectionOptions {
  /**
   * Origin of the scheduler, with or without a path before `/v1`: `https://example.com`. When it is given, everything
   * that decides whom the scheduler trusts comes from the arguments alone: token, headers, certificates, `serverName`
   * and `insecureSkipVerify`.
   */
  readonly address?: string;
  /** The token of the requests. A call that gives `address` sends only its own, or none. */
  readonly token?: string;
  /** A file that holds the token, read at each connection. */
  readonly tokenFile?: string;
  /** Certificates of authorities to trust instead of the system's: PEM, or the path of a file. */
  readonly caCertificate?: string;
  /** Certificate to show to the scheduler, with `clientKey`: PEM, or the path of a file. */
  readonly clientCertificate?: string;
  /** Key of `clientCertificate`: PEM, or the path of a file. */
  readonly clientKey?: string;
  /** The name in the scheduler's certificate where it is not the host of `address`. */
  readonly serverName?: string;
  /**
   * Accept any certificate.
   *
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
  /**
   * Time limit for the beginning of the stream, in seconds or with a unit: `"30s"`. A scheduler that begins only with
   * its first event is asked anew after that time, as often as it takes.
   *
   * @default "30s"
   */
  readonly requestTimeout?: string | number;
  /**
   * How often the first connection is tried again when it fails. One that has been made once is resumed for ever.
   *
   * @default 5
   */
  readonly maxRetries?: number;
  /**
   * How many requests may be under way at once. A stream is one only until it begins.
   *
   * @default 32
   */
  readonly maxConcurrency?: number;
  /** Headers to send beside the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What the scheduler speaks: `"documented"`, or `"hashicorp"` for the product with nearly the same wire (Nomad).
   *
   * @default "documented"
   */
  readonly dialect?: "documented" | "hashicorp";
  /** Whose settings count where the arguments give none: in a program that has several schedulers. */
  readonly provider?: Provider;
}

/**
 * The scheduler's client, as the arguments of a call and the surroundings say.
 *
 * @throws ConfigurationError when something is missing or cannot work
 * @internal
 */
export async function connectToScheduler(
  functionName: string,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<SchedulerClient> {
  const { provider } = options;
  if (provider !== undefined && !Provider.isInstance(provider)) {
    throw new InputError(`${functionName}: provider must be a trivium.Provider.`);
  }
  const surroundings = await knownSources(
    functionName,
    provider,
    "Call it when they do: in `apply` of an output of one of them.",
  );
  const sources = withArguments(surroundings, options);
  const caller = { signal, progress: () => undefined, announce };
  return connect(sources, schedulerService).clientFor(caller);
}

/**
 * The arguments as one more source, before all others.
 *
 * @internal
 */
export function withArguments(surroundings: Sources, options: ConnectionOptions): Sources {
  const given = new Map<string, string>();
  const hidden = new Set<string>();
  const { address, token, tokenFile } = options;
  for (const [name, setting] of settingsOf("scheduler")) {
    // The namespace of a call is that of its subscription, and none of its connection.
    const value = name === "namespace" ? undefined : options[name];
    const key = configurationKey("scheduler", name);
    if (value !== undefined) {
      given.set(key, typeof value === "string" ? value : JSON.stringify(value));
    } else if (
      (address !== undefined && setting.trust === true) ||
      // A token of the surroundings would win against a file of the arguments, and the other way round.
      ((token !== undefined || tokenFile !== undefined) && isToken(name))
    ) {
      hidden.add(key);
    }
  }
  if (address !== undefined) {
    given.set(ownAddressKey("scheduler"), "true");
    hidden.add(movedFromKey("scheduler"));
  }
  const { configuration, environment } = surroundings;
  return {
    environment,
    configuration: {
      get: (key) => given.get(key) ?? (hidden.has(key) ? undefined : configuration?.get(key)),
      describe: (key) =>
        given.has(key) ? `the argument ${argumentOf(key)}` : configuration?.describe?.(key),
    },
  };
}

function isToken(name: SettingName): boolean {
  return name === "token" || name === "tokenFile";
}

function argumentOf(key: string): string {
  return (
    settingsOf("scheduler").find(([name]) => configurationKey("scheduler", name) === key)?.[1].argument ?? key
  );
}
