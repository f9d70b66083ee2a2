import type { OrganizationRecord } from "./organization-record";
import type { Query } from "./query";
import { badRequest } from "./refusal";

/** The query parameters that narrow the list of organizations. */
export const organizationFilterParameters = [
  "q",
  "q[email]",
  "q[name]",
  "filter[module_producer]",
  "filter[provider_producer]",
] as const;

/**
 * The organizations that the query asks for.
 *
 * @throws Refusal 400 when a filter is neither true nor false
 */
export function matchingOrganizations(
  organizations: readonly OrganizationRecord[],
  query: Query,
): OrganizationRecord[] {
  const modules = readFlag(query, "filter[module_producer]");
  const providers = readFlag(query, "filter[provider_producer]");
  return organizations.filter(
    (organization) =>
      isFound(organization, query) &&
      (modules ?? sharesModules(organization)) === sharesModules(organization) &&
      (providers ?? sharesProviders(organization)) === sharesProviders(organization),
  );
}

function isFound({ name, notificationEmail }: OrganizationRecord, query: Query): boolean {
  const holds = (text: string, search = ""): boolean => text.toLowerCase().includes(search.toLowerCase());
  const anywhere = query.get("q");
  return anywhere === undefined
    ? holds(notificationEmail, query.get("q[email]")) && holds(name, query.get("q[name]"))
    : holds(name, anywhere) || holds(notificationEmail, anywhere);
}

function sharesModules({ globalModuleSharing, moduleConsumers }: OrganizationRecord): boolean {
  return globalModuleSharing || moduleConsumers.length > 0;
}

function sharesProviders({ globalProviderSharing, providerConsumers }: OrganizationRecord): boolean {
  return globalProviderSharing || providerConsumers.length > 0;
}

function readFlag(query: Query, name: (typeof organizationFilterParameters)[number]): boolean | undefined {
  const text = query.get(name);
  if (text === undefined || text === "true" || text === "false") {
    return text === undefined ? undefined : text === "true";
  }
  throw badRequest(`${name} must be true or false, not ${JSON.stringify(text)}.`, `?${name}`);
}
