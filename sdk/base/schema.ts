import type * as Zod from "zod";
import { ContractError } from "./errors";
import { nearestName } from "./nearest";

/** Passed to definitions as an argument, because importing zod costs every program tens of milliseconds. */
export type Validation = typeof Zod.z;

let loaded: Validation | undefined;

export function validation(): Validation {
  // In the bundle of the provider process, each `require` copies the module's exports.
  return (loaded ??= (require("zod") as { readonly z: Validation }).z);
}

/**
 * Building a schema and using it for the first time takes longer than all other work on a response.
 *
 * @param build builds the schema from the validation library and one more object or string
 */
export function builtOnce<Rest extends readonly [] | readonly [about: object | string], Shape>(
  build: (z: Validation, ...rest: Rest) => Shape,
): (z: Validation, ...rest: Rest) => Shape {
  const built = new Map<object | string, { readonly shape: Shape }>();
  return (z, ...rest) => {
    const [about = z] = rest;
    const { shape } = built.get(about) ?? { shape: build(z, ...rest) };
    built.set(about, { shape });
    return shape;
  };
}

/**
 * @param problem what is wrong with a value
 * @param when whether to call it; default: if the value is otherwise valid
 */
export function checked<Schema extends Zod.ZodType>(
  schema: Schema,
  problem: (value: Zod.output<Schema>) => string | undefined,
  when?: (payload: { readonly value: unknown }) => boolean,
): Schema {
  return schema.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) {
      context.addIssue({ code: "custom", message });
    }
  }, when && { when });
}

/**
 * Ignores unknown members, since services add new ones at any time.
 *
 * @param at the path of the part in the response: `data.attributes`
 * @throws ContractError with the path and what was expected there, never with the value
 */
export function readShape<Shape extends Zod.ZodType>(
  schema: Shape,
  value: unknown,
  at: string,
  request: string,
): Zod.output<Shape> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const issue = deepest(result.error.issues);
  throw new ContractError({ request, at: jsonPath(at, issue?.path ?? []), problem: describeIssue(issue) });
}

function jsonPath(at: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return (at + steps.join("")).replace(/^\./, "");
}

/** For a union, reports the alternative that matched furthest. */
function deepest(issues: readonly Zod.core.$ZodIssue[]): Zod.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") {
    return issue;
  }
  const inner = issue.errors
    .map(deepest)
    .filter((each) => each !== undefined)
    .sort((left, right) => right.path.length - left.path.length)[0];
  return inner === undefined || inner.path.length === 0
    ? issue
    : { ...inner, path: [...issue.path, ...inner.path] };
}

function describeIssue(issue: Zod.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "invalid_type":
      return `expected ${issue.expected === "undefined" ? "nothing" : `a value of type ${issue.expected}`}`;
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    case "invalid_format":
      return `expected a string in the format ${issue.format}`;
    default:
      return "expected a value of another type";
  }
}

/** The path as the user wrote it: `triggers[1]`, `verification.timeout`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") {
        return `[${key}]`;
      }
      const name = String(key);
      return !/^[A-Za-z_$][\w$]*$/.test(name) ? `[${JSON.stringify(name)}]` : index === 0 ? name : `.${name}`;
    })
    .join("");
}

const mostProblems = 10;

/** The maximum number of problems, because nobody reads those of a thousand items. */
export function firstProblems<Problem>(
  problems: readonly Problem[],
  summary: (more: number) => Problem,
): readonly Problem[] {
  const more = problems.length - mostProblems;
  return more > 0 ? [...problems.slice(0, mostProblems), summary(more)] : problems;
}

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  record: "an object",
  object: "an object",
  null: "null",
};

/** Must not repeat the value, which might be secret. */
export function explainIssue(issue: Zod.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${articleOf(issue.expected)}, not ${articleOf(kindOf(issue.input))}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : otherValue(issue.values, issue.input);
    case "unrecognized_keys": {
      const known = membersOf(issue.inst?._zod.def);
      return `has no member ${firstProblems(
        issue.keys.map((key) => {
          const near = nearestName(key, known);
          return JSON.stringify(key) + (near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`);
        }),
        (more) => `and ${more} more`,
      ).join(", ")}`;
    }
    default:
      return undefined;
  }
}

function otherValue(values: readonly unknown[], input: unknown): string {
  const words = values.map((value) => JSON.stringify(value)).join(", ");
  const [kind = ""] = values.map(kindOf);
  return kindOf(input) === kind
    ? `must be one of ${words}`
    : `must be ${articleOf(kind)}, not ${articleOf(kindOf(input))}: one of ${words}`;
}

function membersOf(schema: object | undefined): readonly string[] {
  return schema !== undefined && "shape" in schema ? Object.keys(schema.shape as object) : [];
}

function articleOf(kind: string): string {
  return articles[kind] ?? kind;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
