import { InputError } from "./errors";

declare const pathBrand: unique symbol;

/** The path of an endpoint, below the base path, in which every value is encoded. Made by {@link path} only. */
export type Path = string & { readonly [pathBrand]: true };

/** Where an engine is mounted: the only value in a path that may contain `/`. Made by {@link mountPath}. */
export class MountPath {
  /** @param name without slashes at the ends */
  constructor(readonly name: string) {}

  toString(): string {
    return this.name;
  }
}

/**
 * Marks a value as the path of a mount, such as `teams/ldap`. Slashes at its ends are ignored.
 *
 * @throws InputError when a part of it is empty, `.`, `..` or holds control characters
 */
export function mountPath(name: string): MountPath {
  const mount = new MountPath(name.replace(/^\/+|\/+$/g, ""));
  encodeMount(mount, `the mount ${quoted(name)}`);
  return mount;
}

/**
 * Builds the path of an endpoint; every value becomes exactly one segment, whatever it contains.
 *
 * @example path`/projects/${projectId}`
 * @throws InputError naming the value, when it is empty, `.` or `..` (also percent-encoded) or holds control
 *   characters: servers and proxies would resolve such a path to another endpoint
 */
export function path(
  template: TemplateStringsArray,
  ...values: readonly (string | number | MountPath)[]
): Path {
  let result = template[0] ?? "";
  for (const [index, value] of values.entries()) {
    const position = `value ${index + 1} of the path ${describe(template)}, ${quoted(String(value))},`;
    result +=
      value instanceof MountPath ? encodeMount(value, position) : encodeSegment(String(value), position);
    result += template[index + 1] ?? "";
  }
  if (!/^\/[^?#]*$/.test(result)) {
    throw new InputError(`A path begins with a slash and has no query: ${JSON.stringify(result)}.`);
  }
  return result as Path;
}

function describe(template: TemplateStringsArray): string {
  return template.reduce((text, part, index) => `${text}{${index}}${part}`);
}

function encodeMount(mount: MountPath, position: string): string {
  return mount.name
    .split("/")
    .map((part) => encodeSegment(part, position))
    .join("/");
}

function encodeSegment(value: string, position: string): string {
  const problem = problemInPath(value);
  if (problem !== undefined) {
    throw new InputError(`Refused: ${position} ${problem}.`);
  }
  return encodeURIComponent(value);
}

// No name of a service is as long; what is longer only fills messages and the headers of requests.
const longestSegment = 1_024;

/**
 * Why a value cannot be one part of a path.
 *
 * @returns words that follow the name of the value: `holds a control character`; `undefined` when it can
 */
export function problemInPath(value: string): string | undefined {
  if (value === "") {
    return "is empty or has an empty part";
  }
  if (value.length > longestSegment) {
    return `is longer than ${longestSegment} characters`;
  }
  if (Array.from(value).some(isControlCharacter)) {
    return "holds a control character";
  }
  if (/\p{Surrogate}/u.test(value)) {
    return "is not well-formed Unicode";
  }
  return leavesItsPlace(value)
    ? 'is or contains "." or ".." as a part, which would lead elsewhere'
    : undefined;
}

function quoted(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value);
}

function isControlCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** Some servers and proxies decode once more than they should, and some take `\` for `/`. */
function leavesItsPlace(value: string): boolean {
  const decoded = value.replace(/%(?:25)*2e/gi, ".").replace(/%(?:25)*(?:2f|5c)/gi, "/");
  return decoded.split(/[/\\]/).some((part) => part === "." || part === "..");
}
