import { invalid } from "./refusal";

/** The products take ASCII only, and no space at the ends. */
export type ProjectNameRule = "as documented" | "as the products";

const shortest = 3;
const pointer = "/data/attributes/name";

/**
 * @param limit the longest name allowed, in characters
 * @param rule which characters it may have
 * @throws Refusal 422 when the value breaks a rule for the names of projects
 */
export function readProjectName(value: unknown, limit: number, rule: ProjectNameRule): string {
  if (value === undefined || value === null || value === "") {
    throw invalid(pointer, "Name can't be blank");
  }
  if (typeof value !== "string") {
    throw invalid(pointer, "Name must be a text");
  }
  const length = Array.from(value).length;
  if (length < shortest || length > limit) {
    throw invalid(pointer, `Name must have ${shortest} to ${limit} characters, not ${length}`);
  }
  if (!(rule === "as documented" ? /^[\p{L}\p{N} _-]*$/u : /^[A-Za-z0-9 _-]*$/).test(value)) {
    throw invalid(pointer, "Name may only hold letters, digits, spaces, - and _");
  }
  if (rule === "as the products" && value !== value.trim()) {
    throw invalid(pointer, "Name may not start or end with a space");
  }
  return value;
}
