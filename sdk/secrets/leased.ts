import { parseDuration } from "../base/timing";
import { advisedOtherwise, messageOf, ServiceError, TriviumError } from "../base/errors";
import type { JsonObject } from "../base/json";
import type { ResourceBehaviour, Rule } from "../resource/definition";
import type { Lease, SecretsClient } from "./client";
import { missingRouteIn } from "./mount";
import type { MountedName } from "./mounted-objects";

/** Issued once, with a lifetime: credentials and tokens. */
export interface LeasedKind<Issued extends Lease> {
  /** At the beginning of a sentence: `The credential v_ada of the role ops`. */
  readonly describe: (outputs: Readonly<Record<string, unknown>>) => string;
  readonly issue: (client: SecretsClient, role: MountedName<"roleName">) => Promise<Issued>;
  readonly id: (issued: Issued) => string;
  /** Reads it from the service, in seconds, if no lease says it; 0 is forever. */
  readonly lifetime: (client: SecretsClient, role: MountedName<"roleName">) => Promise<number>;
}

type LeasedValues = MountedName<"roleName"> & { readonly renewBefore?: string | number | null | undefined };

/** Issued once, stored in state, and replaced when it has expired or will expire within `renewBefore`. */
export function leasedBehaviour<Issued extends Lease>(kind: LeasedKind<Issued>) {
  const { describe, lifetime } = kind;
  return {
    expiredReason: (outputs, inputs, now) => endOf(describe(outputs), outputs, inputs, now),

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
      warnOfConstantRenewal(client, describe(state), { expiresAt, renewBefore, askedAt });
      return { id, state: { ...state, expiresAt }, privateState: { askedAt } };
    },

    async read({ client, announce, privateState }, id, current) {
      const role = { mount: String(current.mount), roleName: String(current.roleName) };
      if (client.isAssumedGone(id)) {
        return undefined;
      }
      const lease = isKnownToBeOver(client, current.expiresAt)
        ? undefined
        : await client.lookUpLease(current.leaseId);
      if (lease === false) {
        announce(
          "information",
          `${describe(current)} was revoked before it expired: the service has no such lease.`,
        );
        return undefined;
      }
      // If only this machine's clock says that it is over, the service is asked for its time.
      if (!client.clock.known && endTime(current.expiresAt) <= client.clock.now()) {
        await lifetime(client, role).catch((error: unknown) => {
          // Any response tells the time, also an error.
          if (!client.clock.known && !ServiceError.isInstance(error)) {
            throw error;
          }
        });
      }
      if (isKnownToBeOver(client, current.expiresAt)) {
        return undefined;
      }
      const { askedAt } = privateState;
      // The service may have shortened the lease. The second also differs because of how times are rounded.
      if (endTime(lease?.expiresAt) < endTime(current.expiresAt) - 5_000) {
        return { expiresAt: new Date(endTime(lease?.expiresAt)).toISOString() };
      }
      if (current.expiresAt !== undefined || typeof askedAt !== "number") {
        // The service cannot read what it has issued.
        return {};
      }
      const expiresAt = expiryAfter(askedAt, await lifetime(client, role));
      const renewBefore = parseDuration(current.renewBefore) ?? null;
      warnOfConstantRenewal(client, describe(current), { expiresAt, renewBefore, askedAt });
      return { expiresAt };
    },

    // Every argument that a request depends on causes a replacement.
    update: () => Promise.resolve({}),

    delete: async ({ client }, id, current) =>
      client.isAssumedGone(id) ? undefined : revokeLease(client, describe(current), current),
  } satisfies ResourceBehaviour<SecretsClient, LeasedValues>;
}

export function expiryAfter(askedAt: number, seconds: number): string | null {
  const end = new Date(askedAt + seconds * 1000);
  // Later than the last valid date counts as never.
  return seconds === 0 || Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** Only the service's own clock may expire anything; false while its time is unknown. */
export function isKnownToBeOver({ clock }: SecretsClient, expiresAt: unknown): boolean {
  return clock.known && endTime(expiresAt) <= clock.now();
}

/** @returns why it must be replaced, in one line for the user; `undefined` while it may stay */
export function endOf(what: string, { expiresAt }: JsonObject, { renewBefore }: JsonObject, now: number) {
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

/** A limit of 0, or one that is not a number, limits nothing. */
export function exceeds(seconds: unknown, limit: unknown): boolean {
  return typeof seconds === "number" && typeof limit === "number" && limit > 0 && seconds > limit;
}

/** A warning, as the service does not refuse it. */
export function limits(limit: string, argument: string, what: string): Rule {
  const reason = `is longer than ${limit}, which limits the life of ${what}`;
  return {
    between: [argument, limit],
    check: (values) => exceeds(values[argument], values[limit]) && { argument, reason, warning: true },
  };
}

/** A `renewBefore` of at least the lifetime would cause a replacement in every update. */
function warnOfConstantRenewal({ caller }: SecretsClient, what: string, times: JsonObject): void {
  if (endOf(what, times, times, Number(times.askedAt)) !== undefined) {
    const earlier = `renewBefore (${parseDuration(times.renewBefore) ?? 0} s)`;
    caller.announce(
      "warning",
      `${what} does not live longer than ${earlier}, so every update will replace it.`,
    );
  }
}

type HeldLease = Readonly<Partial<Record<"leaseId" | "expiresAt", unknown>>>;

/** The service rejects the revocation for this token, or for all. */
const refusals: readonly number[] = [403, 404, 405];

/** What Nomad and directories say if somebody else has deleted the object of a lease. */
const goneInBackend = /nonexistent token|no such object|result code 32\b/i;

export function canBeRevoked(client: SecretsClient, { leaseId, expiresAt }: HeldLease): boolean {
  const held = typeof leaseId === "string" && leaseId !== "" && !isKnownToBeOver(client, expiresAt);
  return held && client.dialect.leaseRevocation !== undefined;
}

/** Waits until the credential is deleted. A missing permission must not prevent the destruction of a stack. */
export async function revokeLease(client: SecretsClient, what: string, lease: HeldLease): Promise<void> {
  const { leaseRevocation } = client.dialect;
  const { expiresAt } = lease;
  if (leaseRevocation === undefined && !isKnownToBeOver(client, expiresAt)) {
    const time = typeof expiresAt === "string" ? `until ${expiresAt}` : "forever";
    const reason = "the documented interface has no request to revoke it";
    client.caller.announce("warning", `${what} is valid ${time}: ${reason}.`);
  }
  if (leaseRevocation === undefined || !canBeRevoked(client, lease)) {
    return;
  }
  const end = typeof expiresAt === "string" ? `expires at ${expiresAt}` : "does not expire";
  try {
    await client.write({
      summary: `revoke the lease ${String(lease.leaseId)}`,
      path: leaseRevocation,
      // Without this option, the service responds before the revocation and does not report its outcome.
      body: { lease_id: lease.leaseId, sync: true },
    });
  } catch (error) {
    // Only this response may have told the service's time.
    if (isKnownToBeOver(client, lease.expiresAt)) {
      return;
    }
    const warn = (problem: string): void =>
      client.caller.announce("warning", `${what} ${problem}. ${messageOf(error)}`);
    if (ServiceError.isInstance(error)) {
      const { status, messages } = error;
      const isUnproven =
        error.foreign !== undefined || (status === 404 && missingRouteIn(messages) !== undefined);
      if (refusals.includes(status) && !isUnproven) {
        warn(`could not be revoked: it ${end}`);
        return;
      }
      if (messages.some((text) => goneInBackend.test(text))) {
        warn(`was deleted by another client, and its lease ${end}`);
        return;
      }
      if ((await client.lookUpLease(lease.leaseId).catch(() => undefined)) === false) {
        warn("could not be revoked, but its lease no longer exists");
        return;
      }
    }
    const advice = `${what} ${end}. To revoke it now, try again, or remove it from state (\`pulumi state delete\`).`;
    throw TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  }
}

/** What is not a time never expires. */
function endTime(expiresAt: unknown): number {
  const time = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}
