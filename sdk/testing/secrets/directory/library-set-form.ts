import type { Fields } from "../fields";
import { badRequest } from "../refusal";
import type { DirectoryDialect } from "./dialect";
import type { LibrarySetRecord } from "./library-record";

/** What the body of a write may hold. */
export const librarySetFields = [
  "name",
  "service_account_names",
  "ttl",
  "max_ttl",
  "disable_check_in_enforcement",
];

/** Seconds. */
const defaultTtl = 86_400;

/**
 * The set after a write; what was not sent stays as it is.
 *
 * @param present `undefined` for a new set
 * @throws Refusal 400 when a rule is broken
 */
export function readLibrarySet(
  name: string,
  fields: Fields,
  present: LibrarySetRecord | undefined,
  dialect: Pick<DirectoryDialect, "foldsNames" | "maxTtlHoldsTtl">,
): LibrarySetRecord {
  requireSameName(name, fields, dialect);
  const names = fields.list("service_account_names");
  const set: LibrarySetRecord = {
    name,
    serviceAccountNames: names === undefined ? (present?.serviceAccountNames ?? []) : distinct(names),
    ttl: fields.duration("ttl") ?? present?.ttl ?? defaultTtl,
    maxTtl: fields.duration("max_ttl") ?? present?.maxTtl ?? defaultTtl,
    disableCheckInEnforcement:
      fields.boolean("disable_check_in_enforcement") ?? present?.disableCheckInEnforcement ?? false,
  };
  if (set.serviceAccountNames.length === 0) {
    throw badRequest("'service_account_names' must be provided");
  }
  if (dialect.maxTtlHoldsTtl && set.maxTtl > 0 && set.maxTtl < set.ttl) {
    throw badRequest(`max_ttl (${set.maxTtl} seconds) may not be less than ttl (${set.ttl} seconds)`);
  }
  return set;
}

/**
 * The name in a body says again what the path says.
 *
 * @throws Refusal 400 when it is another one
 */
export function requireSameName(
  name: string,
  fields: Fields,
  { foldsNames }: Pick<DirectoryDialect, "foldsNames">,
): void {
  const given = fields.text("name");
  if (given !== undefined && (foldsNames ? given.toLowerCase() : given) !== name) {
    throw badRequest(`name is ${JSON.stringify(given)} in the body, but ${JSON.stringify(name)} in the path`);
  }
}

function distinct(names: readonly string[]): string[] {
  return names.filter(
    (name, index) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === index,
  );
}
