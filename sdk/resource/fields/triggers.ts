import type * as Zod from "zod";
import type { Validation } from "../../base/validation";
import type { ArgumentDefinition } from "./argument";
import { toJson } from "../../base/json";
import { equivalent, nothingIsNull } from "./canonical";
import { type Field, field } from "./field";

/** Values whose change triggers an action again. They have no other meaning. */
export type Triggers = Record<string, string | number | boolean>;

/** @internal */
export const triggersDefinition: ArgumentDefinition = { canonical: nothingIsNull(), local: true };

/** @internal */
export function sameTriggers(current: unknown, desired: unknown): boolean {
  // Adding triggers without values, such as `{}`, also causes an update, but no action.
  return equivalent(triggersDefinition, toJson(current) ?? null, toJson(desired) ?? null);
}

/** @internal */
export function triggers(
  options: { readonly replaces?: true; readonly writeOnly?: true; readonly role?: "behaviour" } = {},
): Field<Triggers, Triggers, "optional"> {
  return field(
    { argument: triggersOf, response: triggersOf },
    { canonical: nothingIsNull(), local: true, optional: true, ...options },
  );
}

/** @internal */
export function triggersArgument(z: Validation): Zod.ZodOptional<Zod.ZodType<Triggers, Triggers>> {
  return triggersOf(z).optional();
}

function triggersOf(z: Validation): Zod.ZodType<Triggers, Triggers> {
  const value = z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean");
  return z.record(z.string(), value);
}
