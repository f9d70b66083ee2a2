import type * as Zod from "zod";
import { caseInsensitive } from "../../resource/canonical";
import type { ArgumentDefinition, Validation } from "../../resource/definition";
import { readMountedId } from "../mount";

/** Where the directory engine is mounted when a program does not say. */
export const usualMount = "ldap";

/** What the name of a role is to the lifecycle. */
export const roleNameDefinition: ArgumentDefinition = { replaces: true, canonical: caseInsensitive };

/** The name of a role: the service keeps names in lower case, so that two spellings are one role. */
export function roleNameArgument(z: Validation): Zod.ZodType<string, string> {
  return z
    .string()
    .min(1, "must not be empty")
    .transform((name) => name.toLowerCase());
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
