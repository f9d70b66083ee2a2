import { mountPath, path } from "../../base/path";
import { callInScript, type ScriptFunctionOptions } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { commaSeparated } from "../../resource/kinds";
import type { SecretsClient } from "../client";
import { secretsService } from "../service";
import { accountNames, librarySetName, type LibrarySetName, librarySets, repeatedName } from "./library-set";

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

/**
 * Checks accounts in, in one request that is not retried once the service may have processed it: another
 * client may have borrowed them in the meantime.
 *
 * @param accounts `undefined` where the only one that is checked out is meant
 * @param manage use the path for highly privileged callers, on which it does not matter who has borrowed them
 * @returns those that were checked in by this request
 * @internal
 */
export async function checkInAccounts(
  client: SecretsClient,
  set: LibrarySetName,
  accounts: readonly string[] | undefined,
  manage: boolean,
): Promise<readonly string[]> {
  const { mount, name } = set;
  const names = accounts?.join(", ") ?? "the account";
  const what = names.length > 200 ? `${accounts?.length ?? 0} accounts` : names;
  const data = await client.act({
    summary: `check in ${what} of the ${librarySets.describe(set)}`,
    path: manage
      ? path`/${mountPath(mount)}/library/manage/${name}/check-in`
      : path`/${mountPath(mount)}/library/${name}/check-in`,
    body: {
      ...repeatedName(client, set),
      ...(accounts === undefined ? {} : { service_account_names: accounts }),
    },
    data: (z) => z.object({ check_ins: z.array(z.string()).nullish() }),
  });
  return data?.check_ins ?? [];
}

const given = { ...librarySetName, serviceAccountNames: commaSeparated(accountNames, { optional: true }) };

function definitionOf(name: string, manage: boolean) {
  return defineFunction(secretsService, given)(
    `secrets.directory.${name}`,
    async (client, { serviceAccountNames, ...set }): Promise<CheckInResult> => ({
      checkIns: [...(await checkInAccounts(client, set, serviceAccountNames, manage))],
    }),
  );
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
 * @throws {@link errors.ServiceError} when another client has checked one of them out and the set enforces
 *   who checks in; {@link errors.InputError} inside a Pulumi program
 */
export function checkIn(args: CheckInArgs, options?: ScriptFunctionOptions): Promise<CheckInResult> {
  return callInScript(ordinary, "secrets.directory.LibraryCheckout", args, options);
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
  return callInScript(forced, "secrets.directory.LibraryCheckout", args, options);
}
