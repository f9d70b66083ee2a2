import type { JsonObject, JsonValue } from "../../base/json";
import type { Dialect } from "../../base/settings";
import type { Canonical } from "./canonical";

/** The lifecycle properties of an argument, besides the schema of its value. */
export interface ArgumentDefinition {
  /** A change replaces the object. */
  readonly replaces?: boolean;
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** The service never returns it: drift is not detected, and the last applied value is kept. */
  readonly writeOnly?: boolean;
  /** The service has no such field: only the library uses it. */
  readonly local?: boolean;
  /**
   * - `remote` (default): a field of the remote object.
   * - `behaviour`: steers the library; it lives in state only and its change makes no request.
   * - `creation`: counts when the object is created, never after.
   */
  readonly role?: "remote" | "behaviour" | "creation";
  /** Normalizes the spellings of a value for comparisons. */
  readonly canonical?: Canonical;
  /**
   * Like `canonical`, for a dialect whose product accepts more spellings of a value, such as names in another
   * case.
   */
  readonly canonicalIn?: Readonly<Partial<Record<Dialect, Canonical>>>;
  /**
   * A valid value that is unlikely to work. Not called for null, unknown or invalid values.
   *
   * @param value as transformed by the schema
   * @returns the warning without the name of the argument: `is empty: ...`. It never repeats the value, which
   *   may be secret.
   */
  readonly warning?: (value: unknown, dialect: Dialect) => string | undefined;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: Readonly<Record<Dialect, JsonValue>>;
  /** What is sent to reset the field to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** The service's default in a dialect where it differs from what resets the field. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, JsonValue>>>;
  /** What the service has where nobody has said anything, where that depends on the object's other fields. */
  readonly usualBeside?: (others: JsonObject) => JsonValue | undefined;
  /** What may change it, besides the program. Default: nothing. */
  readonly follows?: Follows;
  /** A response has {@link cleared} for a cleared field, neither null nor nothing. */
  readonly tellsCleared?: boolean;
}

/** The arguments whose change may change another field; `true` if every update may, or time alone. */
export type Follows = true | readonly string[];

/** An output that is not an argument. */
export interface OutputDefinition {
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** Responses may omit it, so its absence is no reason for a read. */
  readonly optional?: boolean;
  /** A secret output that contains common words beside secrets: its parts are not redacted. */
  readonly commonWords?: boolean;
  /** What may change it. Default: only a replacement of the object. */
  readonly follows?: Follows;
}
