import type * as Zod from "zod";

/** As the user wrote it: `triggers[1]`, `verification.timeout`. */
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

/** Nobody reads the problems of a thousand items. */
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

/** Must not repeat the value, which may be secret. */
export function explainIssue(issue: Zod.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${articles[issue.expected] ?? issue.expected}, not ${articles[kindOf(issue.input)] ?? kindOf(issue.input)}`;
    case "invalid_value":
      return issue.input === undefined
        ? "is required"
        : `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "unrecognized_keys":
      return `has no member ${firstProblems(
        issue.keys.map((key) => JSON.stringify(key)),
        (more) => `and ${more} more`,
      ).join(", ")}`;
    default:
      return undefined;
  }
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
