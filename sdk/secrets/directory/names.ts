import { TriviumError } from "../../base/errors";
import { caseInsensitive } from "../../resource/fields/canonical";
import type { Dialect } from "../../base/settings";
import { field } from "../../resource/fields/field";
import { nameInPath } from "../../resource/fields/schemas";
import { secretsDialects } from "../dialect";
import { mount } from "../mount";

/** Where the directory engine is mounted when a program does not say. */
export const usualMount = "ldap";

/** The arguments that say which role is meant: its name in the form in which the service keeps it. */
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

/** A name as the service keeps it: the documentation says nothing of case, the products fold it. */
export function keptName(name: string, dialect: Dialect): string {
  return secretsDialects[dialect].foldsNames ? name.toLowerCase() : name;
}

/**
 * What to throw instead of an update when a role no longer exists. The service takes any write, and would
 * make another role out of what is to change: with no templates, or with a password that is rotated although
 * nobody has asked for it.
 *
 * @param role as messages name it: `static role "payments" of the mount ldap`
 */
export function noLongerExists(role: string): TriviumError {
  return new TriviumError(`The ${role} no longer exists, so it was not updated.`, {
    advice: "Run `pulumi refresh`: the next `pulumi up` then creates it again.",
  });
}
