import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { collectClasses } from "../../../sdk/resource/definition";
import type { Dialect, Values } from "../../cases/support/case";
import type { Adapter } from "../../engine/support/adapter";
import type { Configuration } from "../../engine/support/configuration";
import type { StateResource } from "../../engine/support/shared-stack";
import type { ResourceClass } from "../../engine/support/tested-resource";
import { repository } from "../../support/packed-library";

/** Where the recordings are: a folder for each version, a file for each adapter and dialect. */
export const recordings = join(repository, "tests", "fixtures", "state");

/** The project of every recording; it is part of the names of resources in state. */
export const project = "upgrade";

/**
 * State remembers the addresses, and the stack's configuration the tokens: they are the same for ever. The ports are
 * below those that an operating system hands out by itself.
 */
export const ports = { provisioning: 18_231, secrets: 18_232, scheduler: 18_233 } as const;

export const tokens = {
  provisioning: "canary-upgrade-provisioning-30af",
  secrets: "canary-upgrade-secrets-77d1",
  scheduler: "canary-upgrade-scheduler-c5e2",
} as const;

export function configurationIn(dialect: Dialect): Configuration {
  return Object.fromEntries(
    (["provisioning", "secrets", "scheduler"] as const).flatMap(
      (service): [string, Configuration[string]][] => [
        [`trivium:${service}Address`, `http://127.0.0.1:${ports[service]}`],
        [`trivium:${service}Token`, { secret: tokens[service] }],
        [`trivium:${service}Dialect`, dialect],
      ],
    ),
  );
}

/** The services that objects are made at by requests. The scheduler is only listened to. */
export type RecordedService = "provisioning" | "secrets";

export const recordedServices: readonly RecordedService[] = ["provisioning", "secrets"];

/** Something that was set up in the emulator. */
export interface SetUpCall {
  readonly on: "provisioning" | "secrets" | "scheduler" | "events";
  /** The name of the function. */
  readonly call: string;
  readonly arguments: readonly unknown[];
  /** What it returned, as JSON. */
  readonly result: unknown;
}

/** A request that succeeded, with its response. */
export interface Exchange {
  readonly service: RecordedService;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Those that carry the token and say what the body is. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly response: string;
}

/** A resource that the program declares. */
export interface Declaration {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  readonly name: string;
  readonly args: Values;
  /** The id of an object that the resource takes over; the plugin imports it. */
  readonly takesOver?: string;
}

/** A state, and how the services came to hold what it describes. */
export interface Recording {
  readonly adapter: Adapter;
  readonly dialect: Dialect;
  /** The time at which the emulator's clock stood still, ISO 8601. */
  readonly recordedAt: string;
  /** How many resources have drifted. */
  readonly drifted: number;
  /** How many objects of which kinds no service can take away with the stack. */
  readonly left: Readonly<Record<string, number>>;
  readonly program: readonly Declaration[];
  /** How many of the steps belong to the set-up. */
  readonly preparing: number;
  readonly steps: readonly (SetUpCall | Exchange)[];
  /** The stack's state as the backend had it, without its resources; secrets are encrypted. */
  readonly state: StateFile;
  /** Without what says where in a program they were declared. */
  readonly resources: readonly StateResource[];
}

export interface StateFile {
  readonly checkpoint: { readonly latest: { readonly resources?: readonly StateResource[] } };
}

/** @returns the text of a file with one line for each resource, declaration and step */
export function textOf(recording: Recording): string {
  const members = Object.entries(recording).map(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((item) => JSON.stringify(item)).join(",\n")}\n]`
      : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

export function stateFileOf({ state, resources }: Recording): string {
  const { checkpoint } = state;
  const latest = { ...checkpoint.latest, resources };
  return JSON.stringify({ ...state, checkpoint: { ...checkpoint, latest } });
}

/** Calls a function that sets something up in the emulator. */
export function setUp(
  emulator: Emulator,
  { on, call, arguments: given }: Omit<SetUpCall, "result">,
): Readonly<Record<string, unknown>> {
  const functions = emulator[on] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;
  const set = functions[call];
  if (set === undefined) {
    throw new Error(`The emulator has no function ${on}.${call} any more.`);
  }
  return (set.apply(functions, [...given]) ?? {}) as Readonly<Record<string, unknown>>;
}

/** All recordings, by the version that wrote the state. */
export function readRecordings(): readonly (readonly [version: string, recording: Recording])[] {
  const versions = existsSync(recordings) ? readdirSync(recordings) : [];
  return versions.flatMap((version) =>
    readdirSync(join(recordings, version)).map((file) => {
      const text = readFileSync(join(recordings, version, file), "utf8");
      return [version, JSON.parse(text) as Recording] as const;
    }),
  );
}

export const classes = collectClasses(library);

/** Declares with today's library what a program declared. */
export function declareAll(program: readonly Declaration[], adapter: Adapter): void {
  for (const { type, name, args, takesOver } of program) {
    const resourceClass = (classes.get(type) ?? assert.fail(type)) as unknown as ResourceClass;
    if (takesOver === undefined) {
      new resourceClass(name, args);
    } else if (adapter === "plugin") {
      new resourceClass(name, args, { import: takesOver });
    } else {
      new resourceClass(name, { ...args, adopt: true });
    }
  }
}
