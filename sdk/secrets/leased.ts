import { mayHaveBeenProcessed, TriviumError } from "../base/errors";
import type { Caller } from "../base/caller";
import type { ArgumentDefinition } from "../resource/argument";
import { duration } from "../resource/canonical";
import { parseDuration } from "../base/duration";
import { messageOf } from "../resource/failure";
import type { JsonObject } from "../base/json";
import type { SecretsClient, SecretsRequest } from "./client";

/**
 * What the service issues for a time and tells only once: credentials, tokens, borrowed accounts. A resource of
 * that kind has an output `expiresAt`, which the three functions here write, look at and explain:
 *
 * - `create` notes the time before it asks, has the thing issued, and answers `expiresAt: expiryAfter(...)` by the
 *   service's clock, which the response to the request has told;
 * - `ended` of the definition answers {@link endOf};
 * - `read` answers `undefined` once {@link isOver};
 * - what the request throws goes through {@link explainLostAnswer};
 * - `delete` ends the lease where a service can do that: `revokeLease` of `lease-revocation.ts`.
 */

/** What `renewBefore` is to the lifecycle. Its schema is `durationInSeconds(z).optional()`. */
export const renewBeforeDefinition: ArgumentDefinition = { role: "behaviour", canonical: duration };

/**
 * When something ends that was issued for a time.
 *
 * @param askedAt milliseconds since 1970, from before the request: nothing must count as alive when it has ended
 * @param seconds how long it lives; 0 is for ever
 * @returns ISO 8601 in UTC; null for never
 */
export function expiryAfter(askedAt: number, seconds: number): string | null {
  const end = new Date(askedAt + seconds * 1000);
  // Beyond the last date that there is, nobody waits for the end.
  return seconds === 0 || Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/**
 * Whether the end is past.
 *
 * @param expiresAt the output; what is no time never ends
 * @param now milliseconds since 1970
 */
export function hasExpired(expiresAt: unknown, now: number): boolean {
  return endTime(expiresAt) <= now;
}

/** Whether the end is past by the service's own clock, as far as that is known: no other may end anything. */
export function isKnownToBeOver({ clock }: SecretsClient, expiresAt: unknown): boolean {
  return clock.known && hasExpired(expiresAt, clock.now());
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
  if (!client.clock.known && hasExpired(expiresAt, client.clock.now())) {
    await client.askTime(request());
  }
  return isKnownToBeOver(client, expiresAt);
}

/**
 * Why something has to be made anew by now: it has ended, or will within `renewBefore`.
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
    ? `${what} has ended (${time}) and is replaced.`
    : `${what} ends at ${time}, which is within renewBefore (${earlier} s), and is replaced.`;
}

/** Whether a time in seconds is longer than its limit. 0, and what is no number, limits nothing. */
export function exceeds(seconds: unknown, limit: unknown): boolean {
  return typeof seconds === "number" && typeof limit === "number" && limit > 0 && seconds > limit;
}

/** Tells the user when `renewBefore` is no shorter than the life of what was issued: each run would replace it. */
export function warnOfConstantRenewal(
  caller: Caller,
  what: string,
  { expiresAt, renewBefore }: { readonly expiresAt: string | null; readonly renewBefore: number | null },
  askedAt: number,
): void {
  if (endOf(what, { expiresAt }, { renewBefore }, askedAt) !== undefined) {
    caller.announce(
      "warning",
      `${what} lives no longer than renewBefore (${renewBefore ?? 0} s), so that each run replaces it.`,
    );
  }
}

/**
 * Says what may exist when the answer to a request is lost that has issued something. It is never asked for again
 * on its own: that would issue a second one and leave the first to nobody.
 *
 * @param error what the request threw
 * @param consequence what may exist now, what becomes of it, and how to go on
 * @returns what to throw
 */
export function explainLostAnswer(error: unknown, consequence: string): unknown {
  return mayHaveBeenProcessed(error)
    ? new TriviumError(messageOf(error), { hint: consequence, mayHaveBeenProcessed: true })
    : error;
}

function endTime(expiresAt: unknown): number {
  const time = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}
