import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { ServiceError, TriviumError } from "../../base/errors";
import { isResource, TriviumResource } from "../../resource/base";
import { commaSeparatedSet, duration } from "../../resource/canonical";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import { nameInPath, wholeSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { exceeds } from "../leased";
import { Turns } from "../../base/turns";
import { mountArgument, mountDefinition, mountedId, readMountedId } from "../mount";
import { borrowerOf, describeHolders, type LibraryAccounts } from "./library-account";
import { readLibraryStatus } from "./library-status";
import {
  accountNames,
  describeLibrarySet,
  librarySetPath,
  type LibrarySetName,
  readLibrarySet,
  writeLibrarySet,
} from "./library-wire";
import { canonicalEngineId, engineNameDefinition, usualMount } from "./names";

/** The arguments of a {@link LibrarySet}. */
export interface LibrarySetArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the set.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The set's name on its mount. A change replaces the set: the old one is deleted first, as they share accounts. */
  name: pulumi.Input<string>;
  /**
   * The names of the accounts that can be checked out: a list, or one text with commas; neither order nor repetition
   * counts. Each must exist in the directory, may belong to one set only, and must be used through the service only:
   * the service changes its password. A change adds and removes accounts in place; one that is checked out cannot be
   * removed.
   */
  serviceAccountNames: pulumi.Input<string | pulumi.Input<string>[]>;
  /**
   * How long a check-out may last before the account is checked in by itself: seconds, or a duration such as
   * `"8h"`. 0 is unlimited. A change counts for later check-outs.
   *
   * @default "24h"
   */
  ttl?: pulumi.Input<string | number | null | undefined>;
  /**
   * How long a check-out may last with all its renewals: seconds, or a duration such as `"2d"`. Less than `ttl` is
   * warned about; the products of the hashicorp dialect refuse it. 0 is unlimited. A change counts for later check-outs.
   *
   * @default "24h"
   */
  maxTtl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Let anybody who may use the set check in any of its accounts, not only the token or the entity that has checked
   * it out. A change is made in place.
   *
   * @default false
   */
  disableCheckInEnforcement?: pulumi.Input<boolean | null | undefined>;
  /**
   * Take over the set of this name if there is one already, instead of failing. Counts at creation only; a change
   * does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const dayInSeconds = 86_400;

/** What is cleared becomes the default; what was never given may be anything, which is no reason to object. */
function inSeconds(ttl: unknown): number {
  return ttl === null ? dayInSeconds : typeof ttl === "number" ? ttl : 0;
}

function setOf(id: string): LibrarySetName {
  const { mount, names } = readMountedId(id, 1);
  return { mount, name: names[0] ?? "" };
}

/** Accounts that are checked out can neither be removed nor go with their set: says which, and who holds them. */
function assertNotCheckedOut(
  status: LibraryAccounts,
  set: LibrarySetName,
  accounts: readonly string[] | undefined,
): void {
  const names = accounts ?? Object.keys(status);
  if (names.some((name) => borrowerOf(status, name) !== undefined)) {
    const what = accounts === undefined ? "delete it" : "remove them";
    throw new TriviumError(
      `Accounts of the ${describeLibrarySet(set)} are checked out: ${describeHolders(status, names)}. ` +
        "Nothing was changed.",
      {
        hint:
          `To ${what}, wait until they are checked in, or have that done: by destroying the LibraryCheckout that ` +
          "holds them, with checkIn, or with forceCheckIn by somebody who may.",
      },
    );
  }
}

/** With which status the service refuses a change is not documented. */
const refusals: readonly number[] = [400, 409, 422];

/** Makes a change that a check-out may stand in the way of, and explains it if one does. */
async function explainingRefusal(
  client: SecretsClient,
  set: LibrarySetName,
  accounts: readonly string[] | undefined,
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (ServiceError.isInstance(error) && refusals.includes(error.status)) {
      // That it cannot be asked must not hide the refusal itself.
      const status = await readLibraryStatus(client, set).catch(() => undefined);
      assertNotCheckedOut(status ?? {}, set, accounts);
    }
    throw error;
  }
}

/** @internal */
export const librarySetDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:LibrarySet",
  service: secretsService,
  identifiedBy: ["mount", "name"],
  deleteBeforeReplace: true,
  schema: (z) => ({
    mount: mountArgument(z, usualMount),
    name: nameInPath(z),
    serviceAccountNames: accountNames(z),
    ttl: wholeSeconds(z).optional(),
    maxTtl: wholeSeconds(z).optional(),
    disableCheckInEnforcement: z.boolean().optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    mount: mountDefinition,
    name: engineNameDefinition,
    serviceAccountNames: { canonical: commaSeparatedSet },
    ttl: { canonical: duration, cleared: dayInSeconds },
    maxTtl: { canonical: duration, cleared: dayInSeconds },
    disableCheckInEnforcement: { cleared: false },
    adopt: { role: "creation" },
  },
  outputs: {},
  canonicalId: canonicalEngineId,
  // An account belongs to one set only: a new set could not have those of the old one.
  rules: [
    {
      between: ["ttl", "maxTtl"],
      check({ ttl, maxTtl }, dialect) {
        const warning = secretsDialects[dialect].refusals === "documented";
        return (
          exceeds(inSeconds(ttl), inSeconds(maxTtl)) && {
            argument: "maxTtl",
            reason: warning
              ? "is less than ttl: no check-out lasts longer than that (0 is unlimited)"
              : "must not be less than ttl (0 is unlimited)",
            warning,
          }
        );
      },
    },
  ],
  // Nothing is said of what becomes of fields that an update leaves out.
  updatesWholeObject: true,

  inTurn: ({ client }, { mount, name }, work) =>
    client.part(Turns).run(canonicalEngineId(mountedId(mount, name), client.dialect.name), work),

  async find({ client }, { mount, name }) {
    const fields = await readLibrarySet(client, { mount, name });
    return fields && { id: mountedId(mount, name), state: { mount, name, ...fields } };
  },

  async create({ client }, { mount, name, ...fields }) {
    await writeLibrarySet(client, { mount, name }, fields);
    return { id: mountedId(mount, name), state: { mount, name } };
  },

  async read({ client }, id) {
    const set = setOf(id);
    const fields = await readLibrarySet(client, set);
    return fields && { ...set, ...fields };
  },

  async update({ client }, id, desired, changed, known) {
    const set = setOf(id);
    const { serviceAccountNames: former } = known;
    const names = Array.isArray(former) ? former.filter((name) => typeof name === "string") : [];
    const removed = names.filter((name) => !desired.serviceAccountNames.includes(name));
    const leaving = changed.has("serviceAccountNames") ? removed : [];
    await explainingRefusal(client, set, leaving, () =>
      writeLibrarySet(client, set, { ...known, ...desired }),
    );
    return { ...set };
  },

  async delete({ client }, id) {
    const set = setOf(id);
    const summary = `delete the ${describeLibrarySet(set)}`;
    await explainingRefusal(client, set, undefined, () =>
      client.delete({ summary, path: librarySetPath(set) }),
    );
  },
});

/**
 * A library set of the directory engine: service accounts that are checked out for a time and checked in again.
 * Use {@link LibraryCheckout} to check one out.
 *
 * The service changes the passwords of the accounts as soon as they belong to a set. Accounts are added and removed in
 * place; to remove one that is checked out, or to delete a set of which any is, fails and says who holds it. Its id
 * is the mount and the name. All drift is visible.
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
 *
 * Documented under "Library set" in the secrets service's interface.
 */
export class LibrarySet extends TriviumResource {
  /** @internal */
  static override readonly definition = librarySetDefinition;

  /** Where the directory engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The set's name. */
  declare readonly name: pulumi.Output<string>;
  /** The names of its accounts. */
  declare readonly serviceAccountNames: pulumi.Output<string[]>;
  /** How long a check-out may last, in seconds; 0 is unlimited. */
  declare readonly ttl: pulumi.Output<number>;
  /** How long a check-out may last with all its renewals, in seconds; 0 is unlimited. */
  declare readonly maxTtl: pulumi.Output<number>;
  /** Whether anybody who may use the set may check in its accounts. */
  declare readonly disableCheckInEnforcement: pulumi.Output<boolean>;

  /**
   * Reads an existing library set without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount and the set's name: `ldap/operators`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): LibrarySet {
    assertGetSupported("secrets.directory.LibrarySet");
    return new LibrarySet(name, undefined, { ...options, id });
  }

  /** Whether a value is a library set, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is LibrarySet {
    return isResource(value, librarySetDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the library set is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: LibrarySetArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: LibrarySetArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: LibrarySetArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(librarySetDefinition, name, args, options);
  }
}
