import { newIdentifier } from "../identifiers";

/** What site administrators see of an organization, beyond its name. */
export interface OrganizationAttributes {
  /** Default a new one, such as `org-` and 16 letters and digits. */
  readonly externalId: string;
  /** Default `admin@example.com`. */
  readonly notificationEmail: string;
  /** Default false. */
  readonly accessBetaTools: boolean;
  /** Default false. All but the endpoints of site administrators answer 404 in a disabled organization. */
  readonly isDisabled: boolean;
  /** A number with a unit, such as `1.5h`. Default null. */
  readonly iacBuildWorkerApplyTimeout: string | null;
  /** A number with a unit, such as `90m`. Default null. */
  readonly iacBuildWorkerPlanTimeout: string | null;
  /** Default false. */
  readonly iacWorkerSudoEnabled: boolean;
  /** Default false. True leaves no module consumers. */
  readonly globalModuleSharing: boolean;
  /** Default false. True leaves no provider consumers. */
  readonly globalProviderSharing: boolean;
  /** Default false. */
  readonly ssoEnabled: boolean;
  /** Default null. */
  readonly workspaceLimit: number | null;
  /** Ids of users; they become users of the organization. Default none. */
  readonly ownerIds: readonly string[];
  /** Default null. */
  readonly subscriptionId: string | null;
  /** Default null. */
  readonly featureSetId: string | null;
  /** Names of organizations. Default none. Setting them turns global module sharing off. */
  readonly moduleConsumers: readonly string[];
  /** Names of organizations. Default none. Setting them turns global provider sharing off. */
  readonly providerConsumers: readonly string[];
}

/** An organization; the documents have no endpoint that makes one. */
export interface OrganizationRecord extends OrganizationAttributes {
  readonly name: string;
  /** The project that every organization has from the start. */
  readonly defaultProjectId: string;
}

export function newOrganization(name: string, defaultProjectId: string): OrganizationRecord {
  return {
    name,
    defaultProjectId,
    externalId: newIdentifier("org-"),
    notificationEmail: "admin@example.com",
    accessBetaTools: false,
    isDisabled: false,
    iacBuildWorkerApplyTimeout: null,
    iacBuildWorkerPlanTimeout: null,
    iacWorkerSudoEnabled: false,
    globalModuleSharing: false,
    globalProviderSharing: false,
    ssoEnabled: false,
    workspaceLimit: null,
    ownerIds: [],
    subscriptionId: null,
    featureSetId: null,
    moduleConsumers: [],
    providerConsumers: [],
  };
}

/** Sharing with all organizations and sharing with some exclude each other. */
export function changedOrganization(
  organization: OrganizationRecord,
  change: Partial<OrganizationAttributes>,
): OrganizationRecord {
  return {
    ...organization,
    ...(change.moduleConsumers === undefined ? {} : { globalModuleSharing: false }),
    ...(change.providerConsumers === undefined ? {} : { globalProviderSharing: false }),
    ...change,
    ...(change.globalModuleSharing === true ? { moduleConsumers: [] } : {}),
    ...(change.globalProviderSharing === true ? { providerConsumers: [] } : {}),
  };
}
