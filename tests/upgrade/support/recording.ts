import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import * as library from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { collectClasses } from "../../../sdk/resource/definition";
import type { Values } from "../../cases/support/case";
import type { ResourceClass } from "../../engine/support/subject";
import type { Configuration } from "../../engine/support/configuration";
import { repository } from "../../support/packed-library";

/** Where the recordings are, a folder for each version. */
export const recordings = join(repository, "tests", "fixtures", "state");

/** What a folder holds. */
export const fileNames = {
  /** The stack's state as the backend had it, byte for byte; secrets are encrypted. */
  state: "state.json",
  /** What the program declared. */
  program: "program.json",
  /** How the services came to hold what the state describes. */
  services: "services.json",
} as const;

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

export const configuration: Configuration = Object.fromEntries(
  (["provisioning", "secrets", "scheduler"] as const).flatMap(
    (service): [string, Configuration[string]][] => [
      [`trivium:${service}Address`, `http://127.0.0.1:${ports[service]}`],
      [`trivium:${service}Token`, { secret: tokens[service] }],
    ],
  ),
);

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
  /** The value `${name.output}` is an output of a resource that stands before it. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Names of resources that stand before it. */
  readonly dependsOn?: readonly string[];
}

/** How the services came to hold what a state describes. */
export interface ServicesRecording {
  /** The time at which the emulator's clock stood still, ISO 8601. */
  readonly recordedAt: string;
  readonly setUp: readonly SetUpCall[];
  readonly exchanges: readonly Exchange[];
  /** How many of the exchanges belong to the set-up. Default: none. */
  readonly preparing?: number;
  /** How many objects of which kinds no service can take away with the stack; not in the oldest recordings. */
  readonly left?: Readonly<Record<string, number>>;
}

/** What one version has left behind. */
export interface Recording extends ServicesRecording {
  readonly version: string;
  readonly state: string;
  readonly program: readonly Declaration[];
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

/** The versions with a recording. */
export function recordedVersions(): readonly string[] {
  return readdirSync(recordings).filter((name) => existsSync(join(recordings, name, fileNames.services)));
}

export function readRecording(version: string): Recording {
  const read = (name: string): string => readFileSync(join(recordings, version, name), "utf8");
  return {
    version,
    ...(JSON.parse(read(fileNames.services)) as ServicesRecording),
    state: read(fileNames.state),
    program: JSON.parse(read(fileNames.program)) as readonly Declaration[],
  };
}

const classes = collectClasses(library);

/** Declares with today's library what a program declared. */
export function declareAll(program: readonly Declaration[]): void {
  const declared = new Map<string, pulumi.Resource>();
  const found = (name: string): pulumi.Resource => declared.get(name) ?? assert.fail(name);
  const valueOf = (value: unknown): unknown => {
    const [, name, output = ""] = /^\$\{([\w-]+)\.(\w+)\}$/.exec(String(value)) ?? [];
    return name === undefined ? value : Reflect.get(found(name), output);
  };
  for (const { type, name, args, dependsOn = [] } of program) {
    const resourceClass = (classes.get(type) ?? assert.fail(type)) as unknown as ResourceClass;
    const given = Object.entries(args).map(([argument, value]) => [argument, valueOf(value)]);
    const options = { dependsOn: dependsOn.map(found) };
    declared.set(name, new resourceClass(name, Object.fromEntries(given) as Values, options));
  }
}
