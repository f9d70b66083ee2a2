import { advisedOtherwise, ServiceError } from "../base/errors";
import type { Path } from "../base/path";
import type { ProvisioningClient } from "./client";
import type { ResourceKind } from "./kind";

const mostPerWorkspace = 20;

/**
 * Explains the error for a notification configuration in a workspace that has the maximum number.
 *
 * @param list the workspace's configurations, and their kind
 * @throws the refusal, explained where that is the reason
 */
export async function explainFullWorkspace(
  client: ProvisioningClient,
  workspaceId: string,
  list: { readonly path: Path; readonly kind: ResourceKind },
  error: unknown,
): Promise<never> {
  if (ServiceError.isInstance(error) && [403, 409, 422].includes(error.status)) {
    const request = {
      summary: `count the notification configurations of the workspace ${workspaceId}`,
      ...list,
    };
    // A failure to count them must not hide the error of the creation.
    const present = await client.listIfThere(request).catch(() => undefined);
    if (present !== undefined && present.length >= mostPerWorkspace) {
      throw advisedOtherwise(
        error,
        `The workspace ${workspaceId} already has ${present.length} notification configurations; the maximum is ${mostPerWorkspace}.`,
      );
    }
  }
  throw error;
}
