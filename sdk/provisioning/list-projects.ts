import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../functions/call";
import type { FunctionDefinition, Known } from "../functions/definition";
import { nameInPath } from "../resource/schemas";
import type { ProvisioningClient } from "./client";
import { projectResult, type GetProjectResult } from "./project-result";
import { projectKind, projectsOf } from "./project";

/** What a caller may be able to do in a project, as a filter. */
export type ProjectPermissionFilter = "createWorkspace" | "update";

/** The arguments of {@link listProjects}. */
export interface ListProjectsArgs {
  /** The name of the organization. */
  organization: string;
  /** Only projects whose names contain this text, whatever its case. Ignored when `names` is given. */
  q?: string | null | undefined;
  /** Only projects with one of these names, whatever their case; at least one. */
  names?: readonly string[] | null | undefined;
  /** Only projects in which the caller may do all of this. */
  permissions?: readonly ProjectPermissionFilter[] | null | undefined;
}

/** The arguments of {@link listProjectsOutput}. */
export interface ListProjectsOutputArgs {
  /** The name of the organization. */
  organization: pulumi.Input<string>;
  /** Only projects whose names contain this text, whatever its case. Ignored when `names` is given. */
  q?: pulumi.Input<string | null | undefined>;
  /** Only projects with one of these names, whatever their case; at least one. */
  names?: pulumi.Input<pulumi.Input<string>[] | null | undefined>;
  /** Only projects in which the caller may do all of this. */
  permissions?: pulumi.Input<pulumi.Input<ProjectPermissionFilter>[] | null | undefined>;
}

/** What {@link listProjects} answers. */
export interface ListProjectsResult {
  /** The projects, in the service's order. */
  readonly projects: GetProjectResult[];
  /** How many projects the organization has, and how many of them the list holds. */
  readonly statusCounts: { readonly total: number; readonly matching: number };
}

const definition: FunctionDefinition<ProvisioningClient, Known<ListProjectsArgs>, ListProjectsResult> = {
  name: "provisioning.listProjects",
  service: provisioningService,
  schema: (z) =>
    z.strictObject({
      organization: nameInPath(z),
      q: z.string().optional(),
      names: z
        .array(z.string().regex(/^[^,]+$/, "must be a name, without a comma"))
        .min(1, "must hold at least one name; leave it out to list all projects")
        .optional(),
      permissions: z.array(z.enum(["createWorkspace", "update"])).optional(),
    }),

  async call(client, { organization, q, names, permissions = [] }) {
    const { items, meta } = await client.listAll({
      summary: `list the projects of the organization ${organization}`,
      path: projectsOf(organization),
      query: {
        q,
        "filter[names]": names?.join(","),
        "filter[permissions][create-workspace]": permissions.includes("createWorkspace") || undefined,
        "filter[permissions][update]": permissions.includes("update") || undefined,
      },
      kind: projectKind,
      meta: (z) =>
        z.object({ "status-counts": z.object({ total: z.number(), matching: z.number() }).optional() }),
    });
    return {
      projects: items.map((project) => projectResult(project, organization)),
      statusCounts: meta["status-counts"] ?? { total: items.length, matching: items.length },
    };
  },
};

/**
 * Lists the projects of an organization, all pages of them.
 *
 * @example
 * ```typescript
 * const { projects } = await trivium.provisioning.listProjects({ organization: "acme", q: "payments" });
 * ```
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listProjects(args: ListProjectsArgs, options?: FunctionOptions): Promise<ListProjectsResult> {
  return callFunction(definition, args, options);
}

/**
 * Lists the projects of an organization, with arguments that may be outputs of resources. In a preview that still
 * makes one of them, or one that `dependsOn` names, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listProjectsOutput(
  args: ListProjectsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListProjectsResult> {
  return callFunctionOutput(definition, { ...args }, options);
}
