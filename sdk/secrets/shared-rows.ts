import type { Dialect } from "../base/settings";
import { field, type Kind, nothingIsNull, output } from "../resource/fields/field";
import {
  duration,
  durationAsWritten,
  durationInSeconds,
  sentSeconds,
  text,
  writtenSeconds,
} from "../resource/fields/kinds";

/** @internal A duration of the library, as the program wrote it. */
export const libraryDuration = field(durationAsWritten(), { local: "state", optional: true });

/** The fields of what is issued once, with a lifetime. */
export const leasedRows = {
  /**
   * How long before its expiry it is replaced: seconds, or a duration such as `"1h"`; the output is as written. It must be
   * less than its lifetime; otherwise every update replaces it. A change makes no request.
   *
   * @default it is replaced by the first update after its expiry
   */
  renewBefore: libraryDuration,
  /** The lease id; empty if the service returns none. */
  leaseId: output(text()),
  /** When it expires: ISO 8601 in UTC; null for never. */
  expiresAt: output(text({ nullable: true })),
};

const lifetimeKind = (dialect: Dialect): Kind<string | number, number> => ({
  argument: (z) =>
    z.union([z.custom<number>((given) => given === ""), sentSeconds(z, dialect)], {
      error: (issue) => ("errors" in issue ? issue.errors.at(-1)?.[0]?.message : undefined),
    }),
  response: (z) => z.union([durationInSeconds(z), z.literal("").transform(() => 0)]),
  request: writtenSeconds,
  canonical: nothingIsNull((value) => duration(value) || null),
  nothing: 0,
});

/** In seconds; 0, null and an empty string leave it to the mount. */
export const lifetime = field(lifetimeKind, { cleared: "" });
