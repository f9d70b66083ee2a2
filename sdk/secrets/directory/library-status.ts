import { ServiceError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import type { SecretsClient } from "../client";
import type { LibraryAccount, LibraryAccounts } from "./library-account";
import { describeLibrarySet, librarySetPath, type LibrarySetName } from "./library-wire";

/** @returns `undefined` when there is no such set */
export async function readLibraryStatus(
  client: SecretsClient,
  set: LibrarySetName,
): Promise<LibraryAccounts | undefined> {
  try {
    const status = await client.read({
      summary: `read the status of the ${describeLibrarySet(set)}`,
      path: path`/${mountPath(set.mount)}/library/${set.name}/status`,
      data: (z) =>
        z
          .record(
            z.string(),
            z.object({
              available: z.boolean(),
              borrower_client_token: z.string().nullish(),
              borrower_entity_id: z.string().nullish(),
            }),
          )
          .optional(),
    });
    const accounts = Object.entries(status ?? {}).map(([name, account]): [string, LibraryAccount] => {
      const { available, borrower_client_token: clientToken, borrower_entity_id: entityId } = account;
      return [
        name,
        {
          available,
          ...(clientToken ? { borrowerClientToken: clientToken } : {}),
          ...(entityId ? { borrowerEntityId: entityId } : {}),
        },
      ];
    });
    // A set without accounts answers a status without data, which is not the same as no set.
    return accounts.length > 0 || (await setExists(client, set)) ? Object.fromEntries(accounts) : undefined;
  } catch (error) {
    // There are services which say so of a set that does not exist.
    if (ServiceError.isInstance(error) && error.status === 400 && !(await setExists(client, set))) {
      return undefined;
    }
    throw error;
  }
}

/** As {@link readLibraryStatus}; `"not allowed"` when the token may not read it: that takes a right of its own. */
export async function readLibraryStatusIfAllowed(
  client: SecretsClient,
  set: LibrarySetName,
): Promise<LibraryAccounts | "not allowed" | undefined> {
  try {
    return await readLibraryStatus(client, set);
  } catch (error) {
    if (ServiceError.isInstance(error) && error.status === 403) {
      return "not allowed";
    }
    throw error;
  }
}

async function setExists(client: SecretsClient, set: LibrarySetName): Promise<boolean> {
  const summary = `find out whether the ${describeLibrarySet(set)} exists`;
  const request = { summary, path: librarySetPath(set) };
  return (await client.read({ ...request, data: (z) => z.looseObject({}) })) !== undefined;
}
