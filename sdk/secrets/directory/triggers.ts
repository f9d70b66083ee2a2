import type * as Zod from "zod";
import type { Canonical } from "../../resource/canonical";
import type { ArgumentDefinition, Validation } from "../../resource/definition";
import { isObject } from "../../resource/json";

/** Values whose change makes a rotation happen again. They mean nothing else. */
export type Triggers = Readonly<Record<string, string | number | boolean>>;

const emptyIsNull: Canonical = (value) => (isObject(value) && Object.keys(value).length === 0 ? null : value);

/**
 * What `triggers` is to the lifecycle: the service does not know of it.
 *
 * @internal
 */
export const triggersDefinition: ArgumentDefinition = { canonical: emptyIsNull };

/**
 * Names with values of any simple kind.
 *
 * @internal
 */
export function triggersArgument(z: Validation): Zod.ZodOptional<Zod.ZodType<Triggers, Triggers>> {
  return z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional();
}
