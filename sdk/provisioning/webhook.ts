import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../base/json";

/** One event in a notification about a run. A member that was not sent is `undefined`. */
export interface RunEvent {
  /** Why the notification was sent, in words. */
  readonly message: string | undefined;
  /** What caused it: `run:completed` and so on. */
  readonly trigger: string | undefined;
  /** The status of the run at that time. */
  readonly runStatus: string | undefined;
  /** When the run was last changed. */
  readonly runUpdatedAt: string | undefined;
  /** The name of the user who changed it; null when the service did. */
  readonly runUpdatedBy: string | null | undefined;
}

/** A notification about a run: version 1 of the payload. A member that was not sent is `undefined`. */
export interface RunNotification {
  /** Tells the kinds apart. */
  readonly kind: "run";
  /** The version of the payload. */
  readonly payloadVersion: 1;
  /** The configuration that caused it: `nc-...`. */
  readonly notificationConfigurationId: string | undefined;
  /** The run's id: `run-...`. */
  readonly runId: string;
  /** The address of the run's page. */
  readonly runUrl: string | undefined;
  /** Why the run was queued. */
  readonly runMessage: string | undefined;
  /** When the run was created. */
  readonly runCreatedAt: string | undefined;
  /** The name of the user who created the run; null when the service did. */
  readonly runCreatedBy: string | null | undefined;
  /** The id of the run's workspace: `ws-...`. */
  readonly workspaceId: string | undefined;
  /** The name of that workspace. */
  readonly workspaceName: string | undefined;
  /** The name of the organization that the workspace belongs to. */
  readonly organizationName: string | undefined;
  /** What happened; at present always one. */
  readonly notifications: readonly RunEvent[];
  /** The body as it was sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A request by which the service finds out whether the receiver answers. Answer it with any 2xx status. */
export interface VerificationNotification {
  /** Tells the kinds apart. */
  readonly kind: "verification";
  /** The version of the payload; `undefined` where the service does not say. */
  readonly payloadVersion: number | undefined;
  /** The configuration that is verified: `nc-...`; `undefined` where the service does not say. */
  readonly notificationConfigurationId: string | undefined;
  /** The body as it was sent; `undefined` when it was empty. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A notification of another form: those about workspaces, assessments and teams vary with what they are about. So do
 * later versions of the payload.
 */
export interface OtherNotification {
  /** Tells the kinds apart. */
  readonly kind: "other";
  /** The version of the payload; `undefined` where the service does not say. */
  readonly payloadVersion: number | undefined;
  /** The body as it was sent. */
  readonly raw: unknown;
}

/** A notification as a receiver gets it. */
export type WebhookNotification = RunNotification | VerificationNotification | OtherNotification;

/** The header of a notification that carries the signature, in lower case; {@link signatureOf} looks for both. */
export const signatureHeader = "x-svc-notification-signature";

/** The header that carries the signature in the hashicorp dialect, in lower case. */
export const hashicorpSignatureHeader = "x-tfe-notification-signature";

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
 * import { parse, signatureOf } from "pulumi-trivium/webhook";
 *
 * function receive(rawBody: Buffer, headers: IncomingHttpHeaders): void {
 *   const notification = parse(rawBody, {
 *     signature: signatureOf(headers),
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
  return read(rawBody);
}

/**
 * Reads a notification without knowing who sent it: for configurations without a token, whose notifications are not
 * signed. Anybody who knows the receiver's URL can send such a body, so do not act on it without asking the service.
 *
 * @param rawBody the body exactly as it arrived
 * @throws Error when the body is not JSON
 */
export function parseUnsigned(rawBody: string | Uint8Array): WebhookNotification {
  return read(rawBody);
}

function read(rawBody: string | Uint8Array): WebhookNotification {
  if (rawBody.length === 0) {
    // The documents do not show the body of a verification request, which therefore may have none.
    return {
      kind: "verification",
      payloadVersion: undefined,
      notificationConfigurationId: undefined,
      raw: undefined,
    };
  }
  const text = typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8");
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new Error("The body of the notification is not JSON.");
  }
  return isObject(raw)
    ? (verification(raw) ?? run(raw) ?? { kind: "other", payloadVersion: versionOf(raw), raw })
    : { kind: "other", payloadVersion: undefined, raw };
}

function whyRefused(signature: unknown, token: string | undefined): string {
  if (token === undefined || token === "") {
    return (
      "There is no token to check the signature of the notification with. " +
      "For a configuration without a token, use parseUnsigned."
    );
  }
  return signature === undefined
    ? "The notification is not signed: it does not come from a configuration with this token."
    : "The signature of the notification is wrong: it was made with another token, or the body was changed.";
}

/** The products write version 2 as text. */
function versionOf({ payload_version: version }: Readonly<Record<string, unknown>>): number | undefined {
  const number = typeof version === "string" && /^\d{1,9}$/.test(version) ? Number(version) : version;
  return typeof number === "number" ? number : undefined;
}

function verification(raw: Readonly<Record<string, unknown>>): VerificationNotification | undefined {
  const events: readonly unknown[] = Array.isArray(raw.notifications) ? raw.notifications : [];
  return events.some((event) => isObject(event) && event.trigger === "verification")
    ? {
        kind: "verification",
        payloadVersion: versionOf(raw),
        notificationConfigurationId: textIn(raw.notification_configuration_id),
        raw,
      }
    : undefined;
}

function run(raw: Readonly<Record<string, unknown>>): RunNotification | undefined {
  const { notifications = [], run_id: runId } = raw;
  if (versionOf(raw) !== 1 || !Array.isArray(notifications) || typeof runId !== "string") {
    return undefined;
  }
  return {
    kind: "run",
    payloadVersion: 1,
    notificationConfigurationId: textIn(raw.notification_configuration_id),
    runId,
    runUrl: textIn(raw.run_url),
    runMessage: textIn(raw.run_message),
    runCreatedAt: textIn(raw.run_created_at),
    runCreatedBy: textOrNull(raw.run_created_by),
    workspaceId: textIn(raw.workspace_id),
    workspaceName: textIn(raw.workspace_name),
    organizationName: textIn(raw.organization_name),
    notifications: notifications.filter(isObject).map((event) => ({
      message: textIn(event.message),
      trigger: textIn(event.trigger),
      runStatus: textIn(event.run_status),
      runUpdatedAt: textIn(event.run_updated_at),
      runUpdatedBy: textOrNull(event.run_updated_by),
    })),
    raw,
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textOrNull(value: unknown): string | null | undefined {
  return value === null ? null : textIn(value);
}
