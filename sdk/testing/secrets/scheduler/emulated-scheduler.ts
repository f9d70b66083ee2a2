import type { AclTokens } from "../../scheduler/acl-tokens";
import { failure } from "../refusal";
import { emptyAccess, type SchedulerAccessRecord } from "./access-record";

/** The emulated scheduler, as the scheduler engine reaches it. */
export interface EmulatedScheduler {
  /** Its origin; known only once it listens. */
  readonly address: () => string;
  readonly tokens: AclTokens;
}

/**
 * Makes sure that the engine reaches the emulated scheduler, and may make tokens there. What is not configured comes
 * from the service's environment, in which both are right.
 *
 * @throws Refusal 500
 */
export function assertReachable(
  { address, tokens }: EmulatedScheduler,
  access: SchedulerAccessRecord = emptyAccess,
): void {
  if (access.address !== "" && access.address.replace(/\/$/, "") !== address()) {
    throw failure(
      `Put ${JSON.stringify(`${access.address}/v1/acl/token`)}: dial tcp: connect: connection refused`,
    );
  }
  if (access.token !== "" && !tokens.isManagement(access.token)) {
    throw failure("Unexpected response code: 403 (Permission denied)");
  }
}
