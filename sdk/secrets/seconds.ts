import type * as Zod from "zod";
import type { JsonValue } from "../base/json";
import type { Validation } from "../base/schema";
import type { Dialect } from "../base/settings";
import { parseDuration } from "../base/timing";
import {
  type Exactly,
  type Kind,
  type PresenceOf,
  type Row,
  rowOf,
  type Shown,
} from "../resource/fields/field";
import { checkedDuration, duration, durationInSeconds, type NumberOptions } from "../resource/fields/kinds";
import { valueIn } from "../resource/fields/resolution";
import { secretsDialects } from "./dialect";

/** Seconds, optionally written with units: `60`, `"60s"`, `"1m"`. */
export function seconds<const Options extends NumberOptions>(
  options: Exactly<Options, NumberOptions> = {} as Exactly<Options, NumberOptions>,
): Row<string | number, Shown<number, Options>, PresenceOf<Options>> {
  const kind = (dialect: Dialect): Kind<string | number, number> =>
    secondsKind(dialect, valueIn(options.least, dialect));
  return rowOf<string | number, number, Options>(kind, options);
}

export function secondsKind(dialect: Dialect, least = 0): Kind<string | number, number> {
  const isOpaque = secretsDialects[dialect].knowsUnits ? undefined : hasOtherUnit;
  return {
    argument(z) {
      const known = sentSeconds(z, dialect, least);
      return isOpaque === undefined ? known : orAsWritten(z, isOpaque, known);
    },
    response: (z) => durationInSeconds(z),
    request: writtenSeconds,
    canonical: duration,
    isOpaque,
  };
}

const withUnits = /^(?:\d+(?:\.\d+)? ?[a-zµ]+ ?)+$/i;

function hasOtherUnit(value: unknown): boolean {
  return typeof value === "string" && parseDuration(value) === undefined && withUnits.test(value);
}

/** Values that are not numbers only occur in requests, because responses contain numbers. */
export function orAsWritten(
  z: Validation,
  isWritten: (given: unknown) => boolean,
  known: Zod.ZodType<number>,
): Zod.ZodType<number> {
  return z.union([z.custom<number>(isWritten), known], {
    error: (issue) => ("errors" in issue ? issue.errors.at(-1)?.[0]?.message : undefined),
  });
}

/** The products truncate to whole seconds; the documentation requires whole seconds if there is no unit. */
function sentSeconds(z: Validation, dialect: Dialect, least: number): Zod.ZodType<number> {
  const { knowsUnits } = secretsDialects[dialect];
  const whole = `must be a whole number of seconds${knowsUnits ? "" : ", or have a unit"}`;
  return checkedDuration(z, (value, given) => {
    if (value < least) {
      return `must be ${least} ${least === 1 ? "second" : "seconds"} or more`;
    }
    const hasUnit = Number.isNaN(Number(given));
    return Number.isInteger(value) || (hasUnit && !knowsUnits) ? undefined : whole;
  });
}

export function writtenSeconds(value: JsonValue): JsonValue {
  return typeof value !== "number" || Number.isInteger(value)
    ? value
    : `${Number((value * 1000).toFixed(6))}ms`;
}
