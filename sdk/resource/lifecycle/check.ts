import type * as Zod from "zod";
import type { DefinitionIn, KnownOfProgram } from "../definition";
import { type JsonObject, type JsonValue, mapped, toJson } from "../../base/json";
import { nearestName } from "../../base/nearest";
import { problemOfOutputInText } from "../../base/output-in-text";
import { explainIssue, firstProblems, pathText, type Validation } from "../../base/schema";
import { isGiven } from "../fields/kinds";
import { containsUnknown, unknown } from "../state/entry";

export interface CheckFailure {
  /** As the user wrote it: `triggers[1]`. */
  readonly property: string;
  readonly reason: string;
}

/**
 * Adds arguments that were removed from the program, so that the plan shows their effect: the default or else
 * null.
 */
export function clearRemoved(
  definition: DefinitionIn,
  schema: Zod.ZodRawShape,
  olds: JsonObject,
  news: JsonObject,
): JsonObject {
  const cleared = mapped(definition.arguments, (argument, name) => {
    const removed = Object.hasOwn(olds, name) && !Object.hasOwn(news, name);
    const usual = argument.default;
    if (usual !== undefined && (removed || news[name] === null)) {
      return usual;
    }
    return removed && argument.local !== "creation" && isOptional(schema, name) ? null : undefined;
  });
  return { ...news, ...cleared };
}

export const nothingKnown: KnownOfProgram = { tell: () => undefined, told: () => [] };

/** Unknown values are assumed to be valid. */
export function checkArguments(
  definition: DefinitionIn,
  z: Validation,
  inputs: JsonObject,
  former?: JsonObject,
  program = nothingKnown,
) {
  const schema = definition.schema(z);
  const failures = unknownArguments(Object.keys(schema), inputs);
  /** Warnings: one sentence for each valid value that is unlikely to work. */
  const warnings = new Set<string>();
  const valid: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema)) {
    const value = inputs[name];
    if (value === null && isOptional(schema, name)) {
      valid[name] = null;
      continue;
    }
    const result = z.safeParse(field, value, { error: explainIssue });
    const withOutput = problemOfOutputInText(value);
    if (withOutput !== undefined) {
      failures.push({ property: name, reason: withOutput });
      continue;
    }
    const issues = result.success
      ? []
      : result.error.issues.filter((issue) => !containsUnknown(valueAt(value, issue.path)));
    failures.push(
      ...firstProblems(
        issues.map((issue) => ({ property: pathText([name, ...issue.path]), reason: issue.message })),
        (more) => ({ property: name, reason: `has ${more} more problems` }),
      ),
    );
    if (issues.length === 0 && !containsUnknown(value)) {
      valid[name] = result.success ? result.data : value;
      const doubt = value !== undefined && definition.arguments[name]?.check?.(valid[name]);
      if (typeof doubt === "object") {
        warnings.add(`${name} ${doubt.warning}`);
      }
    }
  }
  const isPresent = (name: string): boolean =>
    name in definition.arguments && isGiven(inputs[name]) && !containsUnknown(inputs[name]);
  for (const rule of definition.rules ?? []) {
    const present = (rule.byPresence ?? []).filter((name) => !Object.hasOwn(valid, name) && isPresent(name));
    const values = { ...valid, ...Object.fromEntries(present.map((name) => [name, inputs[name]])) };
    // An omitted argument is known to be undefined. Invalid and unknown arguments are missing here.
    if (rule.between.every((name) => Object.hasOwn(values, name))) {
      const broken = rule.check(values, definition.dialect, former, program);
      if (broken && broken.warning === true) {
        warnings.add(`${broken.argument} ${broken.reason}`);
      } else if (broken) {
        failures.push({ property: broken.argument, reason: broken.reason });
      }
    }
  }
  return { failures, warnings: [...warnings] };
}

/** Checked inputs in wire form, with null replaced by the value that clears the field. */
export function desiredArguments(
  definition: DefinitionIn,
  z: Validation,
  inputs: JsonObject,
): Record<string, unknown> {
  return mapped<Zod.core.$ZodType, unknown>(definition.schema(z), (field, name) => {
    const [value, cleared] = [inputs[name], definition.arguments[name]?.cleared];
    if (value === null && cleared !== undefined) {
      return cleared;
    }
    // A schema can have its own default, which also replaces null.
    return z.parse(field, value ?? undefined) ?? (value === null ? null : undefined);
  });
}

/** An argument in wire form, which is also its form as an output; `undefined` if it is invalid. */
export function sentValue(
  schema: Zod.ZodRawShape,
  z: Validation,
  name: string,
  value: JsonValue | undefined,
): JsonValue | undefined {
  const field = schema[name];
  const result = field === undefined ? undefined : z.safeParse(field, value);
  return result?.success === true ? toJson(result.data) : undefined;
}

/** The arguments in wire form, without those that are invalid. */
export function sentValues(schema: Zod.ZodRawShape, z: Validation, values: JsonObject) {
  return mapped(schema, (_field, name) => sentValue(schema, z, name, values[name]));
}

export function isOptional(schema: Zod.ZodRawShape, name: string): boolean {
  return schema[name]?._zod.optin !== undefined;
}

function unknownArguments(names: readonly string[], inputs: JsonObject): CheckFailure[] {
  return Object.keys(inputs)
    .filter((key) => !names.includes(key))
    .map((key) => {
      const near = nearestName(key.replace(/[-_]/g, ""), names);
      const instead = near === undefined ? `expected one of ${names.join(", ")}` : `did you mean ${near}?`;
      return { property: key, reason: `is not a valid argument; ${instead}` };
    });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  const members = (inner: unknown) => Object(inner) as Readonly<Record<PropertyKey, unknown>>;
  return path.reduce<unknown>((inner, key) => (inner === unknown ? unknown : members(inner)[key]), value);
}
