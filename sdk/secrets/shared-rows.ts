import { field, nothingIsNull, output } from "../resource/fields/field";
import {
  duration,
  durationInSeconds,
  sentSeconds,
  text,
  unknownUnit,
  writtenSeconds,
} from "../resource/fields/kinds";
import type { Row } from "../resource/fields/rows";

/** @internal A duration of the library, as the program wrote it. */
export const libraryDuration = field(
  { argument: durationInSeconds, response: durationInSeconds, canonical: duration },
  { place: "behaviour", optional: true },
) as Row<string | number, string | number | null | undefined, "optional">;

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
  /** When it expires: ISO 8601 in UTC; null if it never does, or if the service does not say when. */
  expiresAt: output(text({ unreported: "null" })),
};

/** In seconds; 0, null and an empty string leave it to the mount. */
export const lifetime = field(
  {
    argument: (z, dialect) =>
      z.union([z.literal("") as never, sentSeconds(z, dialect)], {
        error: (issue) => ("errors" in issue ? issue.errors.at(-1)?.[0]?.message : undefined),
      }),
    response: (z) => z.union([durationInSeconds(z), z.literal("").transform(() => 0)]),
    request: writtenSeconds,
    canonical: nothingIsNull((value) => duration(value) || null),
    nothing: 0,
    doubt: unknownUnit,
  },
  { cleared: "" },
);
