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

/** An account that was just checked out. */
export interface CheckOutResult {
  /** The account's name. */
  readonly serviceAccountName: string;
  /** The account's password. Secret. */
  readonly password: string;
  /** The lease id; empty if the service returns none. */
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
    if (outcome.kind === "response lost") {
      throw new TriviumError(messageOf(outcome.error), {
        hint:
          `According to the status of the ${librarySets.describe(set)}, ${outcome.serviceAccountName} was checked out ` +
          "in the meantime; its password is lost. Check it in with checkIn, unless another caller with " +
          "the same token checked it out, and try again.",
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
 * @throws {@link errors.TriviumError} when none is free(the error names the borrowers), or if the response is
 *   lost (the error names the account); {@link errors.InputError} inside a Pulumi program
 */
export function checkOut(args: CheckOutArgs, options?: ScriptFunctionOptions): Promise<CheckOutResult> {
  return callInScript(definition, "secrets.directory.LibraryCheckout", args, options);
}
