import type { ProvisioningDialect } from "./dialect";
import { badRequest } from "./refusal";

/** The query of a request: known parameters only, each at most once. */
export type Query = ReadonlyMap<string, string>;

/** @throws Refusal 400 for a parameter that is unknown, where that is not ignored, or repeated */
export function readQuery(
  parameters: URLSearchParams,
  known: readonly string[],
  { unknownMembers }: ProvisioningDialect,
): Query {
  const query = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (!known.includes(name) && unknownMembers === "ignored") {
      continue;
    }
    if (!known.includes(name)) {
      throw badRequest(`The query parameter ${JSON.stringify(name)} is unknown here.`, `?${name}`);
    }
    if (query.has(name)) {
      throw badRequest(`The query parameter ${JSON.stringify(name)} is given more than once.`, `?${name}`);
    }
    query.set(name, value);
  }
  return query;
}
