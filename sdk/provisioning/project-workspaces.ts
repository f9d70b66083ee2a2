import { onStatus } from "../base/errors";
import { path } from "../base/path";
import { showable } from "../base/shown-text";
import { scriptForm } from "../functions/call";
import { defineFunction } from "../functions/definition";
import { TriviumResource } from "../resource/program/base";
import { defineResource, type Step } from "../resource/definition";
import { Fields, kebabCase, output } from "../resource/fields/field";
import { pathName, text, textSet, warnOfEmpty, isGiven } from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../resource/fields/rows";
import type { ProvisioningClient } from "./client";
import { provisioningDialects } from "./dialect";
import { identified, identifiersDocument, type ResourceKind } from "./kind";
import { projectMember } from "./project";
import { provisioningService } from "./service";

const longestList = 2_000;

async function move(client: ProvisioningClient, projectId: string, workspaceIds: readonly string[]) {
  const ids = [...new Set(workspaceIds)];
  if (ids.length === 0) {
    return;
  }
  const refused = (reason: string): string =>
    `No workspace was moved: ${reason}. The service moves all or none. Requested: ${showable(ids.join(", "), longestList)}.`;
  await client.relate({
    summary: `move ${ids.length === 1 ? "a workspace" : `${ids.length} workspaces`} into the project ${projectId}`,
    method: "POST",
    path: path`/projects/${projectId}/relationships/workspaces`,
    document: identifiersDocument("workspaces", ids),
    advice: {
      403: refused("one of them does not exist, or the token is not allowed to move it out of its project"),
      404: refused(
        `the project ${projectId} does not exist, or the token is not allowed to move workspaces into it`,
      ),
    },
  });
}

const workspaceKind: ResourceKind<{ readonly id: string; readonly projectId: string | undefined }> = {
  type: "workspaces",
  shape: (z) => {
    const project = z.object({ data: z.object({ id: z.string() }).nullish() }).nullish();
    const relationships = z.object({ project }).nullish();
    return identified(z, "workspaces")
      .extend({ relationships })
      .transform((found) => ({ id: found.id, projectId: found.relationships?.project?.data?.id }));
  },
};

/** @returns `undefined` if the service does not return the list, or not to this token */
async function remaining(
  client: ProvisioningClient,
  organization: string | null | undefined,
  projectId: string,
  workspaceIds: readonly string[],
): Promise<readonly string[] | undefined> {
  const isListed = provisioningDialects[client.dialect].listsWorkspaces && workspaceIds.length > 0;
  if (!isListed || !isGiven(organization)) {
    return undefined;
  }
  const listed = await client
    .listShared({
      summary: `list the workspaces of the organization ${organization}`,
      path: path`/organizations/${organization}/workspaces`,
      kind: workspaceKind,
    })
    .catch(onStatus([403, 404], () => undefined));
  const inside = new Set(listed?.filter((each) => each.projectId === projectId).map(({ id }) => id));
  return listed && workspaceIds.filter((id) => inside.has(id));
}

/**
 * Moves the workspaces one by one if necessary: a workspace that no longer exists would block the others, and
 * the deletion, forever.
 */
async function moveAway(
  { client, announce, others }: Step<ProvisioningClient>,
  projectId: string,
  workspaceIds: readonly string[],
): Promise<void> {
  const elsewhere = workspaceIds.filter((id) => others.isElsewhere(id));
  if (elsewhere.length > 0) {
    announce(
      "information",
      `Not moved into the fallback project: ${elsewhere.join(", ")}. Another resource of this program manages them.`,
    );
  }
  const ids = workspaceIds.filter((id) => !elsewhere.includes(id));
  const refusal = (some: readonly string[]): Promise<number | undefined> =>
    move(client, projectId, some).then(
      () => undefined,
      onStatus([403, 404], ({ status }) => status),
    );
  const refused = await refusal(ids);
  if (refused === undefined) {
    return;
  }
  const isGone = refused === 404 && (await client.show(projectMember(projectId))) === undefined;
  const left: string[] = [];
  for (const id of ids) {
    if (isGone || (await refusal([id])) !== undefined) {
      left.push(id);
    }
  }
  if (left.length > 0) {
    announce(
      "warning",
      "Some workspaces stay where they are, and this resource no longer manages them. They or the project " +
        `${projectId} might no longer exist, or the token is not allowed to move them: ${left.join(", ")}.`,
    );
  }
}

const rows = {
  /** The ID of the project to move the workspaces into: `prj-...`. A change moves all workspaces. */
  // Only an empty project can be deleted.
  projectId: pathName({ replaces: "along" }),
  /**
   * The IDs of the workspaces to move into the project: `ws-...`. Order and duplicates do not matter. New
   * workspaces are moved in one request, all of them or none. Workspaces that you remove from the list are moved to
   * `fallbackProjectId`, if that is set.
   */
  // In the documented dialect only the last applied value is known: the response to a move does not contain
  // the IDs.
  workspaceIds: textSet({ told: "kept", check: warnOfEmpty }),
  /**
   * The ID of the project to move workspaces to when they are removed from the list or when this resource is
   * deleted. A change does not send a request.
   *
   * @default they stay in the project
   */
  fallbackProjectId: pathName({ local: "state", optional: true }),
  /** The name of the organization that the project belongs to. */
  organization: output(text({ recomputedBy: ["projectId"] })),
};

const fields = new Fields(rows, kebabCase);

/** The arguments of {@link ProjectWorkspaces}. */
export interface ProjectWorkspacesArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export const projectWorkspacesDefinition = defineResource(provisioningService, fields)(
  "provisioning:ProjectWorkspaces",
  {
    identity: {
      managesExisting: true,
      idIsShared: true,
      claims: ({ workspaceIds }) =>
        (workspaceIds ?? []).map((id) => ({ key: id, what: `workspaceIds: ${id}` })),
    },
    async create({ client, others }, { projectId, workspaceIds }) {
      workspaceIds.forEach((id) => others.move(id));
      await move(client, projectId, workspaceIds);
      return { id: projectId, state: { projectId, workspaceIds } };
    },

    async read({ client, managed }, id, { projectId, organization, workspaceIds }) {
      const current = projectId ?? id;
      const project = await client.readMember(projectMember(current, organization));
      if (project === undefined) {
        return undefined;
      }
      const { organization: place } = project.state;
      // A workspace that was just moved does not have to be looked up.
      const asked = (managed.has("workspaceIds") && workspaceIds) || [];
      const inside = await remaining(client, place, current, asked);
      return { projectId: current, organization: place, workspaceIds: inside };
    },

    async update(step, _id, { projectId, workspaceIds, fallbackProjectId }, changed, current) {
      const former = current.workspaceIds ?? [];
      const isElsewhere = changed.has("projectId");
      const added = isElsewhere ? workspaceIds : workspaceIds.filter((id) => !former.includes(id));
      workspaceIds.forEach((id) => step.others.move(id));
      await move(step.client, projectId, added);
      if (fallbackProjectId) {
        const removed = former.filter((id) => !workspaceIds.includes(id));
        await moveAway(step, fallbackProjectId, removed);
      }
      const project = isElsewhere ? await step.client.show(projectMember(projectId)) : { state: current };
      return { projectId, workspaceIds, organization: project?.state.organization };
    },

    async delete(step, _id, { workspaceIds, fallbackProjectId }) {
      if (isGiven(fallbackProjectId)) {
        await moveAway(step, fallbackProjectId, workspaceIds ?? []);
      }
    },
  },
);

export interface ProjectWorkspaces extends OutputsOf<typeof rows> {}

/**
 * Moves workspaces of the provisioning service (HCP Terraform or Terraform Enterprise) into a project. The
 * resource manages only the listed workspaces: the project can contain others, and several of these resources
 * can share one project. The token must be allowed to move workspaces in this project and in each project
 * that they come from.
 *
 * Its ID is the ID of its first project. When the resource is deleted, the workspaces are moved to
 * `fallbackProjectId`, if that is set. Only an empty project can be deleted, so set a fallback if the project
 * is managed too. If a workspace cannot be moved away, because it no longer exists or the token is not
 * allowed to move it, the other workspaces are moved and a warning names this one.
 *
 * In the hashicorp dialect, `pulumi refresh` detects which of the workspaces are no longer in the project.
 * The refresh lists the organization's workspaces once for all resources; if the token is not allowed to list
 * them, no drift is reported. In the documented dialect, drift in `workspaceIds` is not detected, because
 * there is no documented way to read the list; `pulumi refresh` only checks whether the project still exists.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const project = new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
 *
 * const workspaces = new trivium.provisioning.ProjectWorkspaces("payments", {
 *   projectId: project.id,
 *   workspaceIds: ["ws-4jYzgpqCuGAG3mCt", "ws-Pb8jQtrJfZwRkcRn"],
 *   fallbackProjectId: "prj-5aKcVVJ1yDLTPFoE",
 * });
 * ```
 */
export class ProjectWorkspaces extends TriviumResource<ProjectWorkspacesArgs> {
  /** @internal */
  static override readonly definition = projectWorkspacesDefinition;
}

const moveRows = {
  /** The ID of the project to move the workspaces into: `prj-...`. */
  projectId: pathName(),
  /** The IDs of the workspaces: `ws-...`. */
  workspaceIds: textSet(),
};

/** The arguments of {@link moveWorkspaces}. */
export interface MoveWorkspacesArgs extends PlainArgsOf<typeof moveRows>, Named {}

const moveDefinition = defineFunction(provisioningService, moveRows)(
  "provisioning.moveWorkspaces",
  (client, { projectId, workspaceIds }) => move(client, projectId, workspaceIds),
);

/**
 * Moves workspaces into a project, all of them or none. For scripts only: in a program, use
 * {@link ProjectWorkspaces}.
 *
 * @example
 * ```typescript
 * await trivium.provisioning.moveWorkspaces({ projectId: "prj-5aKcVVJ1yDLTPFoE", workspaceIds: ["ws-4jYzgpqCuGAG3mCt"] });
 * ```
 *
 * @throws {@link errors.TriviumError} if one of them cannot be moved; {@link errors.InputError} inside a
 * Pulumi program
 */
export const moveWorkspaces = scriptForm<MoveWorkspacesArgs>(
  moveDefinition,
  "provisioning.ProjectWorkspaces",
);
