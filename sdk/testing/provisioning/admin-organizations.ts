import type { Area } from "../area";
import type { ProvisioningDialect } from "./dialect";
import type { ProvisioningEndpoint, ProvisioningRequest } from "./endpoint";
import { documentAnswer, noContent } from "./json-api";
import { matchingOrganizations, organizationFilterParameters } from "./organization-filter";
import { readConsumers, readOrganizationChange } from "./organization-form";
import type { OrganizationRecord } from "./organization-record";
import { toOrganizationResource, toProviderConsumerResource, toUserResource } from "./organization-resource";
import { pageParameters, paginate } from "./pagination";
import type { Records } from "./records";
import { badRequest, notFound } from "./refusal";

const path = "/admin/organizations/:organization_name";

/**
 * The organizations as site administrators see them. They are set up, and inspected, with the area of the
 * organizations.
 */
export function createAdminOrganizationsArea(
  records: Records,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, object, object> {
  const toResource = (organization: OrganizationRecord): unknown =>
    toOrganizationResource(organization, dialect);
  const toConsumer = (organization: OrganizationRecord): unknown =>
    toProviderConsumerResource(organization, dialect);
  return {
    endpoints: [
      {
        method: "GET",
        path: "/admin/organizations",
        query: [...pageParameters, ...organizationFilterParameters, "include"],
        takesBody: false,
        handle(request) {
          requireSiteAdministrator(request);
          const all = [...records.organizations.values()];
          const page = paginate(matchingOrganizations(all, request.query), request.query, request.url);
          const disabled = all.filter(({ isDisabled }) => isDisabled).length;
          return documentAnswer(200, {
            data: page.items.map(toResource),
            ...included(records, page.items, request),
            links: page.links,
            meta: {
              "status-counts": { total: all.length, active: all.length - disabled, disabled },
              pagination: page.pagination,
            },
          });
        },
      },
      {
        method: "GET",
        path,
        query: ["include"],
        takesBody: false,
        handle(request) {
          const organization = findOrganization(records, request);
          return documentAnswer(200, {
            data: toResource(organization),
            ...included(records, [organization], request),
          });
        },
      },
      {
        method: "PATCH",
        path,
        takesBody: true,
        handle(request) {
          const organization = findOrganization(records, request);
          const change = readOrganizationChange(request.body, organization, dialect);
          const changed = records.changeOrganization(organization.name, change);
          return documentAnswer(200, { data: toResource(changed) });
        },
      },
      {
        method: "DELETE",
        path,
        takesBody: false,
        handle(request) {
          records.removeOrganization(findOrganization(records, request).name);
          return noContent;
        },
      },
      {
        method: "GET",
        path: `${path}/relationships/module-consumers`,
        query: pageParameters,
        takesBody: false,
        handle(request) {
          const { moduleConsumers } = findOrganization(records, request);
          return consumersAnswer(records, moduleConsumers, request, toResource);
        },
      },
      {
        method: "PATCH",
        path: `${path}/relationships/module-consumers`,
        takesBody: true,
        handle(request) {
          const { name } = findOrganization(records, request);
          const exists = (consumer: string): boolean => records.organizations.has(consumer);
          records.changeOrganization(name, { moduleConsumers: readConsumers(request.body, dialect, exists) });
          return noContent;
        },
      },
      {
        method: "GET",
        path: `${path}/relationships/provider-consumers`,
        query: pageParameters,
        takesBody: false,
        handle(request) {
          const { providerConsumers } = findOrganization(records, request);
          return consumersAnswer(records, providerConsumers, request, toConsumer);
        },
      },
    ],
    setup: {},
    inspect: () => ({}),
    clear: () => undefined,
  };
}

function requireSiteAdministrator({ permissions }: ProvisioningRequest): void {
  if (!permissions.siteAdministrator) {
    throw notFound();
  }
}

function findOrganization(records: Records, request: ProvisioningRequest): OrganizationRecord {
  requireSiteAdministrator(request);
  const organization = records.organizations.get(request.parameter("organization_name"));
  if (organization === undefined) {
    throw notFound();
  }
  return organization;
}

/** The owners of these organizations when the query asks for them, each once. */
function included(
  records: Records,
  organizations: readonly OrganizationRecord[],
  { query }: ProvisioningRequest,
): { readonly included?: readonly unknown[] } {
  const include = query.get("include");
  if (include === undefined) {
    return {};
  }
  if (include !== "owners") {
    throw badRequest(`include must be owners, not ${JSON.stringify(include)}.`, "?include");
  }
  const ids = new Set(organizations.flatMap(({ ownerIds }) => ownerIds));
  return { included: [...records.users.values()].filter(({ id }) => ids.has(id)).map(toUserResource) };
}

function consumersAnswer(
  records: Records,
  names: readonly string[],
  { query, url }: ProvisioningRequest,
  toResource: (organization: OrganizationRecord) => unknown,
) {
  const { items, links, pagination } = paginate(names, query, url);
  const data = items.map((name) => toResource(records.organization(name)));
  return documentAnswer(200, { data, links, meta: { pagination } });
}
