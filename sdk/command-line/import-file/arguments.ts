import { validation } from "../../base/validation";
import { checkArguments, isOptional, schemaOf } from "../../resource/check";
import type { Dialect } from "../../base/settings";
import type { ArgumentDefinition } from "../../resource/argument";
import type { AnyResourceDefinition } from "../../resource/definition";
import type { JsonObject, JsonValue } from "../../base/json";
import { equivalent } from "../../resource/canonical";
import { isUsual } from "../../resource/importing";

/** What a program returns about an object for its plan to show no change. */
export interface ProgramArguments {
  /** By name, spelled as a person would. No secret is among them. */
  readonly plain: JsonObject;
  /** Arguments whose values come from configuration, and whether they are optional. */
  readonly secrets: readonly { readonly name: string; readonly optional: boolean }[];
  /** Arguments that may be set in the service, which does not say so. */
  readonly untold: readonly string[];
  /** Why the library would refuse the program. */
  readonly problems: readonly string[];
}

/** A placeholder for an unknown secret while the arguments are checked. */
const unknownSecret = "unknown secret";

/**
 * Determines the arguments that a program must declare for an object, without those that equal the service's
 * default.
 *
 * @param values the object's arguments and outputs as the service returns them
 */
export function programArguments(
  definition: AnyResourceDefinition,
  dialect: Dialect,
  values: JsonObject,
): ProgramArguments {
  const z = validation();
  const schema = schemaOf(definition, z, dialect);
  const plain: Record<string, JsonValue> = {};
  const known: Record<string, JsonValue> = {};
  const hidden: string[] = [];
  const untold = new Set<string>();
  for (const [name, argument] of Object.entries(definition.arguments)) {
    const optional = isOptional(schema, name);
    const value = values[name];
    if (argument.role === "behaviour" || argument.role === "creation") {
      continue;
    }
    if (value === undefined) {
      if (argument.secret === true) {
        hidden.push(name);
      } else if (optional && argument.local !== true) {
        untold.add(name);
      }
    } else if (!optional || !isUsual(argument, value, { dialect, others: values })) {
      (argument.secret === true ? known : plain)[name] = readable(argument, value);
    }
  }
  const judge = (
    secrets: JsonObject,
  ): { readonly problems: string[]; readonly warnings: readonly string[] } => {
    const { failures, warnings } = checkArguments(definition, z, dialect, { ...plain, ...secrets });
    return { problems: failures.map(({ property, reason }) => `${property} ${reason}`), warnings };
  };
  const secrets = Object.keys(known).map((name) => ({ name, optional: false }));
  for (const name of hidden) {
    const without = judge(known);
    const having = judge({ ...known, [name]: unknownSecret });
    const doubts = [...without.problems, ...without.warnings];
    const added = [...having.problems, ...having.warnings].filter((doubt) => !doubts.includes(doubt));
    if (added.length > 0) {
      // No placeholder fits its form, or it belongs to another unknown argument.
      const field = schema[name];
      const isForm = field !== undefined && !z.safeParse(field, unknownSecret).success;
      if (isForm || added.some((problem) => !problem.startsWith(`${name} `))) {
        untold.add(name);
      }
      continue;
    }
    const optional = having.problems.length === without.problems.length;
    secrets.push({ name, optional });
    if (!optional) {
      known[name] = unknownSecret;
    }
  }
  const order = Object.keys(definition.arguments);
  return {
    plain,
    secrets,
    untold: order.filter((name) => untold.has(name)),
    problems: judge(known).problems,
  };
}

/** Seconds in a readable form, if the argument accepts it. */
function readable(argument: ArgumentDefinition, value: JsonValue): JsonValue {
  if (typeof value !== "number" || !Number.isInteger(value) || value <= 0) {
    return value;
  }
  const text = value % 3600 === 0 ? `${value / 3600}h` : value % 60 === 0 ? `${value / 60}m` : `${value}s`;
  return equivalent(argument, value, text) ? text : value;
}
