import type * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../../base/json";
import { isResource, TriviumResource } from "../../resource/base";
import { duration } from "../../resource/canonical";
import { defineResource, type RemoteObject, type RemoteState, type Step } from "../../resource/definition";
import { messageOf } from "../../base/errors";
import { answered, defineFields, type Field, field, snakeCase } from "../../resource/field";
import { flag, seconds, text } from "../../resource/kinds";
import { wholeSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { canBeRevoked, endOf, expiryAfter, revokeLease } from "../leased";
import { mountedId } from "../mount";
import { secretsService } from "../service";
import { type HeldAccount, holdingOf, isAvailable, returnAccount } from "./account-return";
import { type CheckedOutAccount, CheckOuts } from "./check-out-attempt";
import { checkOutWhenFree } from "./free-account";
import { borrowerOf, fingerprintOf } from "./library-account";
import { librarySetName, type LibrarySetName, librarySets, readLibraryStatusIfAllowed } from "./library-set";

/** The arguments of a {@link LibraryCheckout}. */
export interface LibraryCheckoutArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change checks the account in and another one out.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the library set. A change checks the account in and another one out. */
  setName: pulumi.Input<string>;
  /**
   * How long the check-out may last: seconds, or a duration such as `"8h"`; never longer than the set's `ttl`. 0 is
   * unlimited where the set is. A change checks the account in and another one out.
   *
   * @default the set's `ttl`
   */
  ttl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Check the account in through the path for highly privileged callers, which works for any token that may use it:
   * for pipelines that destroy with another token than they created with. A change makes no request.
   *
   * @default false
   */
  force?: pulumi.Input<boolean | null | undefined>;
  /**
   * How long to wait for a free account when all are checked out: seconds, or a duration such as `"10m"`. A change
   * makes no request.
   *
   * @default not at all: the creation fails and says who holds the accounts
   */
  waitFor?: pulumi.Input<string | number | null | undefined>;
}

/**
 * What is remembered of a check-out beside its outputs.
 *
 * @param borrower the fingerprint of whom the service names
 * @param proven it is certain that this was us
 */
function memoryOf(borrower: string | undefined, proven: boolean): JsonObject {
  return borrower === undefined ? { proven: false } : { proven, borrower };
}

function heldBy(memory: JsonObject, state: RemoteState): HeldAccount {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const borrower = text(memory.borrower) || undefined;
  return {
    set: { mount: text(state.mount), name: text(state.setName) },
    serviceAccountName: text(state.serviceAccountName),
    borrower,
    proven: borrower !== undefined && memory.proven === true,
    expiresAt: state.expiresAt,
  };
}

function withoutProof(set: LibrarySetName, account: string): string {
  return (
    `The token may not read the status of the ${librarySets.describe(set)}, so it is not proven who holds ${account}: ` +
    "until its time is over it counts as checked out, and the service decides who may check it in."
  );
}

/** The fingerprint of whom the service names as borrower of an account that was checked out a moment ago. */
async function findBorrower(
  { client, announce }: Step<SecretsClient>,
  set: LibrarySetName,
  { serviceAccountName }: CheckedOutAccount,
): Promise<string | undefined> {
  try {
    const status = await readLibraryStatusIfAllowed(client.afterwards(), set);
    if (status === "not allowed") {
      announce("warning", withoutProof(set, serviceAccountName));
      return undefined;
    }
    const borrower = status && borrowerOf(status, serviceAccountName);
    const fingerprint = borrower && fingerprintOf(borrower);
    client.part(CheckOuts).borrower = fingerprint ?? client.part(CheckOuts).borrower;
    return fingerprint;
  } catch (error) {
    // The account is checked out: it must get into state, whatever else is not known.
    announce(
      "warning",
      `Could not find out who counts as borrower of ${serviceAccountName} of the ${librarySets.describe(set)}, so that ` +
        `the service has to tell when it is checked in: ${messageOf(error)}`,
    );
    return undefined;
  }
}

/**
 * Ends the lease of a check-out that is over, where the service has a request for it. The end of a lease checks its
 * account in: with nobody's account in hand it does no harm, but it would take the account from whoever has it by then.
 */
async function dropLease(
  { client, announce }: Step<SecretsClient>,
  held: HeldAccount,
  known: RemoteState,
): Promise<void> {
  if (!canBeRevoked(client, known)) {
    return;
  }
  const { serviceAccountName } = held;
  try {
    if (await isAvailable(client, held)) {
      await revokeLease(
        client,
        { announce },
        `The lease of ${serviceAccountName}, which is checked in,`,
        known,
      );
    }
  } catch (error) {
    // What the resource stands for is done.
    announce(
      "warning",
      `The lease of ${serviceAccountName}, which is checked in, is left: ${messageOf(error)}`,
    );
  }
}

/** How long to wait; the output is as the program writes it. */
function waiting(): Field<string | number, string | number, "optional"> {
  const options = { optional: true, role: "behaviour" } as const;
  return field<string | number, string | number, typeof options>(
    { argument: wholeSeconds, response: wholeSeconds, canonical: duration },
    options,
  );
}

const fields = defineFields<LibraryCheckoutArgs, LibraryCheckout>(snakeCase)({
  mount: librarySetName.mount,
  setName: librarySetName.name,
  ttl: seconds({ optional: true, replaces: true }),
  force: flag({ optional: true, role: "behaviour" }),
  waitFor: waiting(),
  serviceAccountName: answered(text()),
  password: answered(text({ secret: true })),
  leaseId: answered(text()),
  leaseDuration: answered(seconds()),
  renewable: answered(flag({})),
  expiresAt: answered(text()),
});

/** @internal */
export const libraryCheckoutDefinition = defineResource(secretsService, fields)(
  "secrets/directory:LibraryCheckout",
  {
    timeoutArgument: "waitFor",
    // A new check-out beside the old one would need a second account.
    deleteBeforeReplace: true,
    ended(outputs, _inputs, now) {
      const { set, serviceAccountName } = heldBy({}, outputs);
      const checkOut = `The check-out of ${serviceAccountName} of the set ${set.name}`;
      return typeof outputs.password === "string"
        ? endOf(checkOut, outputs, {}, now)
        : `${checkOut} brought no password, because its answer was lost: it is checked in and one is checked out anew.`;
    },

    async create(step, { mount, setName, ttl = null, waitFor }): Promise<RemoteObject> {
      const set = { mount, name: setName };
      const outcome = await checkOutWhenFree(step.client, step, {
        set,
        ttl,
        waitFor: Number(waitFor ?? 0),
      });
      if (outcome.kind === "answer lost") {
        const { serviceAccountName, borrower, proven, expiresAt, error } = outcome;
        return {
          id: mountedId(mount, setName, serviceAccountName, new Date().toISOString()),
          state: { mount, setName, ttl, serviceAccountName, expiresAt },
          memory: memoryOf(borrower, proven),
          failure:
            `${messageOf(error)} The status of the ${librarySets.describe(set)} shows that ${serviceAccountName} was ` +
            "checked out meanwhile; its password cannot be had again. It is kept in state: the next `pulumi up` checks " +
            "it in and one out anew, `pulumi destroy` checks it in. If it was somebody else with the same token, take it " +
            "out of state (`pulumi state delete`) instead.",
        };
      }
      const { account, askedAt } = outcome;
      const { serviceAccountName, password, lease } = account;
      const borrower = await findBorrower(step, set, account);
      return {
        id: lease.id || mountedId(mount, setName, serviceAccountName, new Date(askedAt).toISOString()),
        state: {
          mount,
          setName,
          ttl,
          serviceAccountName,
          password,
          leaseId: lease.id,
          leaseDuration: lease.durationSeconds,
          renewable: lease.renewable,
          expiresAt: expiryAfter(step.client.clock.at(askedAt), lease.durationSeconds),
        },
        memory: memoryOf(borrower, borrower !== undefined),
      };
    },

    async read(step, _id, known) {
      const held = heldBy(step.memory, known);
      const holding = await holdingOf(step.client, held);
      if (holding === "not allowed") {
        step.announce("warning", withoutProof(held.set, held.serviceAccountName));
      }
      return holding === "ended" ? undefined : {};
    },

    // Every argument that a request depends on replaces the check-out.
    update: () => Promise.resolve({}),

    async delete(step, _id, known) {
      const held = heldBy(step.memory, known);
      await returnAccount(step.client, step, held, known.force === true);
      await dropLease(step, held, known);
    },
  },
);

/**
 * An account of a library set, checked out for as long as the resource exists. Its password is an output.
 *
 * Creation checks out whichever account is free. Deletion checks in exactly that one, as long as it is the same
 * check-out: an account that was checked in meanwhile, whoever has borrowed it since, is left alone. When `expiresAt`
 * has passed, or a refresh finds that the check-out has ended, the next `pulumi up` checks out another. A replacement
 * always checks in before it checks out. Two check-outs of the same account by the same token cannot be told apart.
 * In the hashicorp dialect the lease of the check-out, which is then good for nothing, is revoked after the check-in,
 * unless somebody has borrowed the account in between: its end would check the account in. That it cannot be revoked
 * is a warning.
 *
 * When the answer to the check-out is lost, the account that the status of the set then shows is kept in state
 * without a password and the creation fails: the next `pulumi up` checks it in and one out anew. A second account is
 * never taken for the lost one.
 *
 * A check-out takes the right to check out, and no more. A token that may not read the status of the set (403) can do
 * without: then nothing proves who holds the account, a warning says so, a refresh sees no more than that the time is
 * over, and the service alone decides whether the account may be checked in.
 *
 * Its id is the lease's, or made of the mount, the set, the account and the time. A refresh sees whether the account
 * is still checked out by the same borrower; nothing else can be read.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const account = new trivium.secrets.directory.LibraryCheckout("operator", {
 *   setName: "operators",
 *   ttl: "8h",
 *   waitFor: "10m",
 * });
 *
 * export const userName = account.serviceAccountName;
 * export const password = account.password;
 * ```
 *
 * Documented under "Check out" and "Check in" in the secrets service's interface.
 */
export class LibraryCheckout extends TriviumResource {
  /** @internal */
  static override readonly definition = libraryCheckoutDefinition;

  /** Where the directory engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The name of the library set. */
  declare readonly setName: pulumi.Output<string>;
  /** How long the check-out was asked to last, in seconds; null for as long as the set allows. */
  declare readonly ttl: pulumi.Output<number | null>;
  /** Whether the account is checked in through the path for highly privileged callers. */
  declare readonly force: pulumi.Output<boolean | null | undefined>;
  /** How long a creation waits for a free account, as the program wrote it. */
  declare readonly waitFor: pulumi.Output<string | number | null | undefined>;
  /** The name of the account that was checked out. */
  declare readonly serviceAccountName: pulumi.Output<string>;
  /** The account's password. Secret. */
  declare readonly password: pulumi.Output<string>;
  /** The id of the lease; empty where the service gives none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** How long the check-out lasts, in seconds; 0 is unlimited. */
  declare readonly leaseDuration: pulumi.Output<number>;
  /** Whether the lease can be renewed. */
  declare readonly renewable: pulumi.Output<boolean>;
  /** When the check-out ends, ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /** Whether a value is such a check-out, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is LibraryCheckout {
    return isResource(value, libraryCheckoutDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args from which set an account is checked out, and for how long
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: LibraryCheckoutArgs, options?: pulumi.CustomResourceOptions) {
    // Also where the engine replaces it without asking, as with `pulumi up --replace`.
    super(libraryCheckoutDefinition, name, args, { ...options, deleteBeforeReplace: true });
  }
}
