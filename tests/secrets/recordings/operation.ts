import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";

/** What an operation gets instead of a program's arguments. */
export interface Asked {
  readonly step: Step<SecretsClient>;
  /** What its path has for each `:name`. */
  readonly names: readonly string[];
  /** The recorded request's members, with the names that arguments have. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Operations of the library by the recorded kind of request that they make. */
export type Operations = Readonly<Record<string, Operation>>;

export interface Operation {
  /** Makes the request. */
  readonly make: (asked: Asked) => Promise<unknown>;
  /** The result of the operation, out of the data of a successful response. Default: none. */
  readonly brings?: (data: Readonly<Record<string, unknown>>, asked: Asked) => unknown;
  /** The result if the response says that there is no such object. Default: an error. */
  readonly absent?: unknown;
}

/** Members of the wire with the names that arguments and outputs have. */
export function camelCased(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name.replace(/_(\w)/g, (_text, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

/** Some of an object's members. */
export function only(
  members: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}
