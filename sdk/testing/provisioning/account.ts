import {
  gets,
  pageOf,
  pageParameters,
  pathPrefix,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
} from "./endpoint";
import { notFound } from "./json-api";
import { matchingOrganizations } from "./organizations";
import type { OrganizationRecord, Records } from "./records";

const organizationPath = "/organizations/:organization_name";

/**
 * What a product returns about itself, about who calls, and about the organizations that the caller may see. The
 * documented service has no such endpoints.
 */
export function accountEndpoints(records: Records): ProvisioningEndpoint[] {
  return [
    { method: "GET", path: "/ping", open: true, handle: () => undefined },
    gets("/account/details", (request) => ({ data: accountOf(request) })),
    gets(
      "/organizations",
      (request) => {
        const visible = records.organizations.all().filter(({ name }) => isVisible(records, name, request));
        const matching = matchingOrganizations(visible, request.query);
        return pageOf(matching, request, (organization) => toOrganization(organization, request));
      },
      [...pageParameters, "q", "q[email]", "q[name]"],
    ),
    gets(organizationPath, (request) => ({
      data: toOrganization(findOrganization(records, request), request),
    })),
    gets(`${organizationPath}/entitlement-set`, (request) => ({
      data: entitlementsOf(findOrganization(records, request)),
    })),
  ];
}

/** The user who calls; behind the token of an organization or a team there is one that nobody is. */
function accountOf({ caller, permissions }: ProvisioningRequest): unknown {
  const { siteAdministrator, serviceAccount } = permissions;
  return {
    id: caller.userId,
    type: "users",
    attributes: {
      username: caller.name,
      email: serviceAccount ? null : `${caller.name}@example.com`,
      "unconfirmed-email": null,
      "avatar-url": null,
      "is-service-account": serviceAccount,
      "is-site-admin": siteAdministrator,
      "is-admin": siteAdministrator,
      "is-sso-login": false,
      "two-factor": { enabled: false, verified: false },
      permissions: { "can-create-organizations": siteAdministrator, "can-change-email": !serviceAccount },
    },
    links: { self: `${pathPrefix}/users/${caller.userId}` },
  };
}

function isVisible(records: Records, name: string, { permissions }: ProvisioningRequest): boolean {
  return records.isAccessible(name) && permissions.in(name).read;
}

function findOrganization(records: Records, request: ProvisioningRequest): OrganizationRecord {
  const name = request.parameter("organization_name");
  if (!isVisible(records, name, request)) {
    throw notFound();
  }
  return records.organizations.known(name);
}

function toOrganization(
  { name, externalId, notificationEmail, defaultProjectId }: OrganizationRecord,
  { permissions }: ProvisioningRequest,
): unknown {
  const { createProjects, createWorkspaces } = permissions.in(name);
  const self = `${pathPrefix}/organizations/${encodeURIComponent(name)}`;
  return {
    id: name,
    type: "organizations",
    attributes: {
      name,
      "external-id": externalId,
      email: notificationEmail,
      permissions: { "can-create-project": createProjects, "can-create-workspace": createWorkspaces },
    },
    relationships: {
      "default-project": { data: { id: defaultProjectId, type: "projects" } },
      "entitlement-set": {
        data: { id: externalId, type: "entitlement-sets" },
        links: { related: `${self}/entitlement-set` },
      },
    },
    links: { self },
  };
}

function entitlementsOf({ name, externalId, ssoEnabled }: OrganizationRecord): unknown {
  return {
    id: externalId,
    type: "entitlement-sets",
    attributes: {
      operations: true,
      "private-module-registry": true,
      "state-storage": true,
      teams: true,
      "vcs-integrations": true,
      sentinel: true,
      "cost-estimation": true,
      agents: true,
      sso: ssoEnabled,
      "user-limit": null,
    },
    links: { self: `${pathPrefix}/organizations/${encodeURIComponent(name)}/entitlement-set` },
  };
}
