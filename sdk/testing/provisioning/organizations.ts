import type { Area } from "../area";
import { type Form, form, flag, name, names, object, oneOrMore, text, textOrNull } from "../forms";
import { newIdentifier } from "../tokens";
import { type Attribute, AttributeTable, settable, shown } from "./attributes";
import type { ProvisioningDialect } from "./dialect";
import {
  deletes,
  gets,
  pageOf,
  pageParameters,
  paginate,
  patches,
  pathPrefix,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
  type Query,
} from "./endpoint";
import { badRequest, invalid, notFound, readIdentifiers, readResource } from "./json-api";
import type {
  OrganizationAttributes,
  OrganizationRecord,
  ProjectRecord,
  Records,
  UserRecord,
  WorkspaceRecord,
} from "./records";

/** The records for which the documentation gives no endpoint. */
export interface OrganizationsInspection {
  readonly organizations: readonly OrganizationRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly users: readonly UserRecord[];
}

/** An organization to set up. */
export interface NewOrganization extends Partial<OrganizationAttributes> {
  readonly name: string;
  /** The id of its default project. Default: a new one, `prj-` and 16 letters and digits. */
  readonly defaultProjectId?: string;
}

/** A workspace to set up. */
export interface NewWorkspace {
  /** Default: a new one, `ws-` and 16 letters and digits. */
  readonly id?: string;
  /** Name of an existing organization. */
  readonly organization: string;
  /** Id or name of a project there. Default: the organization's default project. */
  readonly project?: string;
  /** Default: `workspace-1`, `workspace-2` ... */
  readonly name?: string;
}

/** A user to set up. */
export interface NewUser {
  /** Default: a new one, `user-` and 16 letters and digits. */
  readonly id?: string;
  /** Name of an existing organization, or several. Default: none. */
  readonly organization?: string | readonly string[];
  /** Default: `user-1`, `user-2` ... */
  readonly username?: string;
}

/**
 * Sets up what the documentation gives no endpoint for. Every method throws an Error for what does not exist.
 */
export interface OrganizationsSetup {
  /** An organization has a project named "Default Project" from the start. */
  addOrganization(organization: NewOrganization): OrganizationRecord;
  /** Changes what is given; the rules of the interface are not applied. */
  changeOrganization(name: string, change: Partial<OrganizationAttributes>): OrganizationRecord;
  /** Removes it with its projects and workspaces. */
  removeOrganization(name: string): void;
  addWorkspace(workspace: NewWorkspace): WorkspaceRecord;
  /** @param project id or name of a project of the same organization */
  moveWorkspace(id: string, project: string): WorkspaceRecord;
  removeWorkspace(id: string): void;
  addUser(user?: NewUser): UserRecord;
  removeUser(id: string): void;
}

/** A limit, which is null until it is set. By the documents nothing sets it to null. */
function limit<Value>(is: Form<Value | null>): Attribute<Value | null> {
  const any = settable(is, null);
  return {
    ...any,
    read(value, refuse, { nullLimits }) {
      if (value === null && nullLimits === "refused") {
        throw refuse("can't be null");
      }
      return any.read(value, refuse);
    },
  };
}

/** The documentation does not list the units. */
const timeout = limit<string>(
  form<string | null>(
    "a decimal number with a unit, such as 1.5h, or null",
    (value) =>
      value === null || (typeof value === "string" && /^[+-]?(?:\d+\.?\d*|\.\d+)\p{L}+$/u.test(value)),
  ),
);
const wholeNumberOrNull = form<number | null>(
  "a whole number or null",
  (value) => value === null || Number.isSafeInteger(value),
);
const inRelationships = { names: () => [] };

/** As site administrators see them. */
const attributes = new AttributeTable<OrganizationAttributes>({
  externalId: { is: text, initial: () => newIdentifier("org-") },
  notificationEmail: shown(text, "admin@example.com"),
  accessBetaTools: settable(flag, false),
  isDisabled: settable(flag, false),
  iacBuildWorkerApplyTimeout: {
    ...timeout,
    is: textOrNull,
    names: ({ organizationAttributes }) => organizationAttributes.applyTimeout,
  },
  iacBuildWorkerPlanTimeout: {
    ...timeout,
    is: textOrNull,
    names: ({ organizationAttributes }) => organizationAttributes.planTimeout,
  },
  iacWorkerSudoEnabled: {
    ...shown(flag, false),
    names: ({ organizationAttributes }) => organizationAttributes.sudoEnabled,
  },
  globalModuleSharing: settable(flag, false),
  globalProviderSharing: settable(flag, false),
  ssoEnabled: shown(flag, false),
  workspaceLimit: limit<number>(wholeNumberOrNull),
  ownerIds: { ...shown(names, []), ...inRelationships },
  subscriptionId: { ...shown(textOrNull, null), ...inRelationships },
  featureSetId: { ...shown(textOrNull, null), ...inRelationships },
  moduleConsumers: { ...shown(names, []), ...inRelationships },
  providerConsumers: { ...shown(names, []), ...inRelationships },
});

/** What a seed returns about an organization. */
export const organizationForm = object<NewOrganization>({
  name,
  defaultProjectId: name.optional(),
  ...attributes.optionalForms(),
});

/** What a seed returns about a user. */
export const userForm = object<NewUser>({
  id: name.optional(),
  username: name.optional(),
  organization: oneOrMore.optional(),
});

/** What a seed returns about a workspace. */
export const workspaceForm = object<NewWorkspace>({
  id: name.optional(),
  organization: name,
  project: name.optional(),
  name: name.optional(),
});

/** Organizations, as site administrators see them, with their workspaces and users. */
export function createOrganizationsArea(
  records: Records,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, OrganizationsInspection, OrganizationsSetup> {
  let numbered = 0;
  const nextNumber = (): number => (numbered += 1);
  const findProject = (organization: string, project: string): ProjectRecord => {
    const found = records.projectsOf(organization).find(({ id, name }) => id === project || name === project);
    if (found === undefined) {
      throw new Error(
        `The organization ${JSON.stringify(organization)} has no project ${JSON.stringify(project)}.`,
      );
    }
    return found;
  };

  return {
    endpoints: administratorsEndpoints(records, dialect),
    setup: {
      addOrganization: ({ name, defaultProjectId, ...given }) =>
        structuredClone(
          records.addOrganization(name, { initial: attributes.initial(), given }, defaultProjectId),
        ),
      changeOrganization: (name, change) => structuredClone(records.changeOrganization(name, change)),
      removeOrganization(name) {
        records.removeOrganization(name);
      },
      addWorkspace({ organization, project, name, id }) {
        const { defaultProjectId } = records.organizations.known(organization);
        const projectId = project === undefined ? defaultProjectId : findProject(organization, project).id;
        return structuredClone(records.addWorkspace(projectId, name ?? `workspace-${nextNumber()}`, id));
      },
      moveWorkspace(id, project) {
        const { organization } = records.workspaces.known(id);
        return structuredClone(records.moveWorkspace(id, findProject(organization, project).id));
      },
      removeWorkspace(id) {
        records.removeWorkspace(id);
      },
      addUser: ({ organization = [], username, id } = {}) =>
        structuredClone(records.addUser(username ?? `user-${nextNumber()}`, [organization].flat(), id)),
      removeUser(id) {
        records.removeUser(id);
      },
    },
    inspect: () => ({
      organizations: records.organizations.all(),
      workspaces: records.workspaces.all(),
      users: records.users.all(),
    }),
    clear() {
      numbered = 0;
      records.clear();
    },
  };
}

const path = "/admin/organizations/:organization_name";

/** The query parameters that narrow the list of organizations. */
const filterParameters = [
  "q",
  "q[email]",
  "q[name]",
  "filter[module_producer]",
  "filter[provider_producer]",
] as const;

function administratorsEndpoints(records: Records, dialect: ProvisioningDialect): ProvisioningEndpoint[] {
  const show = (organization: OrganizationRecord): unknown => toResource(organization, dialect);
  const requireSiteAdministrator = ({ permissions }: ProvisioningRequest): void => {
    if (!permissions.siteAdministrator) {
      throw notFound();
    }
  };
  const findOrganization = (request: ProvisioningRequest): OrganizationRecord => {
    requireSiteAdministrator(request);
    const organization = records.organizations.find(request.parameter("organization_name"));
    if (organization === undefined) {
      throw notFound();
    }
    return organization;
  };
  /** The owners of these organizations when the query asks for them, each once. */
  const included = (organizations: readonly OrganizationRecord[], { query }: ProvisioningRequest) => {
    const include = query.get("include");
    if (include === undefined) {
      return {};
    }
    if (include !== "owners") {
      throw badRequest(`include must be owners, not ${JSON.stringify(include)}.`, "?include");
    }
    const owners = records.users
      .all()
      .filter(({ id }) => organizations.some((one) => one.ownerIds.includes(id)));
    return { included: owners.map(({ id, username }) => ({ id, type: "users", attributes: { username } })) };
  };
  const readConsumers = (body: unknown): string[] => {
    const consumers = [...new Set(readIdentifiers(body, "organizations", dialect))];
    const unknown = consumers.find((consumer) => records.organizations.find(consumer) === undefined);
    if (unknown !== undefined) {
      throw invalid("/data", `Organization ${unknown} not found`);
    }
    return consumers;
  };
  const organizationNamed = (name: string): OrganizationRecord => records.organizations.known(name);

  return [
    gets(
      "/admin/organizations",
      (request) => {
        requireSiteAdministrator(request);
        const all = records.organizations.all();
        const { items, links, pagination } = paginate(matchingOrganizations(all, request.query), request);
        const disabled = all.filter(({ isDisabled }) => isDisabled).length;
        const counts = { total: all.length, active: all.length - disabled, disabled };
        const meta = { "status-counts": counts, pagination };
        return { data: items.map(show), ...included(items, request), links, meta };
      },
      [...pageParameters, ...filterParameters, "include"],
    ),
    gets(
      path,
      (request) => {
        const organization = findOrganization(request);
        return { data: show(organization), ...included([organization], request) };
      },
      ["include"],
    ),
    patches(path, (request) => {
      const { name } = findOrganization(request);
      const form = { type: "organizations", attributes: attributes.settable(dialect), id: name };
      const sent = readResource(request.body, form, dialect);
      const change = attributes.readChange(sent.attributes, dialect);
      return { data: show(records.changeOrganization(name, change)) };
    }),
    deletes(path, (request) => records.removeOrganization(findOrganization(request).name)),
    gets(
      `${path}/relationships/module-consumers`,
      (request) => pageOf(findOrganization(request).moduleConsumers.map(organizationNamed), request, show),
      pageParameters,
    ),
    patches(`${path}/relationships/module-consumers`, (request) => {
      const { name } = findOrganization(request);
      records.changeOrganization(name, { moduleConsumers: readConsumers(request.body) });
      return undefined;
    }),
    gets(
      `${path}/relationships/provider-consumers`,
      (request) =>
        pageOf(findOrganization(request).providerConsumers.map(organizationNamed), request, (organization) =>
          toConsumer(organization, dialect),
        ),
      pageParameters,
    ),
  ];
}

/**
 * The organizations that the query asks for.
 *
 * @throws Refusal 400 when a filter is neither true nor false
 */
function matchingOrganizations(
  organizations: readonly OrganizationRecord[],
  query: Query,
): OrganizationRecord[] {
  const modules = readFlag(query, "filter[module_producer]");
  const providers = readFlag(query, "filter[provider_producer]");
  return organizations.filter((organization) => {
    const { globalModuleSharing, moduleConsumers, globalProviderSharing, providerConsumers } = organization;
    const sharesModules = globalModuleSharing || moduleConsumers.length > 0;
    const sharesProviders = globalProviderSharing || providerConsumers.length > 0;
    return (
      isFound(organization, query) &&
      (modules ?? sharesModules) === sharesModules &&
      (providers ?? sharesProviders) === sharesProviders
    );
  });
}

function isFound({ name, notificationEmail }: OrganizationRecord, query: Query): boolean {
  const holds = (text: string, search = ""): boolean => text.toLowerCase().includes(search.toLowerCase());
  const anywhere = query.get("q");
  return anywhere === undefined
    ? holds(notificationEmail, query.get("q[email]")) && holds(name, query.get("q[name]"))
    : holds(name, anywhere) || holds(notificationEmail, anywhere);
}

function readFlag(query: Query, name: (typeof filterParameters)[number]): boolean | undefined {
  const text = query.get(name);
  if (text === undefined || text === "true" || text === "false") {
    return text === undefined ? undefined : text === "true";
  }
  throw badRequest(`${name} must be true or false, not ${JSON.stringify(text)}.`, `?${name}`);
}

function toResource(organization: OrganizationRecord, dialect: ProvisioningDialect) {
  const { name, ownerIds, subscriptionId, featureSetId } = organization;
  const self = `${pathPrefix}/admin/organizations/${encodeURIComponent(name)}`;
  return {
    id: name,
    type: "organizations",
    attributes: { name, ...attributes.show(organization, dialect) },
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
function toConsumer(organization: OrganizationRecord, dialect: ProvisioningDialect): unknown {
  const { relationships, ...resource } = toResource(organization, dialect);
  const related = `${resource.links.self}/relationships/provider-consumers`;
  return { ...resource, relationships: { ...relationships, "provider-consumers": { links: { related } } } };
}
