import { TriviumError } from "../base/errors";
import type { Caller } from "../base/caller";

/** The notification configurations of a workspace, whose names are not unique. */
export interface SameNames<Found extends { readonly id: string }> {
  readonly workspaceId: string;
  readonly all: readonly Found[];
  /** Whether one has the name and the destination type that a new one is to have. */
  readonly isSame: (configuration: Found) => boolean;
}

/** What a workspace had before a creation, by the arguments of the creation. */
const present = new WeakMap<object, ReadonlySet<string>>();

/**
 * Names are not unique, so a creation never collides: others with the same name cause a warning, and one is
 * adopted if the program asks for it.
 */
export function findToAdopt<Found extends { readonly id: string }>(
  caller: Caller,
  { workspaceId, all, isSame }: SameNames<Found>,
  desired: { readonly adopt?: boolean | undefined },
): Found | undefined {
  present.set(desired, new Set(all.map(({ id }) => id)));
  const [first, ...others] = all.filter(isSame);
  if (first === undefined || (desired.adopt === true && others.length === 0)) {
    return first;
  }
  const ids = [first, ...others].map(({ id }) => id).join(", ");
  const has = `The workspace ${workspaceId} already has`;
  caller.announce(
    "warning",
    desired.adopt === true
      ? `${has} ${others.length + 1} notification configurations with this name and destination type (${ids}), so none ` +
          "was adopted. Another one is created."
      : `${has} a notification configuration with this name and destination type (${ids}). Another one is created; to ` +
          "manage the existing one instead, set `adopt: true`.",
  );
  return undefined;
}

/**
 * Finds the object of a creation whose response was lost: the one that is new in the list.
 *
 * @param desired the same object that was given to {@link findToAdopt}
 * @throws TriviumError when there is not exactly one
 */
export function findCreated<Found extends { readonly id: string }>(
  { workspaceId, all, isSame }: SameNames<Found>,
  desired: object,
): Found {
  const before = present.get(desired);
  const created = all.filter((each) => isSame(each) && before?.has(each.id) === false);
  const [only, ...others] = created;
  if (only === undefined) {
    throw new TriviumError(
      `the workspace ${workspaceId} has no new notification configuration with this name and destination type.`,
    );
  }
  if (others.length > 0) {
    throw new TriviumError(
      `the workspace ${workspaceId} has several new notification configurations with this name and ` +
        `destination type: ${created.map(({ id }) => id).join(", ")}. Delete those that nobody else uses.`,
    );
  }
  return only;
}
