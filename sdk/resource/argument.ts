import type { JsonObject, JsonValue } from "../base/json";
import type { Dialect } from "../base/settings";
import type { Canonical } from "./canonical";

/** What an argument is to the lifecycle, beyond what its schema says of its value. */
export interface ArgumentDefinition {
  /** A change makes a new object and deletes the old one. */
  readonly replaces?: boolean;
  /** Encrypted in state, hidden in every output. */
  readonly secret?: boolean;
  /** The service never returns it: drift cannot be seen and the last applied value is kept. */
  readonly writeOnly?: boolean;
  /** The service has no such field: the library alone goes by it. */
  readonly local?: boolean;
  /**
   * - `remote` (default): a field of the remote object.
   * - `behaviour`: steers the library; it lives in state only and its change makes no request.
   * - `creation`: counts when the object is created, never after.
   */
  readonly role?: "remote" | "behaviour" | "creation";
  /** Brings spellings of the same value to one form, for comparisons. */
  readonly canonical?: Canonical;
  /** As `canonical`, in a dialect whose product takes more spellings for the same value: names in another case. */
  readonly canonicalIn?: Readonly<Partial<Record<Dialect, Canonical>>>;
  /**
   * What is allowed but unlikely to work. Not asked about null, nor about values that are not known yet or refused.
   *
   * @param value as the schema transforms it
   * @returns the warning without the argument's name: `is empty: ...`. It never repeats the value, which may be secret.
   */
  readonly warning?: (value: unknown, dialect: Dialect) => string | undefined;
  /**
   * It was no argument in a version that wrote state, but an output. State that names the arguments in it by `*` does
   * not mean this one.
   */
  readonly formerlyOutput?: boolean;
  /** What is sent to bring the field back to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** What the service has where nobody has said anything, in a dialect where that is not what clears the field. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, JsonValue>>>;
  /** What the service has where nobody has said anything, where that depends on the object's other fields. */
  readonly usualBeside?: (others: JsonObject) => JsonValue | undefined;
}

/** An output that is not an argument. */
export interface OutputDefinition {
  /** Encrypted in state, hidden in every output. */
  readonly secret?: boolean;
  /** The service may leave it out of every answer, so its absence is no reason to read again. */
  readonly optional?: boolean;
  /** A secret output that repeats common words beside secrets: its parts are not looked for in messages. */
  readonly commonWords?: boolean;
}
