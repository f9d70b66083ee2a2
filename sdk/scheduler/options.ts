import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import {
  configurationKey,
  dialects,
  mustNotInherit,
  ownAddressKey,
  type Setting,
  type SettingKind,
  type SettingName,
  settingsOf,
} from "../base/settings";
import type { Validation } from "../resource/fields/field";
import { connect } from "../connection/connect";
import type { Provider, SchedulerConnectionArgs } from "../connection/provider";
import type { Sources } from "../connection/sources";
import { callerWith, knownSources, providerOf } from "../functions/calling";
import { positiveDuration } from "../resource/fields/kinds";
import type { SchedulerClient } from "./client";
import type { EventTopic } from "./event";
import type { Gap } from "./history";
import { schedulerService } from "./service";
import { topicsSchema } from "./subscription";

/** Plain values instead of inputs. */
type Known<Args> = { readonly [Name in keyof Args]?: Exclude<pulumi.Unwrap<Args[Name]>, null> };

/**
 * How to reach the scheduler (Nomad): the settings of a `trivium.Provider`. Settings that are not set here
 * come from `provider` or stack configuration, then from the environment (`SCHEDULER_ADDR`, `SCHEDULER_TOKEN`
 * and so on; in the hashicorp dialect, last from `NOMAD_ADDR`, `NOMAD_TOKEN` and so on).
 */
export interface ConnectionOptions extends Known<Omit<SchedulerConnectionArgs, "namespace" | "movedFrom">> {
  /**
   * The time limit for the start of the stream: a number of seconds, or a duration such as `"30s"`. If the
   * scheduler only responds once it has an event, the request is repeated each time this limit ends, any
   * number of times.
   *
   * @default "30s"
   */
  readonly requestTimeout?: string | number | undefined;
  /**
   * How many times a failed first connection is retried. An established connection is always resumed.
   *
   * @default 5
   */
  readonly maxRetries?: number | undefined;
  /**
   * The provider that supplies all settings that the arguments do not set, in a program with several schedulers.
   */
  readonly provider?: Provider;
}

/** How to log in to Nomad; see {@link SchedulerLogin} for the members. */
export type LoginOptions = NonNullable<ConnectionOptions["login"]>;

/** Which events to follow, from which index, and how to reach the scheduler. All options are optional. */
export interface StreamOptions extends ConnectionOptions {
  /**
   * The index to start from. If this index is no longer in the scheduler's buffer, the stream starts at the
   * next one that is. To continue an earlier stream, use the index of its last frame; that frame is then sent
   * again.
   *
   * @default 0, the oldest event in the buffer
   */
  readonly index?: number;
  /**
   * The namespace of the events, or `"*"` for all namespaces (in Nomad, all that exist when the stream
   * connects). Topics without namespaces, such as nodes, are always included.
   *
   * @default the `namespace` of the connection, else `default`
   */
  readonly namespace?: string;
  /**
   * The topics, such as `"Node"` or, for one key, `"Deployment:web"`. `"NodeDrain"` works in both dialects;
   * undocumented topics are passed through.
   *
   * @default all topics, which requires a management token
   */
  readonly topics?: readonly EventTopic[];
  /** Aborting this signal ends the stream at once. */
  readonly signal?: AbortSignal;
  /**
   * How long the stream can be silent, without even a heartbeat, before the library reconnects: a number of
   * seconds, or a duration. The scheduler is expected to send a heartbeat every 30 seconds.
   *
   * @default "75s"
   */
  readonly idleTimeout?: string | number;
  /**
   * The maximum size of a frame in bytes. A frame must fit into memory.
   *
   * @default 16 MiB
   */
  readonly maxFrameSize?: number;
  /**
   * Called when events might have been missed, right before the first frame after the gap. After an
   * interruption, the scheduler's buffer might only contain later events. A gap does not prove that events
   * are missing, because indexes also jump otherwise. If you cannot miss events, read the current state
   * again.
   */
  readonly onGap?: (gap: Gap) => void;
  /** Called when the connection has ended or failed, with the delay before the next attempt. */
  readonly onReconnect?: (reconnection: Reconnection) => void;
}

/** A connection that ended or failed and will be attempted again. */
export interface Reconnection {
  /** Why the connection ended, as text. */
  readonly reason: string;
  /** The delay before the next attempt. */
  readonly delayMilliseconds: number;
}

/** The namespace of a call belongs to its subscription, not to its connection. */
const connectionSettings = settingsOf("scheduler").filter(
  ([name]) => name !== "namespace" && name !== "movedFrom",
);

/** @internal */
export function streamSchema(z: Validation) {
  const text = z.string().min(1, "must not be empty");
  const count = (least: number) => z.int().min(least, `must be at least ${least}`);
  const strings = z.record(z.string(), z.string());
  const kindOf: Readonly<Record<SettingKind, (row: Setting) => Zod.ZodType>> = {
    text: () => text,
    boolean: () => z.boolean(),
    duration: () => z.union([z.string(), z.number()]),
    count: ({ least = 0 }) => count(least),
    headers: () => strings,
    login: () => strings,
    list: () => z.array(text),
    dialect: () => z.enum(dialects),
  };
  const connection = connectionSettings.map(([name, row]) => [name, kindOf[row.kind](row).optional()]);
  const callback = <Argument>() =>
    z.custom<(value: Argument) => void>((value) => typeof value === "function", "must be a function");
  return {
    ...(Object.fromEntries(connection) as object),
    provider: z.unknown().optional(),
    index: count(0).optional(),
    namespace: text.optional(),
    topics: topicsSchema(z).optional(),
    signal: z.instanceof(AbortSignal, { error: "must be an AbortSignal" }).optional(),
    idleTimeout: positiveDuration(z).optional(),
    maxFrameSize: count(1).optional(),
    onGap: callback<Gap>().optional(),
    onReconnect: callback<Reconnection>().optional(),
  };
}

/**
 * @throws ConfigurationError if a setting is missing or invalid
 * @internal
 */
export async function connectToScheduler(
  functionName: string,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<SchedulerClient> {
  const provider = providerOf(functionName, options);
  const known = await knownSources(functionName, provider, "Call it in `apply` of an output of one of them.");
  const caller = callerWith(signal);
  return connect(withArguments(known, options), schedulerService).announcedTo(caller).clientFor(caller);
}

/** @internal */
export function withArguments({ configuration, environment }: Sources, options: ConnectionOptions): Sources {
  const given: Readonly<Partial<Record<SettingName, unknown>>> = { ...options, namespace: undefined };
  const isGiven = (name: SettingName): boolean => given[name] !== undefined;
  const own = new Map<string, { readonly text?: string; readonly source?: string }>();
  for (const [name] of settingsOf("scheduler")) {
    const value = given[name];
    if (isGiven(name) || mustNotInherit(name, isGiven)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      own.set(configurationKey("scheduler", name), { text, source: `the argument ${name}` });
    }
  }
  if (isGiven("address")) {
    own.set(ownAddressKey("scheduler"), { text: "true" });
  }
  return {
    environment,
    configuration: {
      get: (key) => (own.has(key) ? own.get(key)?.text : configuration?.get(key)),
      describe: (key) => own.get(key)?.source ?? configuration?.describe?.(key),
    },
  };
}
