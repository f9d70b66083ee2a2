import type { Dialect } from "../base/settings";
import { field, type Kind, nothingIsNull, output } from "../resource/fields/field";
import { duration, durationAsWritten, text } from "../resource/fields/kinds";
import { orAsWritten, secondsKind } from "./seconds";

/** @internal A duration of the library, as the program wrote it. */
export const libraryDuration = field(durationAsWritten(), { local: "state", optional: true });

/** The fields of what is issued once, with a lifetime. */
export const leasedRows = {
  /**
   * How long before it expires the resource is replaced: seconds, or a duration such as `"1h"`; the output is as
   * written. Must be shorter than the lifetime; otherwise every update replaces the resource. A change does not
   * send a request.
   *
   * @default it is replaced by the first update after its expiry
   */
  renewBefore: libraryDuration,
  /** The lease ID; empty if the service does not return one. */
  leaseId: output(text()),
  /** The time of expiry: ISO 8601 in UTC; null if there is none, or if the service does not return it. */
  expiresAt: output(text({ nullable: true })),
};

function lifetimeKind(dialect: Dialect): Kind<string | number, number> {
  const inSeconds = secondsKind(dialect);
  return {
    ...inSeconds,
    argument: (z) => orAsWritten(z, (given) => given === "", inSeconds.argument(z)),
    response: (z) => z.union([inSeconds.response(z), z.literal("").transform(() => 0)]),
    canonical: nothingIsNull((value) => duration(value) || null),
    nothing: 0,
  };
}

/** In seconds. With 0, null or an empty string, the mount's value applies. */
export const lifetime = field(lifetimeKind, { cleared: "" });
