import { InputError } from "./errors";

declare const pathBrand: unique symbol;

/** The encoded path of an endpoint below the base path. Only {@link path} creates it. */
export type Path = string & { readonly [pathBrand]: true };

/** A mount is the only value in a path that can contain `/`. */
export class MountPath {
  /** @param name without leading and trailing slashes */
  constructor(readonly name: string) {}

  toString(): string {
    return this.name;
  }
}

/** @throws InputError if a segment is empty, `.`, `..` or contains control characters */
export function mountPath(name: string): MountPath {
  const mount = new MountPath(name.replace(/^\/+|\/+$/g, ""));
  encoded(mount, () => `the mount ${quoted(name)}`);
  return mount;
}

/**
 * Encodes every value as exactly one segment.
 *
 * @throws InputError for values that servers or proxies would resolve to another endpoint
 */
export function path(
  template: TemplateStringsArray,
  ...values: readonly (string | number | MountPath)[]
): Path {
  let result = template[0] ?? "";
  for (const [index, value] of values.entries()) {
    const describeValue = (): string =>
      `value ${index + 1} of the path ${describe(template)}, ${quoted(String(value))},`;
    result += encoded(value, describeValue) + (template[index + 1] ?? "");
  }
  if (!/^\/[^?#]*$/.test(result)) {
    throw new InputError(`A path must begin with a slash and have no query: ${JSON.stringify(result)}.`);
  }
  return result as Path;
}

/** @param place below `parent`: `/payments` */
export function below(parent: Path, place: Path): Path {
  return `${parent}${place}` as Path;
}

function describe(template: TemplateStringsArray): string {
  return template.reduce((text, part, index) => `${text}{${index}}${part}`);
}

function encoded(value: string | number | MountPath, describeValue: () => string): string {
  const segments = value instanceof MountPath ? value.name.split("/") : [String(value)];
  const problem = segments.map(problemInPath).find((each) => each !== undefined);
  if (problem !== undefined) {
    throw new InputError(`Invalid path: ${describeValue()} ${problem}.`);
  }
  return segments.map(encodeURIComponent).join("/");
}

// Services do not have longer names, and a longer value would only fill messages and headers.
const longestSegment = 1_024;

/**
 * @returns the problem, as text that follows the name of the value: `contains a control character`;
 * `undefined` if the value is valid
 */
export function problemInPath(value: string): string | undefined {
  if (value === "") {
    return "is empty or has an empty segment";
  }
  if (value.length > longestSegment) {
    return `is longer than ${longestSegment} characters`;
  }
  if (/\p{Cc}/u.test(value)) {
    return "contains a control character";
  }
  if (/\p{Surrogate}/u.test(value)) {
    return "is not well-formed Unicode";
  }
  return leavesItsPlace(value)
    ? 'contains a "." or ".." segment, which would resolve to another path'
    : undefined;
}

function quoted(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value);
}

/** Some servers and proxies decode twice, and some treat `\` as `/`. */
function leavesItsPlace(value: string): boolean {
  const decoded = value.replace(/%(?:25)*2e/gi, ".").replace(/%(?:25)*(?:2f|5c)/gi, "/");
  return decoded.split(/[/\\]/).some((part) => part === "." || part === "..");
}
