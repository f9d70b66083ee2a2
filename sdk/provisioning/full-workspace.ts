import { ServiceError, TriviumError } from "../base/errors";
import type { Path } from "../base/path";
import type { ProvisioningClient } from "./client";
import { notificationKind } from "./notification-wire";

const mostPerWorkspace = 20;

/**
 * Adds what the service does not say when it refuses another notification configuration because a workspace has as
 * many as it can have.
 *
 * @param list the workspace's configurations
 * @throws the refusal, explained where that is the reason
 */
export async function explainFullWorkspace(
  client: ProvisioningClient,
  workspaceId: string,
  list: Path,
  error: unknown,
): Promise<never> {
  if (ServiceError.isInstance(error) && [403, 409, 422].includes(error.status)) {
    const request = {
      summary: `count the notification configurations of the workspace ${workspaceId}`,
      path: list,
      kind: notificationKind,
    };
    // That they cannot be counted must not hide why the creation was refused.
    const present = await client.listIfThere(request).catch(() => undefined);
    if (present !== undefined && present.length >= mostPerWorkspace) {
      throw new TriviumError(error.message, {
        hint: `The workspace ${workspaceId} already has ${present.length} notification configurations, and ${mostPerWorkspace} is the most that it can have.`,
      });
    }
  }
  throw error;
}
