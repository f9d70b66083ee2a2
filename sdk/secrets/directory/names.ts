import { field } from "../../resource/fields/field";
import { nameInPath, caseInsensitive } from "../../resource/fields/kinds";
import { keptName, mount } from "../mount";

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
