import type * as Zod from "zod";
import { TriviumError } from "../../http/errors";
import { caseInsensitive } from "../../resource/canonical";
import type { ArgumentDefinition, Validation } from "../../resource/definition";
import { nameInPath } from "../../resource/schemas";
import { readMountedId } from "../mount";

/** Where the directory engine is mounted when a program does not say. */
export const usualMount = "ldap";

/** What the name of a role is to the lifecycle. */
export const roleNameDefinition: ArgumentDefinition = { replaces: true, canonical: caseInsensitive };

/** The name of a role: the service keeps names in lower case, so that two spellings are one role. */
export function roleNameArgument(z: Validation): Zod.ZodType<string, string> {
  return nameInPath(z).transform((name) => name.toLowerCase());
}

/**
 * What to throw instead of an update when a role is gone. The service takes any write, and would make another role out
 * of what is to change: with no templates, or with a password that is rotated although nobody has asked for it.
 *
 * @param role as messages name it: `static role payments of ldap`
 */
export function noLongerExists(role: string): TriviumError {
  return new TriviumError(
    `The ${role} no longer exists, so there is nothing to update. Nothing was changed.`,
    {
      hint: "Run `pulumi refresh`: the next `pulumi up` then makes it again.",
    },
  );
}

/** Which role is meant. */
export interface RoleName {
  readonly mount: string;
  /** In lower case. */
  readonly roleName: string;
}

/**
 * Takes a role's id apart.
 *
 * @throws InputError when it is none
 */
export function roleNameOf(id: string): RoleName {
  const { mount, names } = readMountedId(id, 1);
  return { mount, roleName: (names[0] ?? "").toLowerCase() };
}
