import type * as Zod from "zod";
import { NotFoundError } from "../../base/errors";
import { mountPath, path, type Path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { builtOnce } from "../../base/validation";
import type { Validation } from "../../base/validation";
import { durationInSeconds, nameInAnswer, nameInPath } from "../../resource/schemas";
import type { Lease } from "../answer";
import type { SecretsClient } from "../client";
import { mountArgument } from "../mount";
import { onDirectory } from "./failures";
import { usualMount } from "./names";

/** Which library set is meant. */
export interface LibrarySetName {
  /** Where the engine is mounted. */
  readonly mount: string;
  readonly name: string;
}

/** What a library set is to be; members that are `undefined` are left as they are. */
export interface LibrarySetFields {
  readonly serviceAccountNames?: readonly string[] | undefined;
  /** In seconds; 0 is unlimited. */
  readonly ttl?: number | undefined;
  /** In seconds; 0 is unlimited. */
  readonly maxTtl?: number | undefined;
  readonly disableCheckInEnforcement?: boolean | undefined;
}

/** An account that was checked out a moment ago. */
export interface CheckedOutAccount {
  readonly serviceAccountName: string;
  readonly password: string;
  readonly lease: Lease;
}

/** The path of a library set. */
export function librarySetPath({ mount, name }: LibrarySetName): Path {
  return path`/${mountPath(mount)}/library/${name}`;
}

/** A library set, as messages name it. */
export function describeLibrarySet({ mount, name }: LibrarySetName): string {
  return `library set ${JSON.stringify(name)} of the mount ${mount}`;
}

/** What to throw when there is no such set. */
export function noSuchSet(set: LibrarySetName): NotFoundError {
  return new NotFoundError(`There is no ${describeLibrarySet(set)}.`);
}

/** The arguments of a function that asks about a library set. */
export function librarySetArguments(z: Validation): Zod.ZodType<LibrarySetName> {
  return z.strictObject({
    mount: mountArgument(z, usualMount),
    name: nameInPath(z),
  });
}

/** Names of accounts as a list, or as one text with commas; each once. */
export function accountNames(z: Validation): Zod.ZodType<string[], string | string[]> {
  return z
    .union([z.string(), z.array(z.string())], {
      error: ({ input }) => (input === undefined ? "is required" : "must be a list of names"),
    })
    .transform((value, context) => {
      const names = (typeof value === "string" ? value.split(",") : value).map((name) => name.trim());
      const given = typeof value === "string" ? names.filter((name) => name !== "") : names;
      if (given.length === 0) {
        context.addIssue({ code: "custom", message: "must name at least one account" });
      }
      given.forEach((name, index) => {
        if (name === "") {
          context.addIssue({ code: "custom", path: [index], message: "must not be empty" });
        }
      });
      return [...new Set(given)];
    });
}

const librarySetShape = builtOnce((z) =>
  z.object({
    service_account_names: z.union([z.string(), z.array(z.string())]).optional(),
    ttl: durationInSeconds(z).optional(),
    max_ttl: durationInSeconds(z).optional(),
    disable_check_in_enforcement: z.boolean().optional(),
  }),
);

/** @returns `undefined` when there is no such set */
export async function readLibrarySet(
  client: SecretsClient,
  set: LibrarySetName,
): Promise<LibrarySetFields | undefined> {
  const data = await client.read({
    summary: `read the ${describeLibrarySet(set)}`,
    path: librarySetPath(set),
    data: librarySetShape,
  });
  if (data === undefined) {
    return undefined;
  }
  const { service_account_names: names, ttl, max_ttl: maxTtl } = data;
  return {
    serviceAccountNames: typeof names === "string" ? names.split(",").map((name) => name.trim()) : names,
    ttl,
    maxTtl,
    disableCheckInEnforcement: data.disable_check_in_enforcement,
  };
}

/** Makes a library set, or changes it. */
export async function writeLibrarySet(
  client: SecretsClient,
  set: LibrarySetName,
  { serviceAccountNames, ttl, maxTtl, disableCheckInEnforcement }: LibrarySetFields,
): Promise<void> {
  await onDirectory(client, set.mount, () =>
    client.write({
      summary: `write the ${describeLibrarySet(set)}`,
      path: librarySetPath(set),
      body: {
        ...repeatedName(client, set),
        service_account_names: serviceAccountNames,
        ttl,
        max_ttl: maxTtl,
        disable_check_in_enforcement: disableCheckInEnforcement,
      },
      data: (z) => z.unknown(),
    }),
  );
}

/**
 * Has the service choose a free account, in one request that is not repeated once it may have been seen.
 *
 * @param ttl in seconds; `undefined` or null for the set's own
 */
export async function checkOutAccount(
  client: SecretsClient,
  set: LibrarySetName,
  ttl: number | null | undefined,
): Promise<CheckedOutAccount> {
  const { data, lease } = await client.issue({
    summary: `check out an account of the ${describeLibrarySet(set)}`,
    method: "POST",
    path: path`/${mountPath(set.mount)}/library/${set.name}/check-out`,
    body: { ...repeatedName(client, set), ...(ttl === undefined || ttl === null ? {} : { ttl }) },
    data: (z) => z.object({ service_account_name: nameInAnswer(z), password: z.string() }),
  });
  processRedactor.register(data.password);
  return { serviceAccountName: data.service_account_name, password: data.password, lease };
}

/**
 * Gives accounts back, in one request that is not repeated once it may have been seen: in the meantime somebody
 * else may have borrowed them.
 *
 * @param accounts `undefined` where the only one that is checked out is meant
 * @param manage use the path for highly privileged callers, on which it does not matter who has borrowed them
 * @returns those that were checked in by this request
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
    summary: `check in ${what} of the ${describeLibrarySet(set)}`,
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

/** The documents have the name, which stands in the path, as a required member of these bodies. */
function repeatedName(client: SecretsClient, { name }: LibrarySetName): object {
  return client.dialect.libraryRequestsNameTheSet ? { name } : {};
}
