import type * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../../base/json";
import { TriviumResource } from "../../resource/program/base";
import { duration } from "../../resource/fields/canonical";
import { defineResource, type RemoteObject, type RemoteState, type Step } from "../../resource/definition";
import { messageOf, TriviumError } from "../../base/errors";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { defineFields, field, type Field, output, snakeCase } from "../../resource/fields/field";
import { commaSeparated, flag, seconds, text } from "../../resource/fields/kinds";
import { wholeSeconds } from "../../resource/fields/schemas";
import type { SecretsClient } from "../client";
import { canBeRevoked, endOf, expiryAfter, revokeLease } from "../leased";
import { mountedId } from "../mount";
import { secretsService } from "../service";
import {
  checkInAccounts,
  CheckOuts,
  checkOutWhenFree,
  fingerprintOf,
  type HeldAccount,
  holdingOf,
  returnAccount,
  withoutProof,
} from "./check-out";
import {
  accountNames,
  borrowed,
  librarySetName,
  type LibrarySetName,
  librarySets,
  readLibraryStatus,
  readLibraryStatusIfAllowed,
} from "./library-set";

/** The arguments of a {@link LibraryCheckout}. */
export interface LibraryCheckoutArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change checks the account in and checks
   * another one out.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the library set. A change checks the account in and checks another one out. */
  setName: pulumi.Input<string>;
  /**
   * How long the check-out may last: seconds, or a duration such as `"8h"`; never longer than the set's
   * `ttl`. 0 is unlimited where the set is. A change checks the account in and checks another one out.
   *
   * @default the set's `ttl`
   */
  ttl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Check the account in through the manage path for privileged callers, for pipelines that destroy with
   * another token than they created with. A change makes no request.
   *
   * @default false
   */
  force?: pulumi.Input<boolean | null | undefined>;
  /**
   * How long to wait for a free account when all are checked out: seconds, or a duration such as `"10m"`. A change
   * makes no request.
   *
   * @default no wait: the creation fails with an error that names the borrowers
   */
  waitFor?: pulumi.Input<string | number | null | undefined>;
}

function memoryOf(borrower: string | undefined, proven = true): JsonObject {
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

function describeCheckOut({ set, serviceAccountName }: HeldAccount): string {
  return `The check-out of ${serviceAccountName} of the set ${set.name}`;
}

async function findBorrower(
  { client, announce }: Step<SecretsClient>,
  set: LibrarySetName,
  serviceAccountName: string,
): Promise<string | undefined> {
  try {
    const status = await readLibraryStatusIfAllowed(client.afterwards(), set);
    if (status === "not allowed") {
      announce("warning", withoutProof(set, serviceAccountName));
      return undefined;
    }
    const fingerprint = fingerprintOf(borrowed(status, serviceAccountName));
    client.part(CheckOuts).borrower = fingerprint ?? client.part(CheckOuts).borrower;
    return fingerprint;
  } catch (error) {
    // The account is checked out, so it must get into state even without its borrower.
    announce(
      "warning",
      `Could not read the borrower of ${serviceAccountName} of the ${librarySets.describe(set)}, so ` +
        `the service decides who may check it in: ${messageOf(error)}`,
    );
    return undefined;
  }
}

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
  serviceAccountName: output(text()),
  password: output(text({ secret: true })),
  leaseId: output(text()),
  leaseDuration: output(seconds()),
  renewable: output(flag({})),
  expiresAt: output(text()),
});

/** @internal */
export const libraryCheckoutDefinition = defineResource(secretsService, fields)(
  "secrets/directory:LibraryCheckout",
  {
    timeoutArgument: "waitFor",
    // A new check-out beside the old one would need a second account.
    deleteBeforeReplace: true,
    ended(outputs, _inputs, now) {
      const checkOut = describeCheckOut(heldBy({}, outputs));
      return typeof outputs.password === "string"
        ? endOf(checkOut, outputs, {}, now)
        : `${checkOut} has no password, because its response was lost: the account is checked in, and an account is checked out again.`;
    },

    async create(step, { mount, setName, ttl = null, waitFor }): Promise<RemoteObject> {
      const set = { mount, name: setName };
      const request = { set, ttl, waitFor: Number(waitFor ?? 0) };
      const outcome = await checkOutWhenFree(step.client, step, request);
      if ("lost" in outcome) {
        const { serviceAccountName, borrower, proven, expiresAt } = outcome.lost;
        return {
          id: mountedId(mount, setName, serviceAccountName, new Date().toISOString()),
          state: { mount, setName, ttl, serviceAccountName, expiresAt },
          memory: memoryOf(borrower, proven),
          failure:
            `${messageOf(outcome.error)} According to the status of the ${librarySets.describe(set)}, ${serviceAccountName} was ` +
            "checked out in the meantime; its password is lost. The resource is kept in state: the next `pulumi up` checks the " +
            "account in and checks one out again, `pulumi destroy` checks it in. If another caller with the same token " +
            "checked it out, remove the resource from state instead (`pulumi state delete`).",
        };
      }
      const { account, askedAt } = outcome;
      const { serviceAccountName, password, lease } = account;
      const borrower = await findBorrower(step, set, serviceAccountName);
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
        memory: memoryOf(borrower),
      };
    },

    async read(step, _id, known) {
      const held = heldBy(step.memory, known);
      const holding = await holdingOf(step.client, held);
      if (holding === "not allowed") {
        step.announce("warning", withoutProof(held.set, held.serviceAccountName));
      }
      if (holding !== "ended") {
        return {};
      }
      const checkOut = describeCheckOut(held);
      step.announce(
        "information",
        endOf(checkOut, { expiresAt: String(known.expiresAt) }, {}, step.client.clock.now()) ??
          `${checkOut} has ended before its time: the account was checked in or checked out by somebody else.`,
      );
      return undefined;
    },

    // Every argument that a request depends on replaces the check-out.
    update: () => Promise.resolve({}),

    async delete(step, _id, known) {
      const { client, announce } = step;
      const held = heldBy(step.memory, known);
      const { set, serviceAccountName } = held;
      await returnAccount(client, step, held, known.force === true);
      if (!canBeRevoked(client, known)) {
        return;
      }
      const checkedIn = `${serviceAccountName} is checked in, but its lease`;
      try {
        // A revocation checks the account in, which would take it from a new borrower.
        const status = new Map(Object.entries((await readLibraryStatus(client, set)) ?? {}));
        if (status.get(serviceAccountName)?.available === true) {
          await revokeLease(client, step, checkedIn, known);
        }
      } catch (error) {
        // The account is checked in, which is what matters.
        announce("warning", `${checkedIn} was not revoked: ${messageOf(error)}`);
      }
    },
  },
);

/**
 * An account of a library set, checked out for as long as the resource exists. Its password is an output.
 *
 * Creation checks out any free account. Deletion checks that account in, provided that it is still the same
 * check-out: an account that was checked in or borrowed by another client in the meantime is not touched.
 * When `expiresAt` has passed, or a refresh finds that the check-out has ended, the next `pulumi up` checks
 * out an account again. A replacement checks in before it checks out. Two check-outs of the same account by
 * the same token cannot be distinguished. In the hashicorp dialect the lease of the check-out is revoked
 * after the check-in, unless the account was borrowed in between: revoking the lease would check it in. A
 * failed revocation is a warning. With a `login`, a check-out ends with the token of that login at the latest,
 * which `expiresAt` takes into account.
 *
 * If the response to the check-out is lost, the account that the status of the set shows is kept in state
 * without a password, and the creation fails. The next `pulumi up` checks it in and checks an account out
 * again. The request is never repeated, so no second account is checked out.
 *
 * The token only needs the permission to check out. If it may not read the status of the set (403), a warning
 * says that the borrower cannot be verified, a refresh only detects expiry, and the service decides whether
 * the account may be checked in.
 *
 * Its id is the lease id, or consists of the mount, the set, the account and the time. A refresh detects
 * whether the account is still checked out by the same borrower; no other drift is detected.
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
  /** How long a creation waits for a free account, as written in the program. */
  declare readonly waitFor: pulumi.Output<string | number | null | undefined>;
  /** The name of the account that was checked out. */
  declare readonly serviceAccountName: pulumi.Output<string>;
  /** The account's password. Secret. */
  declare readonly password: pulumi.Output<string>;
  /** The lease id; empty if the service returns none. */
  declare readonly leaseId: pulumi.Output<string>;
  /** How long the check-out lasts, in seconds; 0 is unlimited. */
  declare readonly leaseDuration: pulumi.Output<number>;
  /** Whether the lease can be renewed. */
  declare readonly renewable: pulumi.Output<boolean>;
  /** When the check-out expires: ISO 8601 in UTC; null for never. */
  declare readonly expiresAt: pulumi.Output<string | null>;

  /**
   * @param name the unique name of the resource in the program
   * @param args from which set an account is checked out, and for how long
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: LibraryCheckoutArgs, options?: pulumi.CustomResourceOptions) {
    // With `pulumi up --replace` the engine does not ask the provider.
    super(libraryCheckoutDefinition, name, args, { ...options, deleteBeforeReplace: true });
  }
}

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

const checkOutDefinition = defineFunction(secretsService, {
  ...librarySetName,
  ttl: seconds({ optional: true }),
})("secrets.directory.checkOut", async (client, { ttl, ...set }, caller): Promise<CheckOutResult> => {
  const outcome = await checkOutWhenFree(client, caller, { set, ttl, waitFor: undefined });
  if ("lost" in outcome) {
    throw new TriviumError(messageOf(outcome.error), {
      advice:
        `According to the status of the ${librarySets.describe(set)}, ${outcome.lost.serviceAccountName} was checked out ` +
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
});

/**
 * Checks out whichever account of a library set is free. For scripts: a program uses {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * const { serviceAccountName, password } = await trivium.secrets.directory.checkOut({ name: "operators", ttl: "1h" });
 * ```
 *
 * @throws {@link errors.TriviumError} when none is free (the error names the borrowers), or if the response is
 *   lost (the error names the account); {@link errors.InputError} inside a Pulumi program
 */
export function checkOut(args: CheckOutArgs, options?: ScriptFunctionOptions): Promise<CheckOutResult> {
  return callInScript(checkOutDefinition, "secrets.directory.LibraryCheckout", args, options);
}

/** The arguments of {@link checkIn} and {@link forceCheckIn}. */
export interface CheckInArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The name of the library set. */
  name: string;
  /**
   * The accounts to check in: a list, or one comma-separated string. Default: the only one that is checked
   * out.
   */
  serviceAccountNames?: string | readonly string[] | null | undefined;
}

/** The result of {@link checkIn} and {@link forceCheckIn}. */
export interface CheckInResult {
  /** The accounts that were checked in by this call; one that was in already is not among them. */
  readonly checkIns: string[];
}

function definitionOf(name: string, manage: boolean) {
  return defineFunction(secretsService, {
    ...librarySetName,
    serviceAccountNames: commaSeparated(accountNames, { optional: true }),
  })(
    `secrets.directory.${name}`,
    async (client, { serviceAccountNames, ...set }): Promise<CheckInResult> => ({
      checkIns: [...(await checkInAccounts(client, set, serviceAccountNames, manage))],
    }),
  );
}

const checkInDefinition = definitionOf("checkIn", false);
const forceCheckInDefinition = definitionOf("forceCheckIn", true);

/**
 * Checks in accounts of a library set that the caller's token, or its entity, has checked out. For scripts: a
 * program destroys its {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.checkIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} when another client has checked one of them out and the set enforces
 *   who checks in; {@link errors.InputError} inside a Pulumi program
 */
export function checkIn(args: CheckInArgs, options?: ScriptFunctionOptions): Promise<CheckInResult> {
  return callInScript(checkInDefinition, "secrets.directory.LibraryCheckout", args, options);
}

/**
 * Checks in accounts of a library set of any borrower, for privileged callers. For scripts: a program sets
 * `force` of its {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.forceCheckIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} when the token may not do that; {@link errors.InputError} inside a Pulumi program
 */
export function forceCheckIn(args: CheckInArgs, options?: ScriptFunctionOptions): Promise<CheckInResult> {
  return callInScript(forceCheckInDefinition, "secrets.directory.LibraryCheckout", args, options);
}
