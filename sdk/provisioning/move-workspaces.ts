import { provisioningService } from "./service";
import { callInScript, type ScriptFunctionOptions } from "../functions/call";
import type { FunctionDefinition } from "../functions/definition";
import { nameInPath } from "../resource/schemas";
import type { ProvisioningClient } from "./client";
import { moveWorkspacesInto } from "./project-workspaces";

/** The arguments of {@link moveWorkspaces}. */
export interface MoveWorkspacesArgs {
  /** The id of the project to move them into: `prj-...`. */
  projectId: string;
  /** The ids of the workspaces: `ws-...`. */
  workspaceIds: readonly string[];
}

const definition: FunctionDefinition<ProvisioningClient, MoveWorkspacesArgs, void> = {
  name: "provisioning.moveWorkspaces",
  service: provisioningService,
  schema: (z) =>
    z.strictObject({
      projectId: nameInPath(z),
      workspaceIds: z.array(z.string()),
    }),
  call: (client, { projectId, workspaceIds }) => moveWorkspacesInto(client, projectId, workspaceIds),
};

/**
 * Moves workspaces into a project, all of them or none. For scripts: a program uses {@link ProjectWorkspaces}.
 *
 * @example
 * ```typescript
 * await trivium.provisioning.moveWorkspaces({ projectId: "prj-5aKcVVJ1yDLTPFoE", workspaceIds: ["ws-4jYzgpqCuGAG3mCt"] });
 * ```
 *
 * @throws {@link errors.TriviumError} when one of them cannot be moved; {@link errors.InputError} inside a Pulumi program
 */
export function moveWorkspaces(args: MoveWorkspacesArgs, options?: ScriptFunctionOptions): Promise<void> {
  return callInScript(definition, "provisioning.ProjectWorkspaces", args, options);
}
