import type { JsonObject, JsonValue } from "../../base/json";
import type { Dialect } from "../../base/settings";
import type { Canonical } from "./canonical";

export interface ArgumentDefinition {
  /** A change replaces the object. */
  readonly replaces?: boolean;
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** The service never returns it: drift is not detected, and the last applied value is kept. */
  readonly writeOnly?: boolean;
  /** The service has no such field: only the library uses it. */
  readonly local?: boolean;
  /** `behaviour` is only in state and makes no request; `creation` has no effect later. Default: `remote`. */
  readonly role?: "remote" | "behaviour" | "creation";
  /** Normalizes spellings for comparisons. */
  readonly canonical?: Canonical;
  /** Replaces `canonical` in a dialect whose product accepts more spellings, such as another case. */
  readonly canonicalIn?: Readonly<Partial<Record<Dialect, Canonical>>>;
  /** Warns about a valid, known value that is unlikely to work. Must not repeat the value, which may be secret. */
  readonly warning?: (value: unknown, dialect: Dialect) => string | undefined;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: Readonly<Record<Dialect, JsonValue>>;
  /** What resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** The service's default in a dialect where it is not {@link cleared}. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, JsonValue>>>;
  /** The service's default, if it depends on the object's other fields. */
  readonly usualBeside?: (others: JsonObject) => JsonValue | undefined;
  /** What else may change it, besides the program. Default: nothing. */
  readonly follows?: Follows;
  /** In a response, a cleared field is {@link cleared}, neither null nor missing. */
  readonly tellsCleared?: boolean;
}

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type Follows = true | readonly string[];

export interface OutputDefinition {
  readonly secret?: boolean;
  /** Responses may omit it, so its absence causes no read. */
  readonly optional?: boolean;
  /** Contains common words besides secrets, so its parts are not redacted. */
  readonly commonWords?: boolean;
  /** What may change it. Default: only a replacement. */
  readonly follows?: Follows;
}
