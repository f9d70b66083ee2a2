import type * as Zod from "zod";
import type { Validation } from "../base/validation";
import type { ArgumentDefinition } from "./argument";
import { toJson } from "../base/json";
import { equivalent, nothingIsNull } from "./canonical";

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
 * Names with values of any simple kind.
 *
 * @internal
 */
export function triggersArgument(z: Validation): Zod.ZodOptional<Zod.ZodType<Triggers, Triggers>> {
  const value = z.union([z.string(), z.number(), z.boolean()], "must be text, a number, or true or false");
  return z.record(z.string(), value).optional();
}
