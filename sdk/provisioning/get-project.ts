import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../functions/call";
import type { FunctionDefinition, Known } from "../functions/definition";
import { NotFoundError } from "../base/errors";
import { path } from "../base/path";
import { nameInPath } from "../resource/schemas";
import type { ProvisioningClient } from "./client";
import { findProject, projectKind } from "./project";
import { projectResult, type GetProjectResult } from "./project-result";

/** The arguments of {@link getProject}: either `id`, or `organization` and `name`. */
export interface GetProjectArgs {
  /** The project's id: `prj-...`. */
  id?: string | null | undefined;
  /** The name of the organization that the project belongs to. */
  organization?: string | null | undefined;
  /** The project's exact name. */
  name?: string | null | undefined;
}

/** The arguments of {@link getProjectOutput}: either `id`, or `organization` and `name`. */
export interface GetProjectOutputArgs {
  /** The project's id: `prj-...`. */
  id?: pulumi.Input<string | null | undefined>;
  /** The name of the organization that the project belongs to. */
  organization?: pulumi.Input<string | null | undefined>;
  /** The project's exact name. */
  name?: pulumi.Input<string | null | undefined>;
}

const definition: FunctionDefinition<ProvisioningClient, Known<GetProjectArgs>, GetProjectResult> = {
  name: "provisioning.getProject",
  service: provisioningService,
  schema: (z) =>
    z
      .strictObject({
        id: nameInPath(z).optional(),
        organization: nameInPath(z).optional(),
        name: z.string().min(1, "must not be empty").optional(),
      })
      .refine(
        ({ id, organization, name }) =>
          id === undefined
            ? organization !== undefined && name !== undefined
            : organization === undefined && name === undefined,
        "takes either id, or organization and name",
      ),

  async call(client, { id, organization = "", name = "" }) {
    const project =
      id === undefined
        ? await findProject(client, organization, name, true)
        : await client.show({
            summary: `read the project ${id}`,
            path: path`/projects/${id}`,
            kind: projectKind,
            id,
          });
    if (project === undefined) {
      const what = id ?? `${JSON.stringify(name)} in the organization ${organization}`;
      throw new NotFoundError(`There is no project ${what}, or this token may not see it.`);
    }
    return projectResult(project, id === undefined ? organization : undefined);
  },
};

/**
 * Reads one project.
 *
 * @example
 * ```typescript
 * const { id } = await trivium.provisioning.getProject({ organization: "acme", name: "payments-production" });
 * ```
 *
 * @throws {@link errors.NotFoundError} when there is no such project, or the service does not show it to this token
 */
export function getProject(args: GetProjectArgs, options?: FunctionOptions): Promise<GetProjectResult> {
  return callFunction(definition, args, options);
}

/**
 * Reads one project, with arguments that may be outputs of resources. In a preview that still makes one of them
 * the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getProjectOutput(
  args: GetProjectOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetProjectResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
