import * as library from "../../index";
import type { AnyResourceDefinition, ImportSource } from "../../resource/definition";
import { collectDefinitions } from "../../resource/registry";

/** The options that name a place. */
export const sourceOptions = [
  "organization",
  "admin-organization",
  "workspace",
  "directory",
  "scheduler",
  "entity-aliases",
  "mfa",
] as const;

/** The name of an option that names a place. */
export type SourceOption = (typeof sourceOptions)[number];

/** A class, and how its objects are found. */
interface Source {
  readonly definition: AnyResourceDefinition;
  readonly importedBy: ImportSource<never>;
}

/** The classes whose objects an option finds. */
export function sourcesOf(option: SourceOption): readonly Source[] {
  return [...collectDefinitions(library).values()].flatMap((definition) => {
    const { importedBy } = definition;
    return importedBy?.option === option ? [{ definition, importedBy }] : [];
  });
}
