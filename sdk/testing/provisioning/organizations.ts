import type { Area } from "../area";
import { type Schema, schema, flag } from "../schemas";
import { newIdentifier } from "../tokens";
import { type Attribute, AttributeTable, settable } from "./attributes";
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
  puts,
  type Query,
} from "./endpoint";
import { badRequest, BodyReader, invalid, notFound } from "./json-api";
import type { Records } from "./records";
import { type OrganizationAttributes, organizationSettings } from "./seeds";
import type { OrganizationRecord, OrganizationsInspection, OrganizationsSetup, ProjectRecord } from "./types";
import type { ProvisioningTraits } from "./traits";

/** In the documented dialect, a request cannot reset a limit to null. */
function limit<Value>(
  is: Schema<Value | null>,
  { limitsCanBeNull }: ProvisioningTraits,
): Attribute<Value | null> {
  const any = settable(is, null);
  return {
    ...any,
    read(value, refuse) {
      if (value === null && !limitsCanBeNull) {
        throw refuse("can't be null");
      }
      return any.read(value, refuse);
    },
  };
}

/** The documentation does not list the units. */
const timeout = schema<string | null>(
  "a decimal number with a unit, such as 1.5h, or null",
  (value) => value === null || (typeof value === "string" && /^[+-]?(?:\d+\.?\d*|\.\d+)\p{L}+$/u.test(value)),
);
const inRelationships = { names: [] };

export function organizationAttributes(traits: ProvisioningTraits): AttributeTable<OrganizationAttributes> {
  const buildTimeout = (documented: string, ...products: readonly string[]) => ({
    ...limit(timeout, traits),
    names: traits.timeoutsHaveNewNames ? products : [documented],
  });
  return new AttributeTable<OrganizationAttributes>({
    externalId: { initial: "" },
    notificationEmail: { initial: "admin@example.com" },
    accessBetaTools: settable(flag, false),
    isDisabled: settable(flag, false),
    iacBuildWorkerApplyTimeout: buildTimeout(
      "iac-build-worker-apply-timeout",
      "terraform-build-worker-apply-timeout",
      "apply-timeout",
    ),
    iacBuildWorkerPlanTimeout: buildTimeout(
      "iac-build-worker-plan-timeout",
      "terraform-build-worker-plan-timeout",
      "plan-timeout",
    ),
    iacWorkerSudoEnabled: {
      ...(traits.sudoIsSettable ? settable(flag, false) : { initial: false }),
      names: [traits.sudoSetting],
    },
    globalModuleSharing: settable(flag, false),
    globalProviderSharing: settable(flag, false),
    ssoEnabled: { initial: false },
    workspaceLimit: limit(organizationSettings.workspaceLimit, traits),
    ownerIds: { initial: [], ...inRelationships },
    subscriptionId: { initial: null, ...inRelationships },
    featureSetId: { initial: null, ...inRelationships },
    moduleConsumers: { initial: [], ...inRelationships },
    providerConsumers: { initial: [], ...inRelationships },
  });
}

export function createOrganizationsArea(
  records: Records,
  traits: ProvisioningTraits,
  resetsUnsent: boolean,
): Area<ProvisioningEndpoint, OrganizationsInspection, OrganizationsSetup> {
  const attributes = organizationAttributes(traits);
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
    endpoints: [
      ...administratorsEndpoints(records, attributes, traits, resetsUnsent ? documentedDefaults : {}),
      ...(traits.hasAccounts ? [organizationEndpoint(records)] : []),
    ],
    setup: {
      addOrganization: ({ name, defaultProjectId, ...given }) =>
        records.addOrganization(
          name,
          { initial: attributes.with({ externalId: newIdentifier("org-") }), given },
          defaultProjectId,
        ),
      changeOrganization: (name, change) => records.changeOrganization(name, change),
      removeOrganization: (name) => records.removeOrganization(name),
      addWorkspace({ organization, project, name, id }) {
        const { defaultProjectId } = records.organizations.get(organization);
        const projectId = project === undefined ? defaultProjectId : findProject(organization, project).id;
        return records.addWorkspace(projectId, name ?? `workspace-${nextNumber()}`, id);
      },
      moveWorkspace(id, project) {
        const { organization } = records.workspaces.get(id);
        return records.moveWorkspace(id, findProject(organization, project).id);
      },
      removeWorkspace: (id) => records.removeWorkspace(id),
      addUser: ({ organization = [], username, id } = {}) =>
        records.addUser(username ?? `user-${nextNumber()}`, [organization].flat(), id),
      removeUser: (id) => records.removeUser(id),
      addTeam: ({ organization, id }) => records.addTeam(organization, id),
    },
    inspect: () => ({
      organizations: records.organizations.all(),
      workspaces: records.workspaces.all(),
      users: records.users.all(),
      teams: records.teams.all(),
    }),
  };
}

/** For the organization's members, as the products' own client reads it. */
function organizationEndpoint(records: Records): ProvisioningEndpoint {
  return gets("/organizations/:organization_name", (request) => {
    const name = request.parameter("organization_name");
    const organization = records.organizations.find(name);
    if (organization === undefined || !records.isAccessible(name) || !request.permissions.in(name).read) {
      throw notFound();
    }
    return {
      data: {
        id: name,
        type: "organizations",
        attributes: { name, "external-id": organization.externalId, "default-execution-mode": "remote" },
        relationships: {
          "default-project": { data: { id: organization.defaultProjectId, type: "projects" } },
        },
        links: { self: `${pathPrefix}/organizations/${encodeURIComponent(name)}` },
      },
    };
  });
}

const path = "/admin/organizations/:organization_name";

const documentedDefaults: Partial<OrganizationAttributes> = {
  accessBetaTools: false,
  globalModuleSharing: false,
  globalProviderSharing: false,
  isDisabled: false,
  iacBuildWorkerApplyTimeout: "24h",
  iacBuildWorkerPlanTimeout: "2h",
};

const filterParameters = [
  "q",
  "q[email]",
  "q[name]",
  "filter[module_producer]",
  "filter[provider_producer]",
] as const;

function administratorsEndpoints(
  records: Records,
  attributes: AttributeTable<OrganizationAttributes>,
  traits: ProvisioningTraits,
  ifUnsent: Partial<OrganizationAttributes>,
): ProvisioningEndpoint[] {
  const bodies = new BodyReader(traits);
  const showWith = (linkedLists: readonly string[]) => (organization: OrganizationRecord) => {
    const { name, ownerIds, subscriptionId, featureSetId } = organization;
    const self = `${pathPrefix}/admin/organizations/${encodeURIComponent(name)}`;
    const reference = (id: string | null, type: string) => ({ data: id === null ? null : { id, type } });
    const links = linkedLists.map((list) => [list, { links: { related: `${self}/relationships/${list}` } }]);
    return {
      id: name,
      type: "organizations",
      attributes: { name, ...attributes.returned(organization) },
      relationships: {
        owners: { data: ownerIds.map((id) => ({ id, type: "users" })) },
        subscription: reference(subscriptionId, "subscriptions"),
        "feature-set": reference(featureSetId, "feature-sets"),
        ...(Object.fromEntries(links) as object),
      },
      links: { self },
    };
  };
  const show = showWith(["module-consumers"]);
  /** Only the list of provider consumers contains a link to the consumers' own consumers. */
  const showConsumer = showWith(["module-consumers", "provider-consumers"]);
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
    return {
      included: owners.map(({ id, username }) => {
        const email = traits.showsEmails ? { email: `${username}@example.com` } : {};
        return { id, type: "users", attributes: { username, ...email } };
      }),
    };
  };
  const existing = (names: readonly string[]): string[] => {
    const unknown = names.find((name) => records.organizations.find(name) === undefined);
    if (unknown !== undefined) {
      throw invalid("/data", `Organization ${unknown} not found`);
    }
    return [...new Set(names)];
  };
  /** The table in the products' documentation has hyphens; its sample has underscores. */
  const namesOf = (attributes: ReadonlyMap<string, unknown>, shared: string): string[] => {
    const list = attributes.get(`${shared}-consumers`) ?? attributes.get(`${shared}_consumers`);
    if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) {
      throw invalid(`/data/attributes/${shared}-consumers`, "must be a list of names of organizations");
    }
    return existing(list);
  };
  const organizationNamed = (name: string): OrganizationRecord => records.organizations.get(name);

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
      const form = { type: "organizations", attributes: attributes.names, id: name, mayLackType: true };
      const change = attributes.readChange(bodies.resource(request.body, form).attributes);
      return { data: show(records.changeOrganization(name, { ...ifUnsent, ...change })) };
    }),
    deletes(path, (request) => records.removeOrganization(findOrganization(request).name)),
    gets(
      `${path}/relationships/module-consumers`,
      (request) => pageOf(findOrganization(request).moduleConsumers.map(organizationNamed), request, show),
      pageParameters,
    ),
    patches(`${path}/relationships/module-consumers`, (request) => {
      const { name } = findOrganization(request);
      records.changeOrganization(name, {
        moduleConsumers: existing(bodies.identifiers(request.body, "organizations")),
      });
      return undefined;
    }),
    gets(
      `${path}/relationships/provider-consumers`,
      (request) =>
        pageOf(findOrganization(request).providerConsumers.map(organizationNamed), request, showConsumer),
      pageParameters,
    ),
    ...(traits.hasAccounts
      ? [
          puts(`${path}/registry-partnerships`, (request) => {
            const { name } = findOrganization(request);
            const form = { type: "registry-partnerships", attributes: [] };
            const { attributes } = bodies.resource(request.body, form);
            records.changeOrganization(name, {
              moduleConsumers: namesOf(attributes, "module"),
              providerConsumers: namesOf(attributes, "provider"),
            });
            return undefined;
          }),
        ]
      : []),
  ];
}

/** @throws Refusal 400 if a filter is neither true nor false */
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
      matchesSearch(organization, query) &&
      (modules ?? sharesModules) === sharesModules &&
      (providers ?? sharesProviders) === sharesProviders
    );
  });
}

function matchesSearch({ name, notificationEmail }: OrganizationRecord, query: Query): boolean {
  const contains = (text: string, search = ""): boolean => text.toLowerCase().includes(search.toLowerCase());
  const everywhere = query.get("q");
  return everywhere === undefined
    ? contains(notificationEmail, query.get("q[email]")) && contains(name, query.get("q[name]"))
    : contains(name, everywhere) || contains(notificationEmail, everywhere);
}

function readFlag(query: Query, name: (typeof filterParameters)[number]): boolean | undefined {
  const text = query.get(name);
  if (text === undefined || text === "true" || text === "false") {
    return text === undefined ? undefined : text === "true";
  }
  throw badRequest(`${name} must be true or false, not ${JSON.stringify(text)}.`, `?${name}`);
}
