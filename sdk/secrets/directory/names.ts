import { field, output } from "../../resource/fields/field";
import { caseInsensitive, nameInPath, pathName, text, triggers } from "../../resource/fields/kinds";
import { keptName, mount } from "../mount";

export const usualMount = "ldap";

/** The fields of a rotation by trigger. */
export const rotationRows = {
  /**
   * Arbitrary values: any change rotates the password again.
   *
   * @default the password is rotated once
   */
  triggers: triggers(),
  /** When this resource last rotated the password: ISO 8601. */
  rotatedAt: output(text({ place: "library", recomputedBy: ["triggers"] })),
};

export const directoryMount = {
  /**
   * Where the directory engine is mounted.
   *
   * @default "ldap"
   */
  mount: mount(usualMount),
};

/** The name is as the service keeps it. */
export const roleFields = {
  ...directoryMount,
  /** The role's name. In the hashicorp dialect it is case-insensitive. */
  roleName: field(
    {
      argument: (z, dialect) => nameInPath(z).transform((name) => keptName(name, dialect)),
      response: (z) => z.string(),
    },
    { place: "path", replaces: true, canonical: { hashicorp: caseInsensitive } },
  ),
};

export const librarySetName = {
  ...directoryMount,
  /** The name of the library set. */
  name: pathName({ replaces: true, canonical: { hashicorp: caseInsensitive } }),
};
