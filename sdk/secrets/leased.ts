import { parseDuration } from "../base/timing";
import { advisedOtherwise, messageOf, ServiceError, TriviumError } from "../base/errors";
import type { JsonObject } from "../base/json";
import { builtOnce } from "../base/schema";
import type { PrivateStateOf, ResourceBehavior, RuleAbout } from "../resource/definition";
import type { Desired } from "../resource/fields/field";
import { isGiven } from "../resource/fields/kinds";
import type { Row } from "../resource/fields/rows";
import { isEachError } from "./absence";
import type { Lease, SecretsClient } from "./client";
import { secretsDialects } from "./dialect";
import { missingRouteIn } from "./mount";
import type { MountedName } from "./mounted-objects";
import type { leasedRows } from "./shared-rows";

/** The definition of what is issued once, with a lifetime: credentials and tokens. */
export interface LeasedKind<Issued extends Lease> {
  /** The subject of a sentence: `The credential v_ada of the role ops`. */
  readonly describe: (outputs: Readonly<Record<string, unknown>>) => string;
  readonly issue: (client: SecretsClient, role: MountedName<"roleName">) => Promise<Issued>;
  readonly id: (issued: Issued) => string;
  /** Reads the lifetime from the service, in seconds, if it is not known from a lease; 0 is forever. */
  readonly lifetime: (client: SecretsClient, role: MountedName<"roleName">) => Promise<number>;
}

type Rows = typeof leasedRows & {
  readonly mount: Row<string, string, "defaulted">;
  readonly roleName: Row<string, string, "required">;
};

const privateState = builtOnce((z) => z.object({ askedAt: z.number().optional().catch(undefined) }));

type PrivateState = PrivateStateOf<typeof privateState>;

/** Issued once, stored in state, and replaced when it has expired or will expire within `renewBefore`. */
export function leasedBehavior<Issued extends Lease>(kind: LeasedKind<Issued>) {
  const { describe, lifetime } = kind;
  return {
    privateState,
    ending: (outputs, inputs, now, dialect) => {
      const end = endOf(describe(outputs), outputs, inputs, now);
      return (
        end && { ...end, mayDiffer: hasLease(outputs) && secretsDialects[dialect].leaseLookUp !== undefined }
      );
    },

    async create({ client }, { mount, roleName, renewBefore = null }) {
      const sentAt = Date.now();
      const result = await kind.issue(client, { mount, roleName });
      const askedAt = client.clock.at(sentAt);
      const { leaseDuration, ...issued } = result;
      const id = kind.id(result);
      const state = { mount, roleName, ...issued };
      if (leaseDuration === 0) {
        // A missing `expiresAt` is read after the creation.
        return { id, state, privateState: { askedAt } };
      }
      const expiresAt = expiryAfter(askedAt, leaseDuration);
      warnOfRenewal(client, describe(state), { expiresAt, renewBefore, askedAt });
      return { id, state: { ...state, expiresAt }, privateState: { askedAt } };
    },

    async read({ client, announce, privateState }, id, current) {
      const role = { mount: current.mount ?? "", roleName: current.roleName ?? "" };
      if (client.isAssumedGone(id)) {
        return undefined;
      }
      const lease = await client.lookUpLease(current.leaseId);
      if (lease === false) {
        if (!isKnownToBeOver(client, current.expiresAt)) {
          const gone = "was revoked before it expired: the service has no such lease";
          announce("information", `${describe(current)} ${gone}.`);
        }
        return undefined;
      }
      const isPast = (): boolean => endTime(current.expiresAt) <= client.clock.now();
      // If only this machine's clock shows that the time is over, the service is asked for its time.
      if (lease === undefined && !client.clock.known && isPast()) {
        await lifetime(client, role).catch((error: unknown) => {
          // Any response contains the time, even an error.
          if (!client.clock.known && !ServiceError.isInstance(error)) {
            throw error;
          }
        });
      }
      const found = leaseEnd(client, lease, current.expiresAt);
      if (isKnownToBeOver(client, found)) {
        return undefined;
      }
      const { askedAt } = privateState;
      if (found !== undefined || askedAt === undefined) {
        return found === current.expiresAt ? {} : { expiresAt: found };
      }
      const expiresAt = expiryAfter(askedAt, await lifetime(client, role));
      const renewBefore = parseDuration(current.renewBefore) ?? null;
      warnOfRenewal(client, describe(current), { expiresAt, renewBefore, askedAt });
      return { expiresAt };
    },

    delete: async ({ client }, id, current) =>
      client.isAssumedGone(id) ? undefined : revokeLease(client, describe(current), current),
  } satisfies ResourceBehavior<SecretsClient, Desired<Rows>, unknown, Rows, PrivateState>;
}

export function expiryAfter(askedAt: number, seconds: number): string | null {
  const end = new Date(askedAt + seconds * 1000);
  // Later than the last valid date counts as never.
  return seconds === 0 || Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/**
 * Whether it has expired by the service's clock, which alone counts; false while the service's time is
 * unknown.
 */
export function isKnownToBeOver({ clock }: SecretsClient, expiresAt: EndOfLife): boolean {
  return clock.known && endTime(expiresAt) <= clock.now();
}

/** @returns why it must be replaced according to state; `undefined` while it can stay */
export function endOf(what: string, { expiresAt }: HeldLease, { renewBefore }: JsonObject, now: number) {
  const end = endTime(expiresAt);
  const earlier = parseDuration(renewBefore) ?? 0;
  if (end > now + earlier * 1000) {
    return undefined;
  }
  const time = new Date(end).toISOString();
  return end <= now
    ? { isOver: true, reason: `${what} has expired (${time})` }
    : { isOver: false, reason: `${what} expires at ${time}, within renewBefore (${earlier} s),` };
}

type FoundLease = Awaited<ReturnType<SecretsClient["lookUpLease"]>>;

/**
 * The service's lease takes precedence over state, longer or shorter. A longer lease that was not renewed
 * only outlasts the token that issued it; that token still ends the lease, unless it has itself been renewed.
 */
export function leaseEnd<Known extends EndOfLife>({ clock }: SecretsClient, lease: FoundLease, known: Known) {
  if (lease === undefined || lease === false || lease.expiresAt === undefined) {
    return known;
  }
  const [end, former] = [endTime(lease.expiresAt), endTime(known)];
  // Times can differ because of rounding.
  const isSame = end === former || Math.abs(end - former) <= 5_000;
  const endsWithToken = end > former && former > clock.now() && !lease.isRenewed;
  return isSame || endsWithToken ? known : Number.isFinite(end) ? new Date(end).toISOString() : null;
}

/** A limit of 0, or one that is not a number, means no limit. */
export function exceeds(seconds: unknown, limit: unknown): boolean {
  return typeof seconds === "number" && typeof limit === "number" && limit > 0 && seconds > limit;
}

/** A warning, because the service does not reject it. */
export function limits<const Name extends string>(
  limit: Name,
  argument: Name,
  what: string,
): RuleAbout<Name> {
  const reason = `is longer than ${limit}, which limits the lifetime of ${what}`;
  return {
    between: [argument, limit],
    check: (values) => exceeds(values[argument], values[limit]) && { argument, reason, warning: true },
  };
}

const unknownEnd = "the service does not return its expiry time";

/**
 * A `renewBefore` that is not shorter than the lifetime would replace it in every update; without a known
 * end, it has no effect.
 */
function warnOfRenewal({ caller }: SecretsClient, what: string, times: JsonObject): void {
  if ((times.renewBefore ?? null) !== null && (times.expiresAt ?? null) === null) {
    caller.announce(
      "warning",
      `${what} has no known expiry time, so renewBefore has no effect: ${unknownEnd}.`,
    );
  }
  if (endOf(what, times, times, Number(times.askedAt)) !== undefined) {
    const earlier = `renewBefore (${parseDuration(times.renewBefore) ?? 0} s)`;
    caller.announce(
      "warning",
      `${what} is not valid for longer than ${earlier}, so every update will replace it.`,
    );
  }
}

/** ISO 8601; nothing is never. */
type EndOfLife = string | null | undefined;

interface HeldLease {
  readonly leaseId?: string | null | undefined;
  readonly expiresAt?: EndOfLife;
}

/** Whether the service rejects the revocation for this token, or for all tokens. */
const refusals: readonly number[] = [403, 404, 405];

/** What Nomad and directories return if the object does not exist. */
const goneInBackend = { token: /nonexistent token/i, entry: /\bresult code 32\b/i } as const;

/** Whether each of the errors reports this. If there is another one, a part of the deletion failed. */
function isGoneInBackend(messages: readonly string[], kind: keyof typeof goneInBackend): boolean {
  const codes = messages.join().match(/\bresult code \d+/gi) ?? [];
  const isOnlyCode = codes.every((code) => goneInBackend.entry.test(code));
  return isEachError(messages, goneInBackend[kind]) && isOnlyCode;
}

export function hasLease({ leaseId }: HeldLease): boolean {
  return isGiven(leaseId) && leaseId !== "";
}

/** Waits until the credential is deleted. A missing permission must not prevent the destruction of a stack. */
export async function revokeLease(client: SecretsClient, what: string, lease: HeldLease): Promise<void> {
  const { leaseRevocation } = client.dialect;
  const { leaseId, expiresAt } = lease;
  if (leaseRevocation === undefined && !isKnownToBeOver(client, expiresAt)) {
    const time = isGiven(expiresAt) ? `until ${expiresAt}` : `until it expires: ${unknownEnd}`;
    const reason = "because the documented API has no request that revokes it";
    client.caller.announce("warning", `${what} remains valid ${time}, ${reason}.`);
  }
  if (leaseRevocation === undefined || !hasLease(lease)) {
    return;
  }
  try {
    await client.write({
      summary: `revoke the lease ${leaseId ?? ""}`,
      path: leaseRevocation,
      // Without this option, the service responds before the revocation and does not report its outcome.
      body: { lease_id: leaseId, sync: true },
    });
  } catch (error) {
    if (!ServiceError.isInstance(error)) {
      throw advisedOfEnd(client, what, expiresAt, error);
    }
    // Somebody might have renewed it, so only the service knows whether it still exists.
    const found = await client.lookUpLease(leaseId).catch(() => undefined);
    const isOver = isKnownToBeOver(client, expiresAt);
    const warn = (problem: string): void =>
      client.caller.announce("warning", `${what} ${problem}. ${messageOf(error)}`);
    const { status, messages } = error;
    if (found === false) {
      if (!isOver) {
        warn("could not be revoked, but its lease no longer exists");
      }
      return;
    }
    const known = leaseEnd(client, found, expiresAt);
    const end = ends(client, known);
    const isUnproven =
      error.foreign !== undefined || (status === 404 && missingRouteIn(messages) !== undefined);
    if (refusals.includes(status) && !isUnproven) {
      warn(`could not be revoked: it ${end}`);
    } else if (isGoneInBackend(messages, "token")) {
      warn(`was deleted by another client, and its lease ${end}`);
    } else if (isGoneInBackend(messages, "entry")) {
      warn(
        "was deleted by another client, or deletionLdif of its role names another entry, and the account still exists: " +
          `its lease ${end}`,
      );
    } else {
      throw advisedOfEnd(client, what, known, error);
    }
  }
}

function ends(client: SecretsClient, expiresAt: EndOfLife): string {
  if (!isGiven(expiresAt)) {
    return `might remain valid: ${unknownEnd}`;
  }
  return isKnownToBeOver(client, expiresAt)
    ? `expired at ${expiresAt}, unless another client has renewed it`
    : `expires at ${expiresAt}`;
}

function advisedOfEnd(client: SecretsClient, what: string, expiresAt: EndOfLife, error: unknown): unknown {
  const advice = `${what} ${ends(client, expiresAt)}. To revoke it now, try again, or remove it from state (\`pulumi state delete\`).`;
  return TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
}

/** A value that is not a time never expires. */
function endTime(expiresAt: EndOfLife): number {
  const time = Date.parse(expiresAt ?? "");
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}
