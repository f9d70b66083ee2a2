import { secretsService } from "../service";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { nameInPath } from "../../resource/schemas";
import { accountNames, checkInAccounts, type LibrarySetName } from "./library-wire";
import { usualMount } from "./names";

/** The arguments of {@link checkIn} and {@link forceCheckIn}. */
export interface CheckInArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The name of the library set. */
  name: string;
  /** The accounts to check in: a list, or one text with commas. Default: the only one that is checked out. */
  serviceAccountNames?: string | readonly string[] | null | undefined;
}

/** What {@link checkIn} and {@link forceCheckIn} answer. */
export interface CheckInResult {
  /** The accounts that were checked in by this call; one that was in already is not among them. */
  readonly checkIns: string[];
}

type CheckIn = LibrarySetName & { readonly serviceAccountNames?: readonly string[] | undefined };

function definitionOf(
  name: string,
  manage: boolean,
): FunctionDefinition<SecretsClient, CheckIn, CheckInResult> {
  return {
    name: `secrets.directory.${name}`,
    service: secretsService,
    schema: (z) =>
      z.strictObject({
        mount: mountArgument(z, usualMount),
        name: nameInPath(z),
        serviceAccountNames: accountNames(z).optional(),
      }),

    async call(client, { serviceAccountNames, ...set }) {
      return { checkIns: [...(await checkInAccounts(client, set, serviceAccountNames, manage))] };
    },
  };
}

const ordinary = definitionOf("checkIn", false);
const forced = definitionOf("forceCheckIn", true);

/**
 * Checks in accounts of a library set that the caller's token, or its entity, has checked out. For scripts: a
 * program destroys its {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.checkIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} when somebody else has checked one of them out and the set enforces who checks
 *   in; {@link errors.InputError} inside a Pulumi program
 */
export function checkIn(args: CheckInArgs, options?: ScriptFunctionOptions): Promise<CheckInResult> {
  return callInScript(ordinary, "secrets.directory.LibraryCheckout", args, options);
}

/**
 * Checks in accounts of a library set whoever has checked them out: for highly privileged callers. For scripts: a
 * program sets `force` of its {@link LibraryCheckout}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.forceCheckIn({ name: "operators", serviceAccountNames: ["svc-operator-1"] });
 * ```
 *
 * @throws {@link errors.ServiceError} when the token may not do that; {@link errors.InputError} inside a Pulumi program
 */
export function forceCheckIn(args: CheckInArgs, options?: ScriptFunctionOptions): Promise<CheckInResult> {
  return callInScript(forced, "secrets.directory.LibraryCheckout", args, options);
}
