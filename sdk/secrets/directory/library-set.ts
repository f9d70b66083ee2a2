import type * as Zod from "zod";
import { onStatus, ServiceError, TriviumError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { builtOnce, type Validation } from "../../base/schema";
import { type Desired, Fields, snakeCase } from "../../resource/fields/field";
import { adopt, commaSeparated, flag } from "../../resource/fields/kinds";
import { seconds } from "../seconds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { exceeds } from "../leased";
import { MountedObjects, type MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { onDirectory } from "./failures";
import { type directoryMount, folderRows, librarySetName } from "./names";

/** @internal */
export function accountNames(z: Validation): Zod.ZodType<string[], string[]> {
  const name = z.string().trim().min(1, "must not be empty");
  return z.array(name).min(1, "must contain at least one account");
}

const dayInSeconds = 86_400;

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the set.
   *
   * @default "ldap"
   */
  mount: librarySetName.mount,
  /**
   * The set's name on its mount. A change replaces the set: the old set is deleted first, because the two
   * share accounts.
   */
  name: librarySetName.name,
  /**
   * The names of the accounts that can be checked out: a list, or one comma-separated string. Order and
   * duplicates do not matter. Each account must exist in the directory, can belong to only one set, and
   * should only be used through the service, which changes its password. A change adds and removes accounts
   * in place; an account that is checked out cannot be removed.
   */
  serviceAccountNames: commaSeparated(accountNames, { told: "kept" }),
  /**
   * How long a check-out lasts before the account is checked in automatically: seconds, or a duration such as
   * `"8h"`. 0 means no limit. The output is in seconds. A change applies to new check-outs.
   *
   * @default "24h"
   */
  ttl: seconds({ cleared: dayInSeconds }),
  /**
   * How long a check-out can last with all its renewals: seconds, or a duration such as `"2d"`. A value below
   * `ttl` causes a warning; in the hashicorp dialect, the products reject it. 0 means no limit. The output is
   * in seconds. A change applies to new check-outs.
   *
   * @default "24h"
   */
  maxTtl: seconds({ cleared: dayInSeconds }),
  /**
   * Let any caller with access to the set check in its accounts, not only the token or the entity that
   * checked them out. A change is made in place.
   *
   * @default false
   */
  disableCheckInEnforcement: flag({ cleared: false }),
  /**
   * Adopt the set with this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link LibrarySet}. */
export interface LibrarySetArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export type LibrarySetName = MountedName<"name">;

/** @internal */
export const librarySets = new MountedObjects({
  what: "library set",
  idIs: "the mount and the set's name: `ldap/operators`",
  key: librarySetName,
  list: (at) => ({ path: path`/${at}/library` }),
  path: (at, name) => path`/${at}/library/${name}`,
  fields,
  folds: "compared",
  importedBy: "directory",
});

/** @internal The documentation requires the name of the set in the body, although the path has it. */
export function repeatedName({ dialect }: SecretsClient, { name }: LibrarySetName) {
  return dialect.repeatsName ? { name } : {};
}

async function write(client: SecretsClient, set: LibrarySetName, desired: Desired<typeof rows>) {
  const body = { ...repeatedName(client, set), ...fields.in(client.dialect.name).request(desired) };
  await onDirectory(client, set.mount, () => client.write({ ...librarySets.request("write", set), body }));
}

/** Whether an account of a library set is available, and who has checked it out. */
export interface LibraryAccount {
  /** Nobody has checked it out. */
  readonly available: boolean;
  /** A salted hash of the borrower's token. */
  readonly borrowerClientToken?: string;
  /** The ID of the borrower's entity; missing if the borrower's token does not belong to an entity. */
  readonly borrowerEntityId?: string;
}

/** The accounts of a library set, by name. */
export type LibraryAccounts = Record<string, LibraryAccount>;

/** @internal */
export function borrowed(accounts: LibraryAccounts | undefined, name: string): LibraryAccount | undefined {
  const account = accounts?.[name];
  return account?.available === false ? account : undefined;
}

/** @internal */
export function describeHolders(accounts: LibraryAccounts, names = Object.keys(accounts)): string {
  return names
    .flatMap((name) => {
      const account = borrowed(accounts, name);
      return account === undefined ? [] : [`${name} (checked out by ${describeBorrower(account)})`];
    })
    .join(", ");
}

function describeBorrower({ borrowerClientToken, borrowerEntityId }: LibraryAccount): string {
  if (borrowerEntityId !== undefined) {
    return `the entity ${borrowerEntityId}`;
  }
  // Only the beginning is shown, in case the borrower is the token itself.
  return borrowerClientToken === undefined
    ? "a borrower that the service does not name"
    : `a token with the hash ${borrowerClientToken.slice(0, 8)}`;
}

const accountsByName = builtOnce((z) =>
  z
    .record(
      z.string(),
      z
        .object({
          available: z.boolean(),
          borrower_client_token: z.string().nullish(),
          borrower_entity_id: z.string().nullish(),
        })
        .transform(({ available, borrower_client_token: token, borrower_entity_id: entity }) => ({
          available,
          ...(token ? { borrowerClientToken: token } : {}),
          ...(entity ? { borrowerEntityId: entity } : {}),
        })),
    )
    .optional(),
);

/** @internal Returns `undefined` if the set does not exist. */
export async function readLibraryStatus(client: SecretsClient, set: LibrarySetName) {
  const request = {
    summary: `read the status of the ${librarySets.describe(set)}`,
    path: path`/${mountPath(set.mount)}/library/${set.name}/status`,
    data: accountsByName,
  };
  // Some services return 400 for a missing set; what a gateway might have returned needs the same proof.
  const found = await client.read(request).catch((error: unknown) => {
    if (ServiceError.isInstance(error) && (error.status === 400 || error.foreign !== undefined)) {
      return error;
    }
    throw error;
  });
  const isRefused = ServiceError.isInstance(found);
  if (!isRefused && Object.keys(found ?? {}).length > 0) {
    return found;
  }
  // A set without accounts has a status without data, like a missing set.
  if ((await librarySets.read(client, set)) === undefined) {
    return undefined;
  }
  if (isRefused) {
    throw found;
  }
  return {};
}

/**
 * @internal Not retried once the service might have processed the request: another client might have borrowed
 * the accounts since.
 *
 * @param accounts `undefined` for the only one that is checked out
 * @param manage whether to use the path for privileged callers, where the borrower does not matter
 */
export async function checkInAccounts(
  client: SecretsClient,
  set: LibrarySetName,
  accounts: readonly string[] | undefined,
  manage: boolean,
): Promise<string[]> {
  const mount = mountPath(set.mount);
  const names = accounts?.join(", ") ?? "the account";
  const what = names.length > 200 ? `${accounts?.length ?? 0} accounts` : names;
  const data = await onDirectory(client, set.mount, () =>
    client.act({
      summary: `check in ${what} of the ${librarySets.describe(set)}`,
      path: manage
        ? path`/${mount}/library/manage/${set.name}/check-in`
        : path`/${mount}/library/${set.name}/check-in`,
      body: { ...repeatedName(client, set), ...(accounts && { service_account_names: accounts }) },
      data: (z) => z.object({ check_ins: z.array(z.string()).nullish() }),
    }),
  );
  return data?.check_ins ?? [];
}

/**
 * A cleared TTL becomes the default. A TTL that was never set can have any value in the service, so it is not
 * checked.
 */
function inSeconds(ttl: string | number | null | undefined): number {
  return ttl === null ? dayInSeconds : typeof ttl === "number" ? ttl : 0;
}

/**
 * An account that is checked out cannot be removed, and its set cannot be deleted: the error names the
 * borrowers.
 */
async function explainingRefusal(
  client: SecretsClient,
  set: LibrarySetName,
  leaving: string[] | undefined,
  change: () => Promise<void>,
): Promise<void> {
  // The status of a rejection is not documented.
  const explain = onStatus([400, 409, 422], async (error) => {
    const status = await readLibraryStatus(client, set).catch(() => undefined);
    const holders = describeHolders(status ?? {}, leaving);
    if (holders === "") {
      throw error;
    }
    throw new TriviumError(
      `Accounts of the ${librarySets.describe(set)} are checked out: ${holders}. Nothing was changed.`,
      {
        advice:
          `To ${leaving === undefined ? "delete it" : "remove them"}, wait until they are checked in, destroy the LibraryCheckout ` +
          "that holds them, or check them in with checkIn or forceCheckIn.",
      },
    );
  });
  await change().catch(explain);
}

/** @internal */
export const librarySetDefinition = defineResource(secretsService, fields)("secrets/directory:LibrarySet", {
  ...librarySets.behavior,
  // An account belongs to only one set, so the new set cannot have the accounts of the old one.
  deleteBeforeReplace: true,
  rules: [
    {
      between: ["ttl", "maxTtl"],
      check({ ttl, maxTtl }, dialect) {
        const warning = !secretsDialects[dialect].checksLibraryTtls;
        return (
          exceeds(inSeconds(ttl), inSeconds(maxTtl)) && {
            argument: "maxTtl",
            reason: warning
              ? "is less than ttl, but limits every check-out (0 is unlimited)"
              : "must not be less than ttl (0 is unlimited)",
            warning,
          }
        );
      },
    },
  ],
  // The documentation does not say what an update does to omitted fields.
  updatesWholeObject: true,

  async create({ client }, desired) {
    await write(client, desired, desired);
    return librarySets.created(desired);
  },

  async update({ client }, id, desired, changed, current) {
    const set = librarySets.named(id, client.dialect.name);
    const { serviceAccountNames: former } = current;
    const removed = (former ?? []).filter((name) => !desired.serviceAccountNames.includes(name));
    const leaving = changed.has("serviceAccountNames") ? removed : [];
    await explainingRefusal(client, set, leaving, () => write(client, set, desired));
    return set;
  },

  async delete(step, id) {
    const set = librarySets.named(id, step.client.dialect.name);
    await explainingRefusal(step.client, set, undefined, () => librarySets.behavior.delete(step, id));
  },
});

export interface LibrarySet extends OutputsOf<typeof rows> {}

/**
 * A library set of the directory engine (the LDAP engine of Vault or OpenBao): service accounts that clients
 * check out for a limited time. To check out an account, use {@link LibraryCheckout}.
 *
 * The service changes the passwords of accounts that are added to a set. Accounts are added and removed in
 * place. Removing an account that is checked out, or deleting its set, fails with an error that names the
 * borrower. Its ID is the mount's path and the set's name: `ldap/operators`. All drift is detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const operators = new trivium.secrets.directory.LibrarySet("operators", {
 *   name: "operators",
 *   serviceAccountNames: ["svc-operator-1", "svc-operator-2"],
 *   ttl: "8h",
 * });
 * ```
 */
export class LibrarySet extends ReadableResource<LibrarySetArgs> {
  /** @internal */
  static override readonly definition = librarySetDefinition;
}

/** The arguments of {@link getLibrarySet}. */
export interface GetLibrarySetArgs extends PlainArgsOf<typeof librarySetName>, Named {}

/** The arguments of {@link getLibrarySetOutput}. */
export type GetLibrarySetOutputArgs = InputsOf<GetLibrarySetArgs>;

/** A library set as functions return it. */
export type GetLibrarySetResult = ResultOf<LibrarySet, "id">;

const getDefinition = librarySets.reading<GetLibrarySetResult>("secrets.directory.getLibrarySet");

/**
 * Reads a library set.
 *
 * @example
 * ```typescript
 * const { serviceAccountNames } = await trivium.secrets.directory.getLibrarySet({ name: "operators" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the set does not exist
 */
export const getLibrarySet = promiseForm<GetLibrarySetArgs, GetLibrarySetResult>(getDefinition);

/**
 * Reads a library set, with arguments that can be outputs of resources. In a preview that creates one of
 * these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getLibrarySetOutput = outputForm<GetLibrarySetOutputArgs, GetLibrarySetResult>(getDefinition);

/** The arguments of {@link listLibrarySets}. */
export interface ListLibrarySetsArgs
  extends PlainArgsOf<typeof directoryMount>, PlainArgsOf<typeof folderRows> {}

/** The arguments of {@link listLibrarySetsOutput}. */
export type ListLibrarySetsOutputArgs = InputsOf<ListLibrarySetsArgs>;

/** The result of {@link listLibrarySets}. */
export interface ListLibrarySetsResult {
  /** The names of the library sets, in the service's order, with their paths. */
  readonly names: string[];
}

const listDefinition = librarySets.listing("secrets.directory.listLibrarySets", folderRows);

/**
 * Lists the library sets of a directory engine.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.directory.listLibrarySets({});
 * ```
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listLibrarySets = promiseForm<ListLibrarySetsArgs | undefined, ListLibrarySetsResult>(
  listDefinition,
);

/**
 * Lists the library sets of a directory engine, with arguments that can be outputs of resources. In a preview
 * that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listLibrarySetsOutput = outputForm<ListLibrarySetsOutputArgs | undefined, ListLibrarySetsResult>(
  listDefinition,
);

/** The arguments of {@link getLibraryStatus}. */
export interface GetLibraryStatusArgs extends PlainArgsOf<typeof librarySetName>, Named {}

/** The arguments of {@link getLibraryStatusOutput}. */
export type GetLibraryStatusOutputArgs = InputsOf<GetLibraryStatusArgs>;

/** The result of {@link getLibraryStatus}. */
export interface GetLibraryStatusResult {
  /** The accounts of the set, by name. */
  readonly accounts: LibraryAccounts;
}

const statusDefinition = defineFunction(secretsService, librarySetName)(
  "secrets.directory.getLibraryStatus",
  async (client, set): Promise<GetLibraryStatusResult> => {
    const accounts = await readLibraryStatus(client, set);
    if (accounts === undefined) {
      throw librarySets.missing(set);
    }
    return { accounts };
  },
);

/**
 * Reads which accounts of a library set are free, and who has checked out the others.
 *
 * @example
 * ```typescript
 * const { accounts } = await trivium.secrets.directory.getLibraryStatus({ name: "operators" });
 * const free = Object.keys(accounts).filter((name) => accounts[name]?.available);
 * ```
 *
 * @throws {@link errors.NotFoundError} if the set does not exist
 */
export const getLibraryStatus = promiseForm<GetLibraryStatusArgs, GetLibraryStatusResult>(statusDefinition);

/**
 * Reads which accounts of a library set are free, with arguments that can be outputs of resources. In a
 * preview that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getLibraryStatusOutput = outputForm<GetLibraryStatusOutputArgs, GetLibraryStatusResult>(
  statusDefinition,
);
