import type { ProvisioningDialect } from "./dialect";
import { pathPrefix } from "./endpoint";
import type { NotificationConfigurationRecord } from "./notification-configuration-record";

/** The resource as the interface shows it: without the token. */
export function toNotificationConfigurationResource(
  configuration: NotificationConfigurationRecord,
  { destinationTypes, relationships, furtherAttributes }: ProvisioningDialect,
): unknown {
  const { id, workspaceId, destinationType, userIds } = configuration;
  const users = userIds.map((userId) => ({ id: userId, type: "users" }));
  return {
    id,
    type: "notification-configurations",
    attributes: {
      enabled: configuration.enabled,
      name: configuration.name,
      url: configuration.url,
      "destination-type": destinationTypes[destinationType],
      token: null,
      triggers: configuration.triggers,
      "delivery-responses": configuration.deliveryResponses.map(({ sentAt, ...response }) => ({
        ...response,
        "sent-at": sentAt,
      })),
      "created-at": configuration.createdAt,
      "updated-at": configuration.updatedAt,
      ...furtherAttributes.notificationConfiguration,
    },
    relationships: {
      subscribable: { data: { id: workspaceId, type: "workspaces" } },
      ...(destinationType === "email"
        ? { users: relationships.shown === "data" ? { data: users } : users }
        : {}),
    },
    links: { self: `${pathPrefix}/notification-configurations/${id}` },
  };
}
