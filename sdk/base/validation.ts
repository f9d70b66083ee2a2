import type { z } from "zod";
import { ContractError } from "./errors";

/** Passed to definitions as an argument, because importing zod costs every program tens of milliseconds. */
export type Validation = typeof z;

let loaded: Validation | undefined;

export function validation(): Validation {
  // In the bundle of the provider process, each `require` copies the module's exports.
  return (loaded ??= (require("zod") as { readonly z: Validation }).z);
}

/**
 * Building a schema and using it for the first time takes longer than all other work on a response.
 *
 * @param build may depend on the validation library and one more object or string
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
 * Ignores unknown members, since services add new ones at any time.
 *
 * @param at the path of the part in the response: `data.attributes`
 * @throws ContractError with the path and what was expected there, never with the value
 */
export function readShape<Shape extends z.ZodType>(
  schema: Shape,
  value: unknown,
  at: string,
  request: string,
): z.output<Shape> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const issue = deepest(result.error.issues);
  throw new ContractError({ request, at: jsonPath(at, issue?.path ?? []), problem: describe(issue) });
}

function jsonPath(at: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return (at + steps.join("")).replace(/^\./, "");
}

/** For a union, reports the alternative that matched furthest. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
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

function describe(issue: z.core.$ZodIssue | undefined): string {
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
