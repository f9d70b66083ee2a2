import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import {
  type Emulator,
  type EmulatorOptions,
  type ProjectRecord,
  type ServiceName,
  startEmulator,
} from "pulumi-trivium/testing";
import { OperationFailed, type Outcome, type Program } from "./stack";
import { type Configuration, configurationOf, connectionTo } from "./surroundings";

/** The type of projects in state. */
export const projectType = "pulumi-nodejs:dynamic/trivium/provisioning:Project";

/** The organization of every project that these tests make. */
export const organization = "acme";

/** The one organization, as an option of the emulator. */
export const withOrganization: EmulatorOptions = { seed: { organizations: [{ name: organization }] } };

/** An emulator with the one organization, for tests that need several. */
export function emulatorWithOrganization(options?: EmulatorOptions): Promise<Emulator> {
  return startEmulator({ ...options, ...withOrganization });
}

/** Stack configuration for services of an emulator. Default: the provisioning service. */
export function configurationFor(emulator: Emulator, ...services: readonly ServiceName[]): Configuration {
  const named = services.length === 0 ? (["provisioning"] as const) : services;
  return Object.assign(
    {},
    ...named.map((service) => configurationOf(connectionTo(emulator, service))),
  ) as Configuration;
}

/** The projects that exist, without the one that the organization came with. */
export function projectsIn(emulator: Emulator): ProjectRecord[] {
  return emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault);
}

/** A program with one project for each name, which is also its name in the program. */
export function programOf(
  names: readonly string[],
  args: Partial<trivium.provisioning.ProjectArgs> = {},
): Program {
  return () => {
    names.forEach((name) => new trivium.provisioning.Project(name, { organization, name, ...args }));
  };
}

/** `project-1`, `project-2` ... */
export function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `project-${index + 1}`);
}

/** What the CLI printed in an operation that has to fail, its lines unwrapped and without doubled spaces. */
export async function failureOf(operation: Promise<Outcome>): Promise<string> {
  try {
    await operation;
  } catch (error) {
    assert.ok(error instanceof OperationFailed, String(error));
    return error.text.replace(/\s+/g, " ");
  }
  return assert.fail("the operation went through");
}
