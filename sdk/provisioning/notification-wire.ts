import { resourceDocument } from "../http/json-api";
import type { Validation } from "../base/validation";
import { destinationTypeCalled } from "./destination-type";
import type { KnownDestinationType, ProvisioningDialect } from "./dialect";
import { type ObjectOf, resourceKind } from "./kind";

/** What a receiver answered to the last verification request. */
export interface DeliveryResponse {
  /** The URL that the request was sent to. */
  readonly url: string;
  /** The body of the answer, possibly cut. */
  readonly body: string;
  /** The HTTP status. */
  readonly code: string;
  /** The headers of the answer, by lower-case name. */
  readonly headers: Record<string, string[]>;
  /** When the request was sent, as the service writes it: `2026-01-02 03:04:05 UTC`, or ISO 8601. */
  readonly sentAt: string;
  /** Whether the service counts it as success. */
  readonly successful: boolean;
}

/**
 * A configuration as the service answers it. The token is always null there, so it is not read at all.
 *
 * @internal
 */
export const notificationKind = resourceKind("notification-configurations", (z, dialect) =>
  z
    .object({
      id: z.string(),
      attributes: z.object({
        name: z.string(),
        enabled: z.boolean(),
        url: z.string().nullish(),
        "destination-type": z.string(),
        triggers: z.array(z.string()).nullish(),
        "delivery-responses": z.array(deliveryResponse(z)).nullish(),
        "created-at": z.string().optional(),
        "updated-at": z.string().optional(),
      }),
      relationships: z.object({
        subscribable: z
          .object({ data: z.object({ id: z.string(), type: z.string().optional() }).nullish() })
          .nullish(),
        users: identifiers(z).nullish(),
      }),
    })
    .transform(({ id, attributes, relationships }) => ({
      id,
      state: {
        workspaceId: workspaceIdFrom(relationships.subscribable?.data),
        name: attributes.name,
        destinationType:
          destinationTypeCalled(attributes["destination-type"], dialect) ?? attributes["destination-type"],
        enabled: attributes.enabled,
        url: attributes.url ?? (isEmail(attributes) ? null : undefined),
        triggers: attributes.triggers === null ? [] : attributes.triggers,
        userIds: relationships.users?.map((user) => user.id) ?? (isEmail(attributes) ? undefined : []),
        deliveryResponses: attributes["delivery-responses"] === null ? [] : attributes["delivery-responses"],
        createdAt: attributes["created-at"],
        updatedAt: attributes["updated-at"],
      },
    })),
);

const deliveryResponse = (z: Validation) =>
  z
    .object({
      url: z.string(),
      body: z.string().nullish(),
      code: z.union([z.string(), z.number()]),
      headers: z.record(z.string(), z.union([z.array(z.string()), oneText(z)])).nullish(),
      "sent-at": z.string(),
      successful: z.union([z.boolean(), z.enum(["true", "false"])]),
    })
    .transform(({ url, body, code, headers, "sent-at": sentAt, successful }): DeliveryResponse => ({
      url,
      body: body ?? "",
      code: String(code),
      headers: headers ?? {},
      sentAt,
      successful: successful === true || successful === "true",
    }));

const oneText = (z: Validation) => z.string().transform((text) => [text]);

/** Both forms in which the documents can be read: a bare list, and one in `data`. */
const identifiers = (z: Validation) => {
  const list = z.array(z.object({ id: z.string() }));
  return z.union([list, z.object({ data: list.nullish() }).transform(({ data }) => data ?? undefined)]);
};

/** Only e-mail has users, and it has no URL. */
function isEmail(attributes: { readonly "destination-type": string }): boolean {
  return attributes["destination-type"] === "email";
}

/** The products have configurations of projects and teams too. */
function workspaceIdFrom(
  subscribable: { readonly id: string; readonly type?: string | undefined } | null | undefined,
): string | undefined {
  return (subscribable?.type ?? "workspaces") === "workspaces" ? subscribable?.id : undefined;
}

/**
 * The fields of a configuration that a request may carry; null clears one.
 *
 * @internal
 */
export interface NotificationFields {
  readonly name: string;
  readonly destinationType: KnownDestinationType;
  readonly enabled?: boolean | undefined;
  readonly url?: string | null | undefined;
  readonly token?: string | null | undefined;
  readonly triggers?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/**
 * The request body that creates a configuration, or changes some of its fields.
 *
 * @param includes which fields it carries
 * @param id of the configuration that it changes
 * @internal
 */
export function notificationDocument(
  wanted: NotificationFields,
  includes: (name: keyof NotificationFields) => boolean,
  dialect: ProvisioningDialect,
  id?: string,
): object {
  const only = <Value>(name: keyof NotificationFields, value: Value): Value | undefined =>
    includes(name) ? value : undefined;
  const userIds = only("userIds", wanted.userIds && [...new Set(wanted.userIds)]);
  const users = userIds?.map((userId) => ({ type: "users", id: userId }));
  return resourceDocument({
    type: dialect.notificationConfigurationType,
    id,
    attributes: {
      "destination-type": only("destinationType", dialect.destinationTypes[wanted.destinationType]),
      name: only("name", wanted.name),
      enabled: only("enabled", wanted.enabled),
      url: only("url", wanted.url),
      token: only("token", wanted.token),
      triggers: only("triggers", wanted.triggers && [...new Set(wanted.triggers)]),
    },
    relationships: users && { users: dialect.relationshipsInData ? { data: users } : users },
  });
}

/**
 * A configuration once it has been read.
 *
 * @internal
 */
export type NotificationObject = ObjectOf<typeof notificationKind>;
