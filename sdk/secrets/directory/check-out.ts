import { messageOf, TriviumError } from "../../base/errors";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { seconds } from "../../resource/kinds";
import { secretsService } from "../service";
import { checkOutWhenFree } from "./free-account";
import { librarySetName, librarySets } from "./library-set";

/** The arguments of {@link checkOut}. */
export interface CheckOutArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The name of the library set. */
  name: string;
  /**
   * How long the check-out may last: seconds, or a duration such as `"8h"`; never longer than the set's `ttl`.
   * Default: that.
   */
  ttl?: string | number | null | undefined;
}

/** An account that was checked out a moment ago. */
export interface CheckOutResult {
  /** The account's name. */
  readonly serviceAccountName: string;
  /** The account's password. Secret. */
  readonly password: string;
  /** The id of the lease; empty where the service gives none. */
  readonly leaseId: string;
  /** How long the check-out lasts, in seconds; 0 is unlimited. */
  readonly leaseDuration: number;
  /** Whether the lease can be renewed. */
  readonly renewable: boolean;
}

const definition = defineFunction(secretsService, { ...librarySetName, ttl: seconds({ optional: true }) })(
  "secrets.directory.checkOut",
  async (client, { ttl, ...set }, caller): Promise<CheckOutResult> => {
    const outcome = await checkOutWhenFree(client, caller, { set, ttl, waitFor: undefined });
    if (outcome.kind === "answer lost") {
      throw new TriviumError(messageOf(outcome.error), {
        hint:
          `The status of the ${librarySets.describe(set)} shows that ${outcome.serviceAccountName} was checked out ` +
          "meanwhile; its password cannot be had again. Check it in with checkIn, unless it was somebody else with " +
          "the same token, and run this again.",
        mayHaveBeenProcessed: true,
      });
    }
    const { lease, ...account } = outcome.account;
    return {
      ...account,
      leaseId: lease.id,
      leaseDuration: lease.durationSeconds,
      renewable: lease.renewable,
    };
  },
);

/**
 * Checks out whichever account of a library set is free. For scripts: a program uses {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * const { serviceAccountName, password } = await trivium.secrets.directory.checkOut({ name: "operators", ttl: "1h" });
 * ```
 *
 * @throws {@link errors.TriviumError} when none is free, saying who holds what, or when the response is lost, saying
 *   which account was taken; {@link errors.InputError} inside a Pulumi program
 */
export function checkOut(args: CheckOutArgs, options?: ScriptFunctionOptions): Promise<CheckOutResult> {
  return callInScript(definition, "secrets.directory.LibraryCheckout", args, options);
}
