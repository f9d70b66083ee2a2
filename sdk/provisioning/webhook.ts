import { createHmac, timingSafeEqual } from "node:crypto";
import { types } from "node:util";
import { isObject } from "../base/json";

/** One event in a notification about a run. A member that was not sent is `undefined`. */
export interface RunEvent {
  /** Why the notification was sent. */
  readonly message: string | undefined;
  /** What caused it: `run:completed` and so on. */
  readonly trigger: string | undefined;
  /** The status of the run at that time. */
  readonly runStatus: string | undefined;
  /** When the run was last changed. */
  readonly runUpdatedAt: string | undefined;
  /** The name of the user who changed it; null if the service did. */
  readonly runUpdatedBy: string | null | undefined;
}

/** A notification about a run: version 1 of the payload. A member that was not sent is `undefined`. */
export interface RunNotification {
  /** The kind of notification. */
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
  /** The name of the user who created the run; null if the service did. */
  readonly runCreatedBy: string | null | undefined;
  /** The id of the run's workspace: `ws-...`. */
  readonly workspaceId: string | undefined;
  /** The name of that workspace. */
  readonly workspaceName: string | undefined;
  /** The name of the organization that the workspace belongs to. */
  readonly organizationName: string | undefined;
  /** What happened; currently always one event. */
  readonly notifications: readonly RunEvent[];
  /** The body as it was sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A request by which the service verifies that the receiver responds. Respond with any 2xx status. */
export interface VerificationNotification {
  /** The kind of notification. */
  readonly kind: "verification";
  /** The version of the payload; `undefined` if the service does not return it. */
  readonly payloadVersion: number | undefined;
  /** The configuration that is verified: `nc-...`; `undefined` if the service does not return it. */
  readonly notificationConfigurationId: string | undefined;
  /** The body as it was sent; `undefined` when it was empty. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A notification in another format: notifications about workspaces, assessments and teams have formats of their own,
 * and so do later versions of the payload.
 */
export interface OtherNotification {
  /** The kind of notification. */
  readonly kind: "other";
  /** The version of the payload; `undefined` if the service does not return it. */
  readonly payloadVersion: number | undefined;
  /** The body as it was sent. */
  readonly raw: unknown;
}

/** A notification, as received. */
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
 * @param headers of the request; names are case-insensitive
 * @returns what to give to {@link parse} or {@link verifySignature}; `undefined` when it does not exist
 */
export function signatureOf(headers: NotificationHeaders): string | readonly string[] | undefined {
  const named = isHeaders(headers)
    ? (name: string) => headers.get(name) ?? undefined
    : (name: string) => Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return named(signatureHeader) ?? named(hashicorpSignatureHeader);
}

function isHeaders(headers: NotificationHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

/**
 * Whether a notification was signed with the token of its configuration. Runs in constant time.
 *
 * @param rawBody the raw body, before any parsing
 * @param signature what {@link signatureOf} found: 128 lower-case hexadecimal digits
 * @param token the configuration's token; without one, no notification is accepted
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  signature: string | readonly string[] | undefined,
  token: string | undefined,
): boolean {
  const expected = createHmac("sha512", token ?? "")
    .update(bytesOf(rawBody))
    .digest();
  const wellFormed = typeof signature === "string" && /^[0-9a-f]{128}$/.test(signature);
  const given = wellFormed ? Buffer.from(signature, "hex") : Buffer.alloc(expected.length);
  const equal = timingSafeEqual(expected, given);
  // Anyone can sign with an empty token.
  return equal && wellFormed && token !== undefined && token !== "";
}

/** How {@link parse} verifies the sender. */
export interface ParseOptions {
  /** What {@link signatureOf} found in the headers of the request. */
  readonly signature: string | readonly string[] | undefined;
  /** The token of the configuration; without one, no notification is accepted. */
  readonly token: string | undefined;
}

/**
 * Parses a notification and verifies its signature.
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
 * @throws Error if the signature is missing or invalid, if there is no token, or if the body is not JSON
 */
export function parse(rawBody: string | Uint8Array, { signature, token }: ParseOptions): WebhookNotification {
  if (!verifySignature(rawBody, signature, token)) {
    throw new Error(whyRefused(signature, token));
  }
  return parseUnsigned(rawBody);
}

/**
 * Parses a notification without verifying its sender, for configurations without a token, whose notifications
 * are not signed. Anyone who knows the URL of the receiver can send such a body, so confirm it with the
 * service before acting on it.
 *
 * @param rawBody the body exactly as it arrived
 * @throws Error when the body is not JSON
 */
export function parseUnsigned(rawBody: string | Uint8Array): WebhookNotification {
  const bytes = bytesOf(rawBody);
  if (bytes.length === 0) {
    // The documentation does not show the body of a verification request, so it may be empty.
    return verification(undefined);
  }
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new Error("The body of the notification is not JSON.");
  }
  if (!isObject(raw)) {
    return { kind: "other", payloadVersion: undefined, raw };
  }
  const events: readonly unknown[] = Array.isArray(raw.notifications) ? raw.notifications : [];
  return events.some((event) => isObject(event) && event.trigger === "verification")
    ? verification(raw)
    : (run(raw) ?? { kind: "other", payloadVersion: versionOf(raw), raw });
}

/** @throws Error for what is neither text nor bytes, such as a body that the framework has parsed */
function bytesOf(rawBody: unknown): Buffer {
  if (typeof rawBody === "string") {
    return Buffer.from(rawBody);
  }
  if (ArrayBuffer.isView(rawBody)) {
    return Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  }
  if (types.isAnyArrayBuffer(rawBody)) {
    return Buffer.from(rawBody);
  }
  throw new Error(
    `\`rawBody\` must be the body as it arrived, as text or bytes, not ${rawBody === null ? "null" : `of type ${typeof rawBody}`}: ` +
      'only those bytes are signed. In Express, use express.raw({ type: "*/*" }) for this route; in Fastify, ' +
      'addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body)).',
  );
}

function whyRefused(signature: unknown, token: string | undefined): string {
  if (token === undefined || token === "") {
    return (
      "No token was given to verify the signature of the notification. " +
      "For a configuration without a token, use parseUnsigned."
    );
  }
  return signature === undefined
    ? "The notification is not signed, so it does not come from a configuration with this token."
    : "The signature of the notification is not valid: it was created with another token, or the body was changed.";
}

/** The products write version 2 as text. */
function versionOf({ payload_version: version }: Readonly<Record<string, unknown>>): number | undefined {
  const number = typeof version === "string" && /^\d{1,9}$/.test(version) ? Number(version) : version;
  return typeof number === "number" ? number : undefined;
}

function verification(raw: VerificationNotification["raw"]): VerificationNotification {
  const notificationConfigurationId = textIn(raw?.notification_configuration_id);
  return { kind: "verification", payloadVersion: versionOf(raw ?? {}), notificationConfigurationId, raw };
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
