import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";

/** What an operation of the library is given in place of what a program says. */
export interface Asked {
  readonly step: Step<SecretsClient>;
  /** What stands in the place of the parentheses in its path. */
  readonly names: readonly string[];
  /** The recorded request's members, with the names that arguments have. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** An operation of the library that makes a recorded kind of request. */
export interface Operation {
  /** The methods and the path of the request. */
  readonly request: RegExp;
  /** Makes the request. */
  readonly make: (asked: Asked) => Promise<unknown>;
  /** What the operation is to bring, out of the data of a successful answer. Default: nothing is looked at. */
  readonly brings?: (data: Readonly<Record<string, unknown>>, asked: Asked) => unknown;
  /** What it brings when the answer says that there is no such object. Default: an error. */
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
