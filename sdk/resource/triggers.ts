import type * as Zod from "zod";
import type { Validation } from "../base/validation";
import type { ArgumentDefinition } from "./argument";
import { toJson } from "../base/json";
import { equivalent, nothingIsNull } from "./canonical";
import { type Field, field } from "./field";

/** Values whose change makes something happen again. They mean nothing else. */
export type Triggers = Record<string, string | number | boolean>;

/**
 * What `triggers` is to the lifecycle: no service knows of it.
 *
 * @internal
 */
export const triggersDefinition: ArgumentDefinition = { canonical: nothingIsNull(), local: true };

/**
 * Whether nothing is to happen again. An update is also made where triggers are only named that say nothing new, such
 * as `{}` after none.
 *
 * @internal
 */
export function sameTriggers(former: unknown, wanted: unknown): boolean {
  return equivalent(triggersDefinition, toJson(former) ?? null, toJson(wanted) ?? null);
}

/**
 * The argument `triggers`.
 *
 * @internal
 */
export function triggers(
  options: { readonly replaces?: true; readonly writeOnly?: true; readonly role?: "behaviour" } = {},
): Field<Triggers, Triggers, "optional"> {
  return field(
    { argument: triggersOf, response: triggersOf },
    { canonical: nothingIsNull(), local: true, optional: true, ...options },
  );
}

/**
 * The schema of {@link triggers}, for resources that state no fields.
 *
 * @internal
 */
export function triggersArgument(z: Validation): Zod.ZodOptional<Zod.ZodType<Triggers, Triggers>> {
  return triggersOf(z).optional();
}

function triggersOf(z: Validation): Zod.ZodType<Triggers, Triggers> {
  const value = z.union([z.string(), z.number(), z.boolean()], "must be text, a number, or true or false");
  return z.record(z.string(), value);
}
