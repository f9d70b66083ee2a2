import { ServiceError, TriviumError } from "../base/errors";
import type { Caller } from "../base/caller";
import { messageOf } from "../resource/failure";
import type { SecretsClient } from "./client";
import { isKnownToBeOver } from "./leased";

/** A lease, by the outputs of the resource that holds it: state may lack any of them. */
export interface HeldLease {
  readonly leaseId?: unknown;
  readonly expiresAt?: unknown;
}

/** With these a service says that this token, or nobody, may end a lease. */
const refusals: readonly number[] = [403, 404, 405];

/** Whether there is a lease that is not known to have ended, and a way to end it. */
export function canBeRevoked(client: SecretsClient, { leaseId, expiresAt }: HeldLease): boolean {
  const held = typeof leaseId === "string" && leaseId !== "" && !isKnownToBeOver(client, expiresAt);
  return held && client.dialect.leaseRevocation !== undefined;
}

/**
 * Ends a lease before its time, and waits until what was issued is gone. Does nothing where the service has no
 * request for it, or the lease has ended. A token that may not do it must not keep a stack from being destroyed: then
 * the user is told.
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
  const end =
    typeof lease.expiresAt === "string" ? `ends by itself at ${lease.expiresAt}` : "has no end of its own";
  try {
    await client.write({
      summary: `revoke the lease ${String(lease.leaseId)}`,
      path: leaseRevocation,
      // Unless it is told to, the service answers before anything has happened, and not whether it will.
      body: { lease_id: lease.leaseId, sync: true },
      data: (z) => z.unknown(),
    });
  } catch (error) {
    // Only the response has told the service's time.
    if (isKnownToBeOver(client, lease.expiresAt)) {
      return;
    }
    if (ServiceError.isInstance(error) && refusals.includes(error.status)) {
      announce("warning", `${what} could not be revoked and lives on: it ${end}. ${messageOf(error)}`);
      return;
    }
    throw new TriviumError(messageOf(error), {
      hint: `${what} ${end}; to not wait for that, run this again, or take it out of state (\`pulumi state delete\`).`,
    });
  }
}
