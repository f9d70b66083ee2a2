import { TriviumError } from "../../base/errors";
import type { Dialect } from "../../base/settings";
import { field } from "../../resource/fields/field";
import { nameInPath, caseInsensitive } from "../../resource/fields/kinds";
import { secretsDialects } from "../dialect";
import { mount } from "../mount";

export const usualMount = "ldap";

/** The name is as the service keeps it. */
export const roleFields = {
  mount: mount(usualMount),
  roleName: field(
    {
      argument: (z, dialect) => nameInPath(z).transform((name) => keptName(name, dialect)),
      response: (z) => z.string(),
    },
    { place: "path", replaces: true, canonicalIn: { hashicorp: caseInsensitive } },
  ),
};

/** The products fold case; the documentation does not mention it. */
export function keptName(name: string, dialect: Dialect): string {
  return secretsDialects[dialect].foldsNames ? name.toLowerCase() : name;
}

/**
 * Thrown instead of an update of a deleted role: the service accepts any write, and would create a role without
 * templates, or rotate a password that nobody asked to rotate.
 */
export function noLongerExists(role: string): TriviumError {
  return new TriviumError(`The ${role} no longer exists, so it was not updated.`, {
    advice: "Run `pulumi refresh`: the next `pulumi up` then creates it again.",
  });
}
