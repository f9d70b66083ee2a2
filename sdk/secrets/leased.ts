import type * as Zod from "zod";
import type { Caller } from "../base/caller";
import { parseDuration } from "../base/duration";
import {
  advisedOtherwise,
  mayHaveBeenProcessed,
  messageOf,
  ServiceError,
  TriviumError,
} from "../base/errors";
import type { JsonObject } from "../base/json";
import type { Path } from "../base/path";
import { duration } from "../resource/fields/canonical";
import type { ResourceBehaviour } from "../resource/definition";
import { type Field, field } from "../resource/fields/field";
import { durationInSeconds } from "../resource/fields/schemas";
import type { Lease } from "./response";
import type { Issued, SecretsClient, SecretsRequest, WithData } from "./client";

/** The role of an engine of which something is issued. */
export interface IssuingRole {
  readonly mount: string;
  readonly roleName: string;
}

/** What roles of one kind issue with a lifetime and return only once: credentials, tokens. */
export interface LeasedKind {
  /** What was issued, at the beginning of a sentence: `The credential v_ada of the role ops`. */
  readonly describe: (outputs: Readonly<Record<string, unknown>>) => string;
  /** Has it issued. */
  readonly issue: (
    client: SecretsClient,
    role: IssuingRole,
  ) => Promise<{ readonly id: string; readonly state: object; readonly lease: Lease }>;
  /** What a service can be asked for to hear its time. */
  readonly timePath: (role: IssuingRole) => Path;
  /** How many seconds it lives where no lease says so; 0 forever. */
  readonly lifetime: (client: SecretsClient, role: IssuingRole) => Promise<number>;
}

/** What the arguments of something leased are ready for the wire. */
interface LeasedValues extends IssuingRole {
  readonly renewBefore?: string | number | null | undefined;
}

type LeasedBehaviour = Pick<
  ResourceBehaviour<SecretsClient, LeasedValues>,
  "ended" | "create" | "read" | "update" | "delete"
>;

/** How long before its end something is replaced. */
export function renewBefore(): Field<string | number, string | number, "optional"> {
  return field<string | number, string | number, { readonly role: "behaviour"; readonly optional: true }>(
    { argument: durationInSeconds, response: durationInSeconds, canonical: duration },
    { role: "behaviour", optional: true },
  );
}

/**
 * The lifecycle of what is issued once, stored in state, and replaced when it has expired or will within
 * `renewBefore`. Its outputs are those of the role, what was issued, `leaseId` and `expiresAt`.
 */
export function leasedBehaviour({ describe, issue, timePath, lifetime }: LeasedKind): LeasedBehaviour {
  return {
    ended: (outputs, inputs, now) => endOf(describe(outputs), outputs, inputs, now),

    async create(step, { mount, roleName, renewBefore: earlier }) {
      const sentAt = Date.now();
      const { id, state: issued, lease } = await issue(step.client, { mount, roleName });
      const askedAt = step.client.clock.at(sentAt);
      const state = { mount, roleName, ...issued, leaseId: lease.id };
      if (lease.durationSeconds === 0) {
        // What is missing is read.
        return { id, state, memory: { askedAt } };
      }
      const expiresAt = expiryAfter(askedAt, lease.durationSeconds);
      warnOfConstantRenewal(step, describe(state), { expiresAt, renewBefore: earlier ?? null }, askedAt);
      return { id, state: { ...state, expiresAt }, memory: { askedAt } };
    },

    async read(step, _id, known) {
      const { mount, roleName, expiresAt: knownEnd } = known;
      const role = { mount: String(mount), roleName: String(roleName) };
      const request = () => ({ summary: "read the time of the service", path: timePath(role) });
      if (await isOver(step.client, knownEnd, request)) {
        return undefined;
      }
      const { askedAt } = step.memory;
      if (
        knownEnd !== undefined ||
        typeof askedAt !== "number" ||
        typeof mount !== "string" ||
        typeof roleName !== "string"
      ) {
        // The service cannot read what it has issued, which exists until it expires.
        return {};
      }
      const expiresAt = expiryAfter(askedAt, await lifetime(step.client, role));
      const earlier = parseDuration(known.renewBefore) ?? null;
      warnOfConstantRenewal(step, describe(known), { expiresAt, renewBefore: earlier }, askedAt);
      return { expiresAt };
    },

    // Every argument that a request depends on replaces it.
    update: () => Promise.resolve({}),

    delete: (step, _id, known) => revokeLease(step.client, step, describe(known), known),
  };
}

/**
 * Issues something, in one request that is not retried once the service may have processed it.
 *
 * @param consequence what may exist when the response is lost, what becomes of it, and how to go on
 */
export async function issueOnce<Shape extends Zod.ZodType>(
  client: SecretsClient,
  request: SecretsRequest & WithData<Shape>,
  consequence: string,
): Promise<Issued<Zod.output<Shape>>> {
  try {
    return await client.issue({ ...request, method: "GET" });
  } catch (error) {
    throw explainLostResponse(error, consequence);
  }
}

/**
 * The expiry of something that was issued.
 *
 * @param askedAt milliseconds since 1970, from before the request: nothing must count as alive when it has ended
 * @param seconds how long it lives; 0 is forever
 * @returns ISO 8601 in UTC; null for never
 */
export function expiryAfter(askedAt: number, seconds: number): string | null {
  const end = new Date(askedAt + seconds * 1000);
  // Later than the last valid date, which counts as never.
  return seconds === 0 || Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** Whether the end is past by the service's own clock, as far as that is known: no other may end anything. */
export function isKnownToBeOver({ clock }: SecretsClient, expiresAt: unknown): boolean {
  return clock.known && endTime(expiresAt) <= clock.now();
}

/**
 * Whether the end is past by the service's clock. Where only this machine's says so, the service is asked for its
 * time; one that does not tell it has not ended anything.
 *
 * @param request a harmless one
 */
export async function isOver(
  client: SecretsClient,
  expiresAt: unknown,
  request: () => SecretsRequest,
): Promise<boolean> {
  if (!client.clock.known && endTime(expiresAt) <= client.clock.now()) {
    await client.askTime(request());
  }
  return isKnownToBeOver(client, expiresAt);
}

/**
 * Why something must be replaced: it has expired, or will within `renewBefore`.
 *
 * @param what the thing at the beginning of a sentence: `The credential v_ada of the role ops`
 * @param outputs its state, of which `expiresAt` counts
 * @param inputs what the program says now, of which `renewBefore` counts; it may not be known yet
 * @param now milliseconds since 1970
 * @returns one line for the user; `undefined` while it may stay
 */
export function endOf(
  what: string,
  { expiresAt }: JsonObject,
  { renewBefore }: JsonObject,
  now: number,
): string | undefined {
  const end = endTime(expiresAt);
  const earlier = parseDuration(renewBefore) ?? 0;
  if (end > now + earlier * 1000) {
    return undefined;
  }
  const time = new Date(end).toISOString();
  return end <= now
    ? `${what} has expired (${time}) and will be replaced.`
    : `${what} expires at ${time}, within renewBefore (${earlier} s), and will be replaced.`;
}

/** Whether a time in seconds is longer than its limit. 0, and what is not a number, limits nothing. */
export function exceeds(seconds: unknown, limit: unknown): boolean {
  return typeof seconds === "number" && typeof limit === "number" && limit > 0 && seconds > limit;
}

/** Warns if `renewBefore` is at least the lifetime of what was issued: every update would replace it. */
export function warnOfConstantRenewal(
  caller: Caller,
  what: string,
  {
    expiresAt,
    renewBefore,
  }: { readonly expiresAt: string | null; readonly renewBefore: string | number | null },
  askedAt: number,
): void {
  if (endOf(what, { expiresAt }, { renewBefore }, askedAt) !== undefined) {
    caller.announce(
      "warning",
      `${what} does not live longer than renewBefore (${parseDuration(renewBefore) ?? 0} s), so every update will replace it.`,
    );
  }
}

/**
 * Advises on a lost response to a request that issues something. The request is never repeated automatically:
 * that would issue a second one and leak the first.
 *
 * @param error what the request threw
 * @param consequence what may exist now, what becomes of it, and how to go on
 * @returns what to throw
 */
export function explainLostResponse(error: unknown, consequence: string): unknown {
  if (!mayHaveBeenProcessed(error)) {
    return error;
  }
  return TriviumError.isInstance(error)
    ? advisedOtherwise(error, consequence)
    : new TriviumError(messageOf(error), { advice: consequence, mayHaveBeenProcessed: true });
}

/** A lease, by the outputs of the resource that holds it: state may lack any of them. */
type HeldLease = Readonly<Partial<Record<"leaseId" | "expiresAt", unknown>>>;

/** With these statuses a service rejects the revocation for this token, or for all. */
const refusals: readonly number[] = [403, 404, 405];

/** Whether there is a lease that may not have expired, and a way to revoke it. */
export function canBeRevoked(client: SecretsClient, { leaseId, expiresAt }: HeldLease): boolean {
  const held = typeof leaseId === "string" && leaseId !== "" && !isKnownToBeOver(client, expiresAt);
  return held && client.dialect.leaseRevocation !== undefined;
}

/**
 * Revokes a lease and waits until the credential is deleted. Does nothing if the service has no request for
 * it or the lease has expired. A missing permission must not prevent the destruction of a stack, so it only
 * causes a warning.
 *
 * @param what was issued, at the beginning of a sentence: `The credential v_ada of the role ops`
 */
export async function revokeLease(
  client: SecretsClient,
  { announce }: Pick<Caller, "announce">,
  what: string,
  lease: HeldLease,
): Promise<void> {
  const { leaseRevocation } = client.dialect;
  if (leaseRevocation === undefined || !canBeRevoked(client, lease)) {
    return;
  }
  const end = typeof lease.expiresAt === "string" ? `expires at ${lease.expiresAt}` : "does not expire";
  try {
    await client.write({
      summary: `revoke the lease ${String(lease.leaseId)}`,
      path: leaseRevocation,
      // Without this option, the service responds before the revocation, and does not report its outcome.
      body: { lease_id: lease.leaseId, sync: true },
      data: (z) => z.unknown(),
    });
  } catch (error) {
    // Only the response has told the service's time.
    if (isKnownToBeOver(client, lease.expiresAt)) {
      return;
    }
    if (ServiceError.isInstance(error) && refusals.includes(error.status)) {
      announce("warning", `${what} could not be revoked: it ${end}. ${messageOf(error)}`);
      return;
    }
    const advice = `${what} ${end}. To revoke it now, try again, or remove it from state (\`pulumi state delete\`).`;
    throw TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  }
}

/** What is no time never ends. */
function endTime(expiresAt: unknown): number {
  const time = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}
