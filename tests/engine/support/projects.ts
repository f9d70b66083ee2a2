import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator, EmulatorOptions, ProjectRecord, ServiceName } from "pulumi-trivium/testing";
import { type Configuration, configurationOf, connectionTo } from "./configuration";
import { OperationFailed, type Program } from "./shared-stack";

export const organization = "acme";

export const withOrganization: EmulatorOptions = { seed: { organizations: [{ name: organization }] } };

export function configurationFor(
  emulator: Emulator,
  ...services: readonly [ServiceName, ...ServiceName[]]
): Configuration {
  return configurationOf(
    Object.assign({}, ...services.map((each) => connectionTo(emulator, each))) as object,
  );
}

/** The same for a program that manages a product. */
export function productConfigurationFor(...connections: Parameters<typeof configurationFor>): Configuration {
  return { ...configurationFor(...connections), "trivium:dialect": "hashicorp" };
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

/** The output of an operation that must fail, with single spaces and no line breaks. */
export async function failureOf(operation: Promise<unknown>): Promise<string> {
  const error = await operation.then(
    () => "the operation went through",
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OperationFailed, String(error));
  return error.text.replace(/\s+/g, " ");
}
