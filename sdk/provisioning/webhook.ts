import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../resource/json";
import { provisioningDialects } from "./dialect";

/** One event in a notification about a run. */
export interface RunEvent {
  /** Why the notification was sent, in words. */
  readonly message: string;
  /** What caused it: `run:completed` and so on. */
  readonly trigger: string;
  /** The status of the run at that time. */
  readonly runStatus: string;
  /** When the run was last changed. */
  readonly runUpdatedAt: string;
  /** The name of the user who changed it; null when the service did. */
  readonly runUpdatedBy: string | null;
}

/** A notification about a run. */
export interface RunNotification {
  /** Tells the kinds apart. */
  readonly kind: "run";
  /** The configuration that caused it: `nc-...`. */
  readonly notificationConfigurationId: string;
  /** The run's id: `run-...`. */
  readonly runId: string;
  /** The address of the run's page. */
  readonly runUrl: string;
  /** Why the run was queued. */
  readonly runMessage: string;
  /** When the run was created. */
  readonly runCreatedAt: string;
  /** The name of the user who created the run. */
  readonly runCreatedBy: string | null;
  /** The id of the run's workspace: `ws-...`. */
  readonly workspaceId: string;
  /** The name of that workspace. */
  readonly workspaceName: string;
  /** The name of the organization that the workspace belongs to. */
  readonly organizationName: string;
  /** What happened; at present always one. */
  readonly notifications: readonly RunEvent[];
  /** The body as it was sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A request by which the service finds out whether the receiver answers. Answer it with any 2xx status. */
export interface VerificationNotification {
  /** Tells the kinds apart. */
  readonly kind: "verification";
  /** The configuration that is verified: `nc-...`; null where the service does not say. */
  readonly notificationConfigurationId: string | null;
  /** The body as it was sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A notification of another form: those about workspaces, assessments and teams vary with what they are about. */
export interface OtherNotification {
  /** Tells the kinds apart. */
  readonly kind: "other";
  /** The body as it was sent. */
  readonly raw: unknown;
}

/** A notification as a receiver gets it. */
export type WebhookNotification = RunNotification | VerificationNotification | OtherNotification;

/** The header of a notification that carries the signature, in lower case; {@link signatureOf} looks for both. */
export const signatureHeader = provisioningDialects.documented.signatureHeader;

/** The header that carries the signature in the hashicorp dialect, in lower case. */
export const hashicorpSignatureHeader = provisioningDialects.hashicorp.signatureHeader;

/** The headers of a request as HTTP servers give them: an object, or the `Headers` of the Fetch standard. */
export type NotificationHeaders =
  Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

/**
 * Finds the signature of a notification, whichever dialect its sender speaks.
 *
 * @param headers of the request; whether names are in upper or lower case does not count
 * @returns what to give to {@link parse} or {@link verifySignature}; `undefined` when there is none
 */
export function signatureOf(headers: NotificationHeaders): string | readonly string[] | undefined {
  return headerOf(headers, signatureHeader) ?? headerOf(headers, hashicorpSignatureHeader);
}

function headerOf(headers: NotificationHeaders, name: string): string | readonly string[] | undefined {
  if (isHeaders(headers)) {
    return headers.get(name) ?? undefined;
  }
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
}

function isHeaders(headers: NotificationHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

/**
 * Whether a notification comes from who knows the token of its configuration. Takes the same time whatever the
 * signature.
 *
 * @param rawBody the body exactly as it arrived, before any parsing
 * @param signature what {@link signatureOf} has found: 128 lower-case hexadecimal digits
 * @param token the configuration's token; without one nothing is ever accepted
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  signature: string | readonly string[] | undefined,
  token: string | undefined,
): boolean {
  const expected = createHmac("sha512", token ?? "")
    .update(rawBody)
    .digest();
  const wellFormed = typeof signature === "string" && /^[0-9a-f]{128}$/.test(signature);
  const given = wellFormed ? Buffer.from(signature, "hex") : Buffer.alloc(expected.length);
  const equal = timingSafeEqual(expected, given);
  // What an empty token signs, anybody can sign.
  return equal && wellFormed && token !== undefined && token !== "";
}

/** How {@link parse} makes sure of the sender. */
export interface ParseOptions {
  /** What {@link signatureOf} has found among the headers of the request. */
  readonly signature: string | readonly string[] | undefined;
  /** The token of the configuration; without one nothing is ever accepted. */
  readonly token: string | undefined;
}

/**
 * Reads a notification that a receiver has got, if its signature is right.
 *
 * @example
 * ```typescript
 * import type { IncomingHttpHeaders } from "node:http";
 * import * as trivium from "pulumi-trivium";
 *
 * function receive(rawBody: Buffer, headers: IncomingHttpHeaders): void {
 *   const notification = trivium.provisioning.webhook.parse(rawBody, {
 *     signature: trivium.provisioning.webhook.signatureOf(headers),
 *     token: process.env.SIGNING_KEY,
 *   });
 *   if (notification.kind === "run") {
 *     console.log(notification.workspaceName, notification.notifications[0]?.trigger);
 *   }
 * }
 * ```
 *
 * @param rawBody the body exactly as it arrived
 * @throws Error when the signature is missing or wrong or there is no token, or when the body is not JSON
 */
export function parse(rawBody: string | Uint8Array, { signature, token }: ParseOptions): WebhookNotification {
  if (!verifySignature(rawBody, signature, token)) {
    throw new Error(whyRefused(signature, token));
  }
  const text = typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8");
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new Error("The body of the notification is not JSON.");
  }
  return isObject(raw) ? (verification(raw) ?? run(raw) ?? { kind: "other", raw }) : { kind: "other", raw };
}

function whyRefused(signature: unknown, token: string | undefined): string {
  if (token === undefined || token === "") {
    return "There is no token to check the signature of the notification with.";
  }
  return signature === undefined
    ? "The notification is not signed: it does not come from a configuration with this token."
    : "The signature of the notification is wrong: it was made with another token, or the body was changed.";
}

function verification(raw: Readonly<Record<string, unknown>>): VerificationNotification | undefined {
  const events: readonly unknown[] = Array.isArray(raw.notifications) ? raw.notifications : [];
  return events.some((event) => isObject(event) && event.trigger === "verification")
    ? {
        kind: "verification",
        notificationConfigurationId: textOr(raw.notification_configuration_id, null),
        raw,
      }
    : undefined;
}

function run(raw: Readonly<Record<string, unknown>>): RunNotification | undefined {
  const { notifications, run_id: runId, notification_configuration_id: id } = raw;
  if (!Array.isArray(notifications) || typeof runId !== "string" || typeof id !== "string") {
    return undefined;
  }
  return {
    kind: "run",
    notificationConfigurationId: id,
    runId,
    runUrl: textOr(raw.run_url, ""),
    runMessage: textOr(raw.run_message, ""),
    runCreatedAt: textOr(raw.run_created_at, ""),
    runCreatedBy: textOr(raw.run_created_by, null),
    workspaceId: textOr(raw.workspace_id, ""),
    workspaceName: textOr(raw.workspace_name, ""),
    organizationName: textOr(raw.organization_name, ""),
    notifications: notifications.filter(isObject).map((event) => ({
      message: textOr(event.message, ""),
      trigger: textOr(event.trigger, ""),
      runStatus: textOr(event.run_status, ""),
      runUpdatedAt: textOr(event.run_updated_at, ""),
      runUpdatedBy: textOr(event.run_updated_by, null),
    })),
    raw,
  };
}

function textOr<Otherwise>(value: unknown, otherwise: Otherwise): string | Otherwise {
  return typeof value === "string" ? value : otherwise;
}
