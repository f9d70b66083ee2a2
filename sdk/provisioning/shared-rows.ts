import { adopt, textSet, warnOfEmpty } from "../resource/fields/kinds";

/** Of the list of those with whom an organization shares its modules or providers. */
export const consumersRows = {
  /**
   * The names of the organizations that may use them. The order does not matter. A change replaces the list.
   */
  consumers: textSet({ check: warnOfEmpty }),
  /**
   * Adopt a list that already exists, instead of failing. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
};
