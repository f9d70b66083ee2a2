import type { Fields } from "../fields";
import { failure } from "../refusal";

/** What a request says about an alias. */
export interface EntityAliasForm {
  readonly name: string;
  readonly canonicalId: string;
  readonly mountAccessor: string;
  /** `undefined` when it was not sent. */
  readonly customMetadata: Record<string, string> | undefined;
}

export const entityAliasFields: readonly string[] = [
  "name",
  "canonical_id",
  "mount_accessor",
  "custom_metadata",
];

const mostKeys = 64;
const longestKey = 128;
const longestValue = 512;

/**
 * @param otherwise what is meant where something is not sent, or empty
 * @throws Refusal 400 when something is missing, 500 when there is too much metadata
 */
export function readEntityAlias(
  fields: Fields,
  otherwise: Partial<Pick<EntityAliasForm, "name" | "canonicalId" | "mountAccessor">> = {},
): EntityAliasForm {
  return {
    name: readText(fields, "name", otherwise.name),
    canonicalId: readText(fields, "canonical_id", otherwise.canonicalId),
    mountAccessor: readText(fields, "mount_accessor", otherwise.mountAccessor),
    customMetadata: readCustomMetadata(fields),
  };
}

function readText(fields: Fields, name: string, otherwise: string | undefined): string {
  const isSent = (fields.text(name) ?? "") !== "";
  return isSent || otherwise === undefined ? fields.requiredText(name) : otherwise;
}

function readCustomMetadata(fields: Fields): Record<string, string> | undefined {
  const metadata = fields.map("custom_metadata");
  const entries = Object.entries(metadata ?? {});
  if (entries.length > mostKeys) {
    throw failure(`payload must contain at most ${mostKeys} keys, provided ${entries.length}`);
  }
  for (const [key, value] of entries) {
    requirePart("key", key, longestKey);
    requirePart("value", value, longestValue);
  }
  return metadata;
}

/** Lengths are counted in bytes. */
function requirePart(part: string, text: string, longest: number): void {
  const length = Buffer.byteLength(text);
  if (length < 1 || length > longest) {
    throw failure(`length of ${part} is ${length} but must be 0 < len(${part}) <= ${longest}`);
  }
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(text)) {
    throw failure(`${part} ${JSON.stringify(text)} contains unprintable characters`);
  }
}
