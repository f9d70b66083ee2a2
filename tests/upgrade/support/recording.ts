import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-trivium/testing";
import type { Configuration } from "../../engine/support/surroundings";
import { repository } from "../../support/packed-library";

/** Where the recordings are, a folder for each version. */
export const recordings = join(repository, "tests", "fixtures", "state");

/** What a folder holds. */
export const fileNames = {
  /** The stack's state as the backend had it, byte for byte; secrets are encrypted. */
  state: "state.json",
  /** The program that the stack was made by. */
  program: "program.ts",
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

/** See {@link ports}. */
export const tokens = {
  provisioning: "canary-upgrade-provisioning-30af",
  secrets: "canary-upgrade-secrets-77d1",
  scheduler: "canary-upgrade-scheduler-c5e2",
} as const;

/** The configuration of the stack. */
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

/** See {@link RecordedService}. */
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

/** A request that succeeded, with its answer. */
export interface Exchange {
  readonly service: RecordedService;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Those that carry the token and say what the body is. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** What a program has to know of the set-up, such as ids of workspaces, by names of its own. */
export type World = Readonly<Record<string, string>>;

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
  /** What the program has to know of the set-up; nothing where it says so itself. */
  readonly world?: World;
}

/** What one version has left behind. */
export interface Recording extends ServicesRecording {
  readonly version: string;
  readonly state: string;
  /** The path of the program, which exports a function `declareAll`, to be given the world. */
  readonly program: string;
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
    program: join(recordings, version, fileNames.program),
  };
}
