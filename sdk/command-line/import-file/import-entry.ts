import type { AnyResourceDefinition } from "../../resource/definition";
import type { JsonObject } from "../../base/json";
import type { Adapter } from "../../base/settings";
import { managedAfter } from "../../resource/managed";
import { secretNames, withMetadata } from "../../resource/outputs";
import { pluginToken, providerStub, typeToken } from "../../resource/stub";
import { programArguments } from "./arguments";
import { shortName } from "./classes";
import type { FoundObject, LeftOut } from "./find";
import type { NamedUrn, Placement } from "./placement";
import { inCamelCase, lowerFirst, readableName, UniqueNames, upperFirst } from "./names";

/** A secret that the stack's configuration has to hold. */
export interface NeededSecret {
  readonly argument: string;
  /** Its key in the project's own namespace. */
  readonly key: string;
  /** The service does not say whether it has one. */
  readonly optional: boolean;
}

/** An object on its way into a program and its state. */
export interface ImportedObject {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  /** The name of the resource. */
  readonly name: string;
  /** The arguments of the program, without secrets. */
  readonly plain: JsonObject;
  readonly secrets: readonly NeededSecret[];
  /** Arguments that may be set in the service, which does not say so. */
  readonly untold: readonly string[];
  /** Its entry in the file for `pulumi import`. */
  readonly entry: ImportEntry;
}

/** One resource in the file for `pulumi import`; with `outputs` the CLI takes it as it stands and reads nothing. */
export interface ImportEntry {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}

/** Turns objects into resources, whose names are unique. */
export class ResourceNaming {
  private readonly names = new Map<string, UniqueNames>();
  private readonly keys = new UniqueNames("");

  /** @returns why it must be left out where the library would not accept it */
  resourceOf(found: FoundObject): ImportedObject | LeftOut {
    const { definition, id, dialect, values, at, memory } = found;
    const { plain, secrets, untold, problems } = programArguments(definition, dialect, values);
    if (problems.length > 0) {
      return { definition, id, reason: `its arguments are not valid: ${problems.join("; ")}.` };
    }
    const name = this.nameOf(definition, values);
    const needed = secrets.map(({ name: argument, optional }): NeededSecret => {
      const prefix = inCamelCase(name) || lowerFirst(shortName(definition));
      return { argument, key: this.keys.take(`${prefix}${upperFirst(argument)}`), optional };
    });
    const confidential = new Set(secretNames(definition));
    const outputs = Object.fromEntries(Object.entries(values).filter(([each]) => !confidential.has(each)));
    const managed = {
      ...managedAfter(definition, plain, outputs),
      ...Object.fromEntries(needed.map(({ argument, key }) => [argument, { imported: key }])),
    };
    const provider = { __provider: providerStub(definition.type) };
    const entry: ImportEntry = {
      type: typeToken(definition.type),
      name,
      id,
      inputs: { ...plain, ...provider },
      outputs: { ...withMetadata(definition, outputs, { managed, at, memory, entry: {} }), ...provider },
    };
    return { definition, id, name, plain, secrets: needed, untold, entry };
  }

  private nameOf(definition: AnyResourceDefinition, values: JsonObject): string {
    const { type } = definition;
    const names = this.names.get(type) ?? new UniqueNames("-");
    this.names.set(type, names);
    const telling = ["roleName", "name", "organization", "issuer", "mount"].map((each) => values[each]);
    const text = telling.find((value) => typeof value === "string" && value !== "");
    return names.take(readableName(typeof text === "string" ? text : "", lowerFirst(shortName(definition))));
  }
}

/**
 * The file for `pulumi import`.
 *
 * @param adapter what is to manage the objects. The plugin reads them itself, by their ids
 */
export function importFileText(
  objects: readonly ImportedObject[],
  placement: Placement,
  adapter: Adapter,
): string {
  const names = objects.map(({ name }) => name);
  const places = Object.entries(placement).map(([role, { name, urn }]: [string, NamedUrn]) => {
    // The CLI would take an imported resource of the same name for it.
    return { role, urn, name: names.includes(name) ? `${role}:${name}` : name };
  });
  const roles = Object.fromEntries(places.map(({ role, name }) => [role, name]));
  const file = {
    ...(places.length === 0
      ? {}
      : { nameTable: Object.fromEntries(places.map(({ name, urn }) => [name, urn])) }),
    resources: objects.map(({ definition, name, id, entry }) => ({
      ...(adapter === "dynamic" ? entry : { type: pluginToken(definition.type), name, id }),
      ...roles,
    })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Whether state is without something that only a refresh brings: secrets are not written into the file. */
export function needsRefresh({ definition, secrets }: ImportedObject, adapter: Adapter): boolean {
  const hasSecrets =
    secrets.length > 0 || Object.values(definition.outputs).some(({ secret }) => secret === true);
  return adapter === "dynamic" && hasSecrets;
}
