import assert from "node:assert/strict";
import { join } from "node:path";
import type { Dialect, Values } from "../../cases/support/case";
import type { Adapter } from "../../engine/support/adapter";
import { type Configuration, configurationOf } from "../../engine/support/configuration";
import type { StateResource } from "../../engine/support/shared-stack";
import { classes } from "../../engine/support/tested-resource";
import { repository } from "../../support/packed-library";
import { type Exchange as Seen, services } from "../../support/proxy";

/** Where the recordings are: a folder for each version, a file for each adapter and dialect. */
export const recordings = join(repository, "tests", "fixtures", "state");

/** The project of every recording; it is part of the names of resources in state. */
export const project = "upgrade";

/**
 * State remembers the addresses, and the stack's configuration the tokens: they are the same forever. The ports are
 * below those that an operating system hands out by itself.
 */
export const ports = { provisioning: 18_231, secrets: 18_232, scheduler: 18_233 } as const;

export const tokens = {
  provisioning: "canary-upgrade-provisioning-30af",
  secrets: "canary-upgrade-secrets-77d1",
  scheduler: "canary-upgrade-scheduler-c5e2",
} as const;

export function configurationIn(dialect: Dialect): Configuration {
  const settings = services.map((service) => {
    const address = `http://127.0.0.1:${ports[service]}`;
    return [service, { address, token: tokens[service], dialect }];
  });
  return configurationOf(Object.fromEntries(settings) as object);
}

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
export interface Exchange extends Pick<Seen, "method" | "target" | "body" | "status" | "response"> {
  /** Where objects are made by requests; the scheduler is only listened to. */
  readonly service: "provisioning" | "secrets";
  /** Those that carry the token and say what the body is. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A resource that the program declares. */
export interface Declaration {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  readonly name: string;
  readonly args: Values;
  /** The id of an object that the resource adopts; the plugin imports it. */
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

/** Shorter texts are words that services use, not names that they have invented. */
export const shortestName = 8;

/** Declares with today's library what a program declared. */
export function declareAll(program: readonly Declaration[], adapter: Adapter): void {
  for (const { type, name, args, takesOver } of program) {
    const resourceClass = classes.get(type) ?? assert.fail(type);
    const byImport = takesOver !== undefined && adapter === "plugin" ? { import: takesOver } : {};
    const byArgument = takesOver !== undefined && adapter === "dynamic" ? { adopt: true } : {};
    new resourceClass(name, { ...args, ...byArgument }, byImport);
  }
}

/** As the backend stores it. */
export function stateFile({ state, resources }: Pick<Recording, "state" | "resources">): string {
  const latest = { ...state.checkpoint.latest, resources };
  return JSON.stringify({ ...state, checkpoint: { ...state.checkpoint, latest } });
}
