import { isObject, snakeCase } from "../base/json";

// Not imported: in a receiver that is bundled as an ES module, nothing can be required.
const crypto = process.getBuiltinModule("node:crypto");
const { types } = process.getBuiltinModule("node:util");

/** One event in a notification of version 1. A member that was not sent is `undefined`. */
export interface RunEvent {
  /** The reason for the notification, as text. */
  readonly message: string | undefined;
  /** The trigger of the notification: `run:completed` and so on. */
  readonly trigger: string | undefined;
  /** The scope of the trigger, which newer releases add. */
  readonly triggerType: string | null | undefined;
  /** The run's status at that time. */
  readonly runStatus: string | undefined;
  /** When the run was last changed. */
  readonly runUpdatedAt: string | undefined;
  /** The name of the user who changed the run; null if the service changed it. */
  readonly runUpdatedBy: string | null | undefined;
}

interface WorkspaceEvent {
  /** The ID of the configuration that the notification belongs to: `nc-...`. */
  readonly notificationConfigurationId: string | undefined;
  /** The ID of the workspace: `ws-...`. */
  readonly workspaceId: string | undefined;
  /** The name of the workspace. */
  readonly workspaceName: string | undefined;
  /** The name of the organization that the workspace belongs to. */
  readonly organizationName: string | undefined;
  /** The parsed body, with its members as they were sent. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A notification about a run: version 1 of the payload. A member that was not sent is `undefined`. */
export interface RunNotification extends WorkspaceEvent {
  /** The kind of notification. */
  readonly kind: "run";
  /** The version of the payload. */
  readonly payloadVersion: 1;
  /** The run's ID: `run-...`. */
  readonly runId: string;
  /** The URL of the run's page. */
  readonly runUrl: string | undefined;
  /** Why the run was queued. */
  readonly runMessage: string | undefined;
  /** When the run was created. */
  readonly runCreatedAt: string | undefined;
  /** The name of the user who created the run; null if the service created it. */
  readonly runCreatedBy: string | null | undefined;
  /** What happened; currently always one event. */
  readonly notifications: readonly RunEvent[];
}

/** A notification from the products about a change request: version 1 of the payload. */
export interface ChangeRequestNotification extends WorkspaceEvent {
  /** The kind of notification. */
  readonly kind: "changeRequest";
  /** The version of the payload. */
  readonly payloadVersion: 1;
  /** The URL of the change request's page. */
  readonly changeRequestUrl: string | undefined;
  /** The subject of the change request. */
  readonly changeRequestSubject: string | undefined;
  /** The description of the requested change. */
  readonly changeRequestMessage: string | undefined;
  /** When the change request was created. */
  readonly changeRequestCreatedAt: string | undefined;
  /** The name of the user who created the change request; null if the service created it. */
  readonly changeRequestCreatedBy: string | null | undefined;
  /** What happened; the members about a run are `undefined`. */
  readonly notifications: readonly RunEvent[];
}

interface VersionTwo extends WorkspaceEvent {
  /** The version of the payload. */
  readonly payloadVersion: 2;
  /** The URL of the configuration. */
  readonly notificationConfigurationUrl: string | undefined;
  /** The reason for the notification, as text. */
  readonly message: string | undefined;
}

/** What an assessment of a workspace found. A member that was not sent is `undefined`. */
export interface AssessmentResult {
  /** The ID of the result: `asmtres-...`. */
  readonly id: string | undefined;
  /** The URL of the result. */
  readonly url: string | undefined;
  /** Whether the assessment itself succeeded. */
  readonly succeeded: boolean | undefined;
  /** Whether anything has drifted. */
  readonly drifted: boolean | undefined;
  /** The number of resources that have drifted. */
  readonly resourcesDrifted: number | undefined;
  /** The number of resources that have not drifted. */
  readonly resourcesUndrifted: number | undefined;
  /** Whether all checks have passed. */
  readonly allChecksSucceeded: boolean | undefined;
  /** The number of checks that have passed. */
  readonly checksPassed: number | undefined;
  /** The number of checks that have failed. */
  readonly checksFailed: number | undefined;
  /** The number of checks that ended with an error. */
  readonly checksErrored: number | undefined;
  /** The number of checks without a result. */
  readonly checksUnknown: number | undefined;
  /** When the result was created. */
  readonly createdAt: string | undefined;
}

/** A notification from the products about an assessment (drift and checks): version 2 of the payload. */
export interface AssessmentNotification extends VersionTwo {
  /** The kind of notification. */
  readonly kind: "assessment";
  /** The trigger of the notification. */
  readonly trigger:
    "assessment:drifted" | "assessment:check_failure" | "assessment:failed" | (string & {}) | undefined;
  /** What the assessment found; null if there is no result. */
  readonly newAssessmentResult: AssessmentResult | null | undefined;
  /** What the previous assessment found; null if there was none. */
  readonly priorAssessmentResult: AssessmentResult | null | undefined;
}

/**
 * A notification from the products about the automatic destruction of a workspace: version 2 of the payload.
 */
export interface WorkspaceNotification extends VersionTwo {
  /** The kind of notification. */
  readonly kind: "workspace";
  /** The trigger of the notification. For results, its name differs from the configuration's trigger. */
  readonly trigger:
    "workspace:auto_destroy_reminder" | "workspace:auto_destroy_results" | (string & {}) | undefined;
  /** The scope of the trigger, which newer releases add. */
  readonly triggerType: string | null | undefined;
  /** When the workspace's resources are destroyed. */
  readonly autoDestroyAt: string | null | undefined;
  /** The ID of the run that destroys them: `run-...`. */
  readonly runExternalId: string | null | undefined;
  /** When the run was created. */
  readonly runCreatedAt: string | null | undefined;
  /** The status of the run. */
  readonly runStatus: string | null | undefined;
  /** Why the run could not be created. */
  readonly runCreateErrorMessage: string | null | undefined;
}

/** A verification request: the service checks whether the receiver responds. Respond with any 2xx status. */
export interface VerificationNotification {
  /** The kind of notification. */
  readonly kind: "verification";
  /** The version of the payload; `undefined` if the service does not return it. */
  readonly payloadVersion: number | undefined;
  /**
   * The ID of the configuration that is verified: `nc-...`; `undefined` if the service does not return it.
   */
  readonly notificationConfigurationId: string | undefined;
  /** The parsed body; `undefined` when it was empty. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/** A notification in another format, such as later versions of the payload. */
export interface OtherNotification {
  /** The kind of notification. */
  readonly kind: "other";
  /** The version of the payload; `undefined` if the service does not return it. */
  readonly payloadVersion: number | undefined;
  /** The parsed body, with its members as they were sent. */
  readonly raw: unknown;
}

/** A notification, as received. */
export type WebhookNotification =
  | RunNotification
  | AssessmentNotification
  | WorkspaceNotification
  | ChangeRequestNotification
  | VerificationNotification
  | OtherNotification;

/**
 * The name of the header that contains a notification's signature, in lower case. {@link signatureOf} reads
 * it and {@link hashicorpSignatureHeader}.
 */
export const signatureHeader = "x-svc-notification-signature";

/** The name of the header that contains the signature in the hashicorp dialect, in lower case. */
export const hashicorpSignatureHeader = "x-tfe-notification-signature";

type HeaderValue = string | readonly string[] | null | undefined;

/**
 * The headers of a request in any of the forms that HTTP servers, functions and load balancers use: an object
 * with strings or lists, the `Headers` of the Fetch standard, a `Map`, pairs of names and values, or
 * alternating names and values (`rawHeaders`).
 */
export type NotificationHeaders =
  | Readonly<Record<string, HeaderValue>>
  | { get(name: string): string | null }
  | ReadonlyMap<string, HeaderValue>
  | readonly (readonly [string, HeaderValue])[]
  | readonly string[];

/**
 * Finds the signature of a notification in either dialect.
 *
 * @param headers the request's headers; names are case-insensitive
 * @returns the signature to pass to {@link parse} or {@link verifySignature}; `undefined` if there is none
 */
export function signatureOf(headers: NotificationHeaders): string | readonly string[] | undefined {
  const named = (name: string): string | readonly string[] | undefined => {
    if (isFetched(headers)) {
      return headers.get(name) ?? undefined;
    }
    const values = pairsOf(headers)
      .filter(([each]) => each.toLowerCase() === name)
      .flatMap(([, value]) => value ?? []);
    // Load balancers and functions pass each header as a list.
    return values.length > 1 ? values : values[0];
  };
  return named(signatureHeader) ?? named(hashicorpSignatureHeader);
}

function isFetched(headers: NotificationHeaders): headers is { get(name: string): string | null } {
  return "get" in headers && typeof headers.get === "function" && !types.isMap(headers);
}

function pairsOf(headers: unknown): readonly (readonly [string, HeaderValue])[] {
  if (types.isMap(headers)) {
    return [...(headers as ReadonlyMap<string, HeaderValue>)];
  }
  if (!Array.isArray(headers)) {
    return Object.entries(Object(headers) as Readonly<Record<string, HeaderValue>>);
  }
  const items: readonly unknown[] = headers;
  return items.every((item) => typeof item === "string")
    ? items.flatMap((name, place) => (place % 2 === 0 ? [[name, items[place + 1]] as const] : []))
    : (items as readonly (readonly [string, HeaderValue])[]);
}

/**
 * Whether a notification was signed with the token of its configuration. Runs in constant time.
 *
 * @param rawBody the raw body, before any parsing
 * @param signature the result of {@link signatureOf}: 128 lower-case hexadecimal digits
 * @param token the configuration's token; without one, no notification is accepted
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  signature: string | readonly string[] | undefined,
  token: string | undefined,
): boolean {
  const expected = crypto
    .createHmac("sha512", token ?? "")
    .update(bytesOf(rawBody))
    .digest();
  const wellFormed = typeof signature === "string" && /^[0-9a-f]{128}$/.test(signature);
  const given = wellFormed ? Buffer.from(signature, "hex") : Buffer.alloc(expected.length);
  const equal = crypto.timingSafeEqual(expected, given);
  // Anyone can sign with an empty token.
  return equal && wellFormed && token !== undefined && token !== "";
}

/** How {@link parse} verifies the sender. */
export interface ParseOptions {
  /** The result of {@link signatureOf} for the request's headers. */
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
 *   } else if (notification.kind === "assessment") {
 *     console.log(notification.workspaceName, notification.newAssessmentResult?.resourcesDrifted);
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
 * Parses a notification without verifying its sender. Use this for configurations without a token, whose
 * notifications are not signed. Anyone who knows the URL of the receiver can send such a body, so confirm it
 * with the service before acting on it.
 *
 * @param rawBody the body exactly as it arrived
 * @throws Error if the body is not JSON
 */
export function parseUnsigned(rawBody: string | Uint8Array): WebhookNotification {
  const bytes = bytesOf(rawBody);
  if (bytes.length === 0) {
    // The documentation does not show the body of a verification request, so it might be empty.
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
    : (inVersion(raw) ?? { kind: "other", payloadVersion: versionOf(raw), raw });
}

/** @throws Error if the body is neither text nor bytes, such as one that the framework has already parsed */
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

function whyRefused(signature: string | readonly string[] | undefined, token: string | undefined): string {
  if (token === undefined || token === "") {
    return (
      "No token was given to verify the signature of the notification. " +
      "For a configuration without a token, use parseUnsigned."
    );
  }
  const count = Array.isArray(signature) ? signature.length : 1;
  if (count > 1) {
    return `The notification has ${count} signatures, but the service sends at most one. Check which headers the proxies in front of the receiver add.`;
  }
  return signature === undefined || count === 0
    ? "The notification is not signed, so it does not come from a configuration with this token."
    : "The signature of the notification is not valid: it was created with another token, or the body was changed.";
}

/** The products send version 2 as a string. */
function versionOf({ payload_version: version }: Readonly<Record<string, unknown>>): number | undefined {
  const number = typeof version === "string" && /^\d{1,9}$/.test(version) ? Number(version) : version;
  return typeof number === "number" ? number : undefined;
}

function verification(raw: VerificationNotification["raw"]): VerificationNotification {
  const members = raw ?? {};
  const names = textsOf(members, "notificationConfigurationId");
  return { kind: "verification", payloadVersion: versionOf(members), ...names, raw };
}

type Members = Readonly<Record<string, unknown>>;

function inVersion(raw: Members): WebhookNotification | undefined {
  switch (versionOf(raw)) {
    case 1:
      return versionOne(raw);
    case 2:
      return versionTwo(raw);
    default:
      return undefined;
  }
}

function versionOne(raw: Members): RunNotification | ChangeRequestNotification | undefined {
  const { notifications = [], run_id: runId } = raw;
  if (!Array.isArray(notifications)) {
    return undefined;
  }
  const common = {
    payloadVersion: 1,
    ...workspaceEvent(raw, raw),
    notifications: notifications.filter(isObject).map((event) => ({
      ...textsOf(event, "message", "trigger", "runStatus", "runUpdatedAt"),
      ...textsOrNull(event, "triggerType", "runUpdatedBy"),
    })),
  } as const;
  if (typeof runId === "string") {
    const texts = textsOf(raw, "runUrl", "runMessage", "runCreatedAt");
    return { kind: "run", runId, ...texts, ...textsOrNull(raw, "runCreatedBy"), ...common };
  }
  return Object.keys(raw).some((name) => name.startsWith("change_request_"))
    ? {
        kind: "changeRequest",
        ...textsOf(raw, "changeRequestUrl", "changeRequestSubject", "changeRequestMessage"),
        ...textsOf(raw, "changeRequestCreatedAt"),
        ...textsOrNull(raw, "changeRequestCreatedBy"),
        ...common,
      }
    : undefined;
}

function versionTwo(raw: Members): AssessmentNotification | WorkspaceNotification | undefined {
  const details = isObject(raw.details) ? raw.details : {};
  const common = {
    payloadVersion: 2,
    ...workspaceEvent(raw, details),
    ...textsOf(raw, "notificationConfigurationUrl", "trigger", "message"),
  } as const;
  switch (raw.trigger_scope) {
    case "assessment":
      return {
        kind: "assessment",
        newAssessmentResult: assessmentResult(details.new_assessment_result),
        priorAssessmentResult: assessmentResult(details.prior_assessment_result),
        ...common,
      };
    case "workspace":
      return {
        kind: "workspace",
        ...textsOrNull(details, "triggerType", "autoDestroyAt", "runExternalId", "runCreatedAt", "runStatus"),
        ...textsOrNull(details, "runCreateErrorMessage"),
        ...common,
      };
    default:
      return undefined;
  }
}

function workspaceEvent(raw: Members, names: Members): WorkspaceEvent {
  return {
    ...textsOf(raw, "notificationConfigurationId"),
    ...textsOf(names, "workspaceId", "workspaceName", "organizationName"),
    raw,
  };
}

function assessmentResult(result: unknown): AssessmentResult | null | undefined {
  if (!isObject(result)) {
    return result === null ? null : undefined;
  }
  const counts = ["checksPassed", "checksFailed", "checksErrored", "checksUnknown"] as const;
  return {
    ...textsOf(result, "id", "url", "createdAt"),
    ...membersOf(isFlag, result, "succeeded", "drifted", "allChecksSucceeded"),
    ...membersOf(isNumber, result, "resourcesDrifted", "resourcesUndrifted", ...counts),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number";

/** Maps the members to their names here; an invalid value becomes `undefined`. */
function membersOf<Value, Name extends string>(
  isValid: (value: unknown) => value is Value,
  members: Members,
  ...names: readonly Name[]
): Record<Name, Value | undefined> {
  const found = names.map((name) => [name, members[snakeCase(name)]] as const);
  const valid = found.map(([name, value]) => [name, isValid(value) ? value : undefined] as const);
  return Object.fromEntries(valid) as Record<Name, Value | undefined>;
}

function textsOf<Name extends string>(members: Members, ...names: readonly Name[]) {
  return membersOf(isText, members, ...names);
}

function textsOrNull<Name extends string>(members: Members, ...names: readonly Name[]) {
  return membersOf((value) => value === null || isText(value), members, ...names);
}
