/**
 * Where notifications go: to a receiver of ours, to users by e-mail, or to one of the two kinds of team chat. The
 * emulator calls them so whatever their names on the wire.
 */
export type NotificationDestinationType = "generic" | "email" | "chat-a" | "chat-b";

/** What can be changed about a notification configuration. */
export interface NotificationConfigurationSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Null for e-mail. */
  readonly url: string | null;
  /** In clear, as the service keeps it. */
  readonly token: string | null;
  /** In the order of the service, each once. */
  readonly triggers: readonly string[];
  /** Ids of the users who get the e-mail. */
  readonly userIds: readonly string[];
}

/** What a receiver answered to a verification request, in the spelling of the interface. */
export interface DeliveryResponse {
  /** To which the request was sent. */
  readonly url: string;
  /** The beginning of the body: at most 4 KiB. */
  readonly body: string;
  /** The status. */
  readonly code: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** In UTC, such as `2026-01-31 12:00:00 UTC`, or `2026-01-31T12:00:00+00:00` in the hashicorp dialect. */
  readonly sentAt: string;
  readonly successful: string;
}

export interface NotificationConfigurationRecord extends NotificationConfigurationSettings {
  readonly id: string;
  readonly workspaceId: string;
  readonly destinationType: NotificationDestinationType;
  /** None, or the answer to the latest verification request that was answered. */
  readonly deliveryResponses: readonly DeliveryResponse[];
  /** ISO 8601, in UTC. */
  readonly createdAt: string;
  /** ISO 8601, in UTC. */
  readonly updatedAt: string;
}
