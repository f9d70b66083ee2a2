import type { AclTokens } from "../../scheduler/acl";
import { badRequest, failure } from "../refusal";

/** The emulated scheduler, as the scheduler engine reaches it. */
export interface EmulatedScheduler {
  /** Its origin; known only once it listens. */
  readonly address: () => string;
  readonly tokens: AclTokens;
}

/** What the engine is configured with. What is empty comes from the service's environment, in which it is right. */
interface Access {
  readonly address: string;
  readonly token: string;
}

const environment: Access = { address: "", token: "" };
const bootstrapTokenName = "Bootstrap Token";

/**
 * Makes sure that the engine reaches the emulated scheduler, and may make tokens there.
 *
 * @throws Refusal 500
 */
export function assertReachable({ address, tokens }: EmulatedScheduler, access = environment): void {
  if (!leadsTo(address(), access)) {
    throw failure(
      `Put ${JSON.stringify(`${access.address}/v1/acl/token`)}: dial tcp: connect: connection refused`,
    );
  }
  if (access.token !== "" && !tokens.isManagement(access.token)) {
    throw failure("Unexpected response code: 403 (Permission denied)");
  }
}

/**
 * Bootstraps the ACL system of the emulated scheduler, which is not possible again while the resulting token
 * is valid.
 *
 * @param access when given, it has to lead to the emulated scheduler
 * @returns a management token
 * @throws Refusal 400
 */
export function bootstrap({ address, tokens }: EmulatedScheduler, access = environment): string {
  if (!leadsTo(address(), access) || tokens.all().some(({ name }) => name === bootstrapTokenName)) {
    throw badRequest("Token not provided and failed to bootstrap ACLs");
  }
  return tokens.add({ name: bootstrapTokenName, type: "management", policies: [], global: true }).secretId;
}

function leadsTo(address: string, access: Access): boolean {
  return access.address === "" || access.address.replace(/\/$/, "") === address;
}
