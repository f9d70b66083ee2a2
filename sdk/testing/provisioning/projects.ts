import type { Area } from "../area";
import { isObject } from "../../base/json";
import { schema, textOrNull } from "../schemas";
import { AttributeTable, type Refuse, refusing, settable } from "./attributes";
import {
  deletes,
  gets,
  pageParameters,
  paginate,
  patches,
  pathPrefix,
  posts,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
  type Query,
} from "./endpoint";
import {
  BodyReader,
  documentResponse,
  forbidden,
  invalid,
  notFound,
  notImplemented,
  type ResourceBody,
} from "./json-api";
import type { Records } from "./records";
import type { ProvisioningPermissions } from "./rights";
import type { ProjectRecord, ProjectsInspection, ProjectsSetup, ProvisioningEmulatorOptions } from "./types";
import type { ProjectSettings, ProvisioningRights } from "./seeds";
import { mayMove, workspaceEndpoints } from "./workspaces";
import type { ProvisioningTraits } from "./traits";

const shortestName = 3;

type Attributes = Pick<ProjectRecord, "name"> & ProjectSettings;

const nullableText = settable(textOrNull, null);
const productAttributes = {
  description: {
    ...nullableText,
    read: (value: unknown, refuse: Refuse) => {
      const read = nullableText.read(value, refuse) || null;
      if (read !== null && read.length > 256) {
        throw refuse("is too long (maximum is 256 characters)");
      }
      return read;
    },
  },
  autoDestroyActivityDuration: {
    ...nullableText,
    read(value: unknown, refuse: Refuse) {
      // These words and those below: projects_integration_test.go of go-tfe 1.111.2.
      if (!/^(?:\d{1,4}[dh]|null|undefined)$/.test(String(value))) {
        throw refuse("has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')");
      }
      return nullableText.read(value, refuse);
    },
  },
  defaultExecutionMode: {
    ...settable(
      schema<string | null>("remote, local or agent", (value) => modes.includes(String(value))),
      null,
    ),
    returned: (mode: string | null = null) => mode ?? "remote",
  },
  defaultAgentPoolId: { ...settable(textOrNull, null), returned: () => undefined },
  tags: { initial: {}, returned: () => undefined },
};
const modes = ["remote", "local", "agent"];

/** Projects do not inherit permissions, so these are their own. */
function tagsOf({ id, tags = {} }: ProjectRecord) {
  return Object.entries(tags).map(([key, value]) => ({
    id: `${id}-${key}`,
    type: "effective-tag-bindings",
    // Only a key is required.
    attributes: value === "" ? { key } : { key, value },
  }));
}

/** The products accept only ASCII, without leading or trailing spaces. */
function createAttributes(traits: ProvisioningTraits, nameLimit: number): AttributeTable<Attributes> {
  return new AttributeTable<Attributes>({
    ...((traits.hasProjectSettings ? productAttributes : {}) as typeof productAttributes),
    name: {
      read(value, refuse) {
        if (value === undefined || value === null || value === "") {
          throw refuse("can't be blank");
        }
        if (typeof value !== "string") {
          throw refuse("must be a string");
        }
        const length = Array.from(value).length;
        if (length < shortestName || length > nameLimit) {
          throw refuse(`must have ${shortestName} to ${nameLimit} characters, not ${length}`);
        }
        if (!traits.projectName.test(value)) {
          throw refuse("can only contain letters, digits, spaces, - and _");
        }
        if (traits.trimsProjectNames && value !== value.trim()) {
          throw refuse("must not start or end with a space");
        }
        return value;
      },
    },
  });
}

const bindingsPointer = "/data/relationships/tag-bindings/data";

function readTags(relationship: unknown): ProjectSettings["tags"] {
  const { data } = isObject(relationship) ? relationship : {};
  if (!Array.isArray(data)) {
    throw invalid(bindingsPointer, "Data must be a list of tag bindings.");
  }
  const tags = data.map((binding: unknown, index) => {
    const { attributes } = isObject(binding) ? binding : {};
    const { key, value = "" } = isObject(attributes) ? attributes : {};
    if (typeof key !== "string" || typeof value !== "string" || !/^(?!hcp?:)[\w .=+@:-]{1,128}$/.test(key)) {
      throw invalid(`${bindingsPointer}/${index}`, "Key or value is not valid.");
    }
    return [key, value] as const;
  });
  if (tags.length > 10) {
    throw invalid(bindingsPointer, "A project can have at most 10 tags.");
  }
  return Object.fromEntries(tags);
}

/**
 * Whether the settings are the project's own.
 *
 * @throws Refusal 422 with the product's message: projects_integration_test.go of go-tfe 1.111.2
 */
function readOverwrites(sent: unknown): boolean | undefined {
  if (sent === undefined || sent === null) {
    return undefined;
  }
  const refuse = refusing("setting-overwrites");
  if (!isObject(sent)) {
    throw refuse("must be an object");
  }
  const { "default-execution-mode": mode, "default-agent-pool": pool = mode } = sent;
  if (typeof mode !== "boolean" || typeof pool !== "boolean") {
    throw refuse("must be true or false");
  }
  if (mode !== pool) {
    throw invalid(
      "/data/attributes/setting-overwrites",
      "If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.",
    );
  }
  return mode;
}

const taggedParameters = Array.from({ length: 10 }, (_, index) => [
  `filter[tagged][${index}][key]`,
  `filter[tagged][${index}][value]`,
]);

const filterParameters = [
  "q",
  "filter[names]",
  "filter[permissions][create-workspace]",
  "filter[permissions][update]",
] as const;

export function createProjectsArea(
  records: Records,
  traits: ProvisioningTraits,
  options: ProvisioningEmulatorOptions,
): Area<ProvisioningEndpoint, ProjectsInspection, ProjectsSetup> {
  const bodies = new BodyReader(traits);
  const { projectNameLimit = traits.projectNameLimit, uniqueProjectNames = traits.projectNamesAreUnique } =
    options;
  const attributes = createAttributes(traits, projectNameLimit);
  const relationships = traits.hasProjectSettings ? { relationships: ["tag-bindings"] } : {};
  const shape = { type: "projects", attributes: attributes.names, ...relationships };
  const include = traits.hasProjectSettings ? ["include"] : [];

  const permissionsOn = (project: ProjectRecord, permissions: ProvisioningPermissions) => {
    const { updateProjects, deleteProjects, createWorkspaces } = permissions.on(project);
    return {
      "can-update": updateProjects,
      "can-destroy": deleteProjects && !project.isDefault,
      "can-create-workspace": createWorkspaces,
      ...(traits.hasProjectSettings ? { "can-read": true, "can-read-teams": true } : {}),
    };
  };
  const toResource = (project: ProjectRecord, permissions: object, withTags = false): unknown => {
    const { id, organization, defaultExecutionMode = null, defaultAgentPoolId: pool = null } = project;
    const isOwn = defaultExecutionMode !== null;
    const overwrites = { "default-execution-mode": isOwn, "default-agent-pool": isOwn };
    const constants = traits.hasProjectSettings
      ? { "setting-overwrites": overwrites, "is-unified": false }
      : {};
    return {
      id,
      type: "projects",
      attributes: { ...attributes.returned(attributes.with(project)), permissions, ...constants },
      relationships: {
        organization: {
          data: { id: organization, type: "organizations" },
          links: { related: `${pathPrefix}/organizations/${encodeURIComponent(organization)}` },
        },
        ...(traits.hasProjectSettings
          ? { "default-agent-pool": { data: pool === null ? null : { id: pool, type: "agent-pools" } } }
          : {}),
        ...(withTags
          ? { "effective-tag-bindings": { data: tagsOf(project).map(({ id, type }) => ({ id, type })) } }
          : {}),
      },
      links: { self: `${pathPrefix}/projects/${id}` },
    };
  };
  const includesTags = ({ query }: ProvisioningRequest): boolean =>
    query.get("include")?.split(",").includes("effective_tag_bindings") === true;
  const show = (project: ProjectRecord, request: ProvisioningRequest): unknown =>
    toResource(project, permissionsOn(project, request.permissions), includesTags(request));
  const included = (projects: readonly ProjectRecord[], request: ProvisioningRequest): object =>
    includesTags(request) ? { included: projects.flatMap(tagsOf) } : {};
  const changed = <Project extends Partial<ProjectSettings>>(
    project: Project,
    { attributes: sent, relationships: related }: ResourceBody,
  ): Project => {
    const isOwn = readOverwrites(sent.get("setting-overwrites"));
    const inherits = isOwn === false;
    const next = {
      ...project,
      ...attributes.readChange(sent),
      ...(inherits ? { defaultExecutionMode: null, defaultAgentPoolId: null } : {}),
      ...(related.has("tag-bindings") ? { tags: readTags(related.get("tag-bindings")) } : {}),
    };
    const { defaultExecutionMode: mode = null, defaultAgentPoolId: pool = null } = next;
    const isGiven = ["default-execution-mode", "default-agent-pool-id"].some(
      (name) => (sent.get(name) ?? null) !== null,
    );
    if (inherits ? isGiven : isOwn === true && mode === null) {
      throw notImplemented("setting-overwrites beside other settings than those");
    }
    if (mode === "agent" && pool === null) {
      throw refusing("default-agent-pool-id")("must be specified when using 'agent' execution mode");
    }
    if (mode !== "agent" && pool !== null && sent.has("default-agent-pool-id")) {
      throw refusing("default-agent-pool-id")("must not be specified unless using 'agent' execution mode");
    }
    return mode === "agent" || pool === null ? next : { ...next, defaultAgentPoolId: null };
  };

  const requireOrganization = (organization: string, allowed: boolean): void => {
    if (!allowed || !records.isAccessible(organization)) {
      throw notFound();
    }
  };
  const findProject = (request: ProvisioningRequest, right: keyof ProvisioningRights): ProjectRecord => {
    const project = records.projects.find(request.parameter("project_id"));
    if (project === undefined) {
      throw notFound();
    }
    requireOrganization(project.organization, request.permissions.on(project)[right]);
    return project;
  };
  const requireFreeName = (organization: string, name: string, exceptId?: string): void => {
    const projects = uniqueProjectNames ? records.projectsOf(organization) : [];
    // Products ignore case: terraform-provider-tfe, pull request 958.
    const keyOf = (given: string): string => (traits.foldsProjectNames ? given.toLowerCase() : given);
    if (projects.some((other) => keyOf(other.name) === keyOf(name) && other.id !== exceptId)) {
      throw invalid("/data/attributes/name", "Name has already been taken");
    }
  };
  const tagsEndpoint = gets("/projects/:project_id/tag-bindings", (request) => ({
    data: tagsOf(findProject(request, "read")).map((tag) => ({ ...tag, type: "tag-bindings" })),
  }));

  return {
    endpoints: [
      posts("/organizations/:organization_name/projects", (request) => {
        const organization = request.parameter("organization_name");
        requireOrganization(organization, request.permissions.in(organization).createProjects);
        const sent = bodies.resource(request.body, shape);
        const settings = changed(attributes.readNew(sent.attributes), sent);
        requireFreeName(organization, settings.name);
        const project = records.addProject({ ...settings, organization });
        const all = permissionsOn(project, request.permissions);
        // The documentation promises the other two permissions only for update, list and show.
        const permissions = traits.creationShowsPermissions ? all : { "can-update": all["can-update"] };
        return documentResponse(201, { data: toResource(project, permissions) });
      }),
      gets(
        "/organizations/:organization_name/projects",
        (request) => {
          const { permissions, query } = request;
          const organization = request.parameter("organization_name");
          requireOrganization(organization, permissions.in(organization).read);
          const visible = records.projectsOf(organization).filter((project) => permissions.on(project).read);
          const matching = visible.filter((project) => matchesQuery(project, query, permissions));
          const order = { name: 1, "-name": -1 }[query.get("sort") ?? ""] ?? (traits.sortsProjects ? 1 : 0);
          matching.sort((one, other) => order * one.name.localeCompare(other.name));
          const { items, links, pagination, size } = paginate(matching, request);
          const meta = {
            "status-counts": { total: visible.length, matching: matching.length },
            pagination: { ...pagination, "page-size": size },
          };
          const data = items.map((project) => show(project, request));
          return { data, ...included(items, request), links, meta };
        },
        [
          ...pageParameters,
          ...filterParameters,
          ...include,
          ...(traits.hasProjectSettings ? ["sort", ...taggedParameters.flat()] : []),
        ],
      ),
      gets(
        "/projects/:project_id",
        (request) => {
          const project = findProject(request, "read");
          return { data: show(project, request), ...included([project], request) };
        },
        include,
      ),
      patches("/projects/:project_id", (request) => {
        const project = findProject(request, "updateProjects");
        const sent = bodies.resource(request.body, { ...shape, id: project.id });
        const next = changed(project, sent);
        requireFreeName(project.organization, next.name, project.id);
        return { data: show(records.projects.set(next), request) };
      }),
      deletes("/projects/:project_id", (request) => {
        const { id, isDefault } = findProject(request, "deleteProjects");
        if (isDefault) {
          throw forbidden("The default project of an organization cannot be deleted.");
        }
        const workspaces = records.workspaces.all().filter(({ projectId }) => projectId === id).length;
        if (workspaces > 0) {
          throw forbidden(
            `The project still contains ${workspaces} workspace(s), and force-deleting is not allowed.`,
          );
        }
        records.removeProject(id);
      }),
      ...(traits.hasProjectSettings
        ? [...workspaceEndpoints(records, requireOrganization), tagsEndpoint]
        : []),
      posts("/projects/:project_id/relationships/workspaces", (request) => {
        const project = findProject(request, "moveWorkspaces");
        const ids = bodies.identifiers(request.body, "workspaces");
        const refused = ids.filter((id) => !mayMove(records, id, project, request.permissions));
        if (refused.length > 0) {
          throw forbidden(`Not found, or not allowed to be moved, so none was moved: ${refused.join(", ")}.`);
        }
        for (const id of ids) {
          records.moveWorkspace(id, project.id);
        }
        return undefined;
      }),
    ],
    setup: {
      addProject: (project) => records.addProject(attributes.with(project)),
      changeProject: (id, change) => records.projects.change(id, change),
      removeProject: (id) => records.removeProject(id),
    },
    inspect: () => ({ projects: records.projects.all() }),
  };
}

/** An empty value matches anything. */
function hasTag({ tags = {} }: ProjectRecord, key: string, value: string): boolean {
  return Object.hasOwn(tags, key) && (value === "" || tags[key] === value);
}

function matchesQuery(project: ProjectRecord, query: Query, permissions: ProvisioningPermissions): boolean {
  const name = project.name.toLowerCase();
  const names = query
    .get("filter[names]")
    ?.split(",")
    .map((text) => text.trim().toLowerCase());
  const search = query.get("q") ?? "";
  const rights = permissions.on(project);
  const hasTags = taggedParameters.every(
    ([key = "", value = ""]) =>
      !query.has(key) || hasTag(project, query.get(key) ?? "", query.get(value) ?? ""),
  );
  return (
    hasTags &&
    (names === undefined ? name.includes(search.toLowerCase()) : names.includes(name)) &&
    (!query.has("filter[permissions][create-workspace]") || rights.createWorkspaces) &&
    (!query.has("filter[permissions][update]") || rights.updateProjects)
  );
}
