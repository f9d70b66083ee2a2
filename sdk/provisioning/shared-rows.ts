import { adopt, textSet, warnOfEmpty } from "../resource/fields/kinds";

/** The rows of a list of consumers of an organization's modules or providers. */
export const consumersRows = {
  /** The names of the consumer organizations. The order does not matter. A change replaces the list. */
  consumers: textSet({ check: warnOfEmpty }),
  /**
   * Adopt the list if one already exists, instead of failing. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
};
