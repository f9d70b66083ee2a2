import type { ProvisioningDialect } from "./dialect";
import { pathPrefix } from "./endpoint";
import type { OrganizationRecord } from "./organization-record";
import type { UserRecord } from "./records";

/** The resource as site administrators see it. */
export function toOrganizationResource(
  organization: OrganizationRecord,
  { organizationAttributes }: ProvisioningDialect,
): OrganizationResource {
  const { name, ownerIds, subscriptionId, featureSetId } = organization;
  const { applyTimeout, planTimeout, sudoEnabled } = organizationAttributes;
  const self = organizationPath(name);
  return {
    id: name,
    type: "organizations",
    attributes: {
      "access-beta-tools": organization.accessBetaTools,
      "external-id": organization.externalId,
      "is-disabled": organization.isDisabled,
      name,
      ...underEachName(applyTimeout, organization.iacBuildWorkerApplyTimeout),
      ...underEachName(planTimeout, organization.iacBuildWorkerPlanTimeout),
      ...underEachName(sudoEnabled, organization.iacWorkerSudoEnabled),
      "notification-email": organization.notificationEmail,
      "global-module-sharing": organization.globalModuleSharing,
      "global-provider-sharing": organization.globalProviderSharing,
      "sso-enabled": organization.ssoEnabled,
      "workspace-limit": organization.workspaceLimit,
    },
    relationships: {
      owners: { data: ownerIds.map((id) => ({ id, type: "users" })) },
      subscription: { data: subscriptionId === null ? null : { id: subscriptionId, type: "subscriptions" } },
      "feature-set": { data: featureSetId === null ? null : { id: featureSetId, type: "feature-sets" } },
      "module-consumers": { links: { related: `${self}/relationships/module-consumers` } },
    },
    links: { self },
  };
}

/** As an item of the list of provider consumers, the only place that shows where its own consumers are. */
export function toProviderConsumerResource(
  organization: OrganizationRecord,
  dialect: ProvisioningDialect,
): OrganizationResource {
  const resource = toOrganizationResource(organization, dialect);
  const related = `${organizationPath(organization.name)}/relationships/provider-consumers`;
  return {
    ...resource,
    relationships: { ...resource.relationships, "provider-consumers": { links: { related } } },
  };
}

/** A user beside the organizations that refer to it. */
export function toUserResource({ id, username }: UserRecord): unknown {
  return { id, type: "users", attributes: { username } };
}

interface OrganizationResource {
  readonly id: string;
  readonly type: "organizations";
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
  readonly links: { readonly self: string };
}

function underEachName(names: readonly string[], value: string | boolean | null): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function organizationPath(name: string): string {
  return `${pathPrefix}/admin/organizations/${encodeURIComponent(name)}`;
}
