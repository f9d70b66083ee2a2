import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator, EmulatorOptions, ProjectRecord, ServiceName } from "pulumi-trivium/testing";
import { OperationFailed, type Outcome, type Program } from "./shared-stack";
import { type Configuration, configurationOf, connectionTo } from "./configuration";

export const projectType = "pulumi-nodejs:dynamic/trivium/provisioning:Project";

export const organization = "acme";

export const withOrganization: EmulatorOptions = { seed: { organizations: [{ name: organization }] } };

/** Default: the provisioning service. */
export function configurationFor(emulator: Emulator, ...services: readonly ServiceName[]): Configuration {
  const named = services.length === 0 ? (["provisioning"] as const) : services;
  return Object.assign(
    {},
    ...named.map((service) => configurationOf(connectionTo(emulator, service))),
  ) as Configuration;
}

/** Without the default project. */
export function projectsIn(emulator: Emulator): ProjectRecord[] {
  return emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault);
}

export function programOf(
  names: readonly string[],
  args: Partial<trivium.provisioning.ProjectArgs> = {},
): Program {
  return () => {
    names.forEach((name) => new trivium.provisioning.Project(name, { organization, name, ...args }));
  };
}

export function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `project-${index + 1}`);
}

/** The output of an operation that must fail, with single spaces and no line breaks. */
export async function failureOf(operation: Promise<Outcome>): Promise<string> {
  try {
    await operation;
  } catch (error) {
    assert.ok(error instanceof OperationFailed, String(error));
    return error.text.replace(/\s+/g, " ");
  }
  return assert.fail("the operation went through");
}
