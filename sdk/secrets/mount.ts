import type * as Zod from "zod";
import { InputError, succeeds } from "../base/errors";
import { type MountPath, mountPath, path } from "../base/path";
import { checked } from "../base/schema";
import type { Dialect } from "../base/settings";
import { type Canonical, defaulted, field, type Kind, type Validation } from "../resource/fields/field";
import type { Row } from "../resource/fields/rows";
import { secretsDialects } from "./dialect";

const withoutSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, "");

const spelling: Canonical = (value) => (typeof value === "string" ? withoutSlashes(value) : value);

const mountSchema = pathSchema("the path of a mount, such as teams/ldap");

/** A path such as `teams/ldap`, without `/` at its ends; `usual` is the default. */
export function mount(usual: string | Readonly<Record<Dialect, string>>): Row<string, string, "defaulted"> {
  const kind: Kind<string, string> = {
    argument: mountSchema,
    response: (z) => z.string(),
    canonical: spelling,
  };
  return defaulted(field(kind, { place: "path", replaces: true }), usual);
}

export const schedulerMount = mount({
  documented: secretsDialects.documented.schedulerMount,
  hashicorp: secretsDialects.hashicorp.schedulerMount,
});

export const schedulerMountRows = {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount: schedulerMount,
};

/** Shows that the service is there, because configurations cannot be listed. */
export const schedulerLists = (at: MountPath) => [{ path: path`/${at}/role` }] as const;

/** The products ignore case; the documentation does not mention it. */
export function keptName(name: string, dialect: Dialect): string {
  return secretsDialects[dialect].foldsNames ? name.toLowerCase() : name;
}

function pathSchema(what: string) {
  return (z: Validation): Zod.ZodType<string, string> =>
    checked(z.string(), (value) =>
      succeeds(() => mountPath(value)) ? undefined : `must be ${what}`,
    ).transform((value) => mountPath(value).name);
}

const folderKind: Kind<string, string> = {
  argument: pathSchema("a path such as teams/payments"),
  response: (z) => z.string(),
};

/** The path of names in folders. */
export const folder = field(folderKind, { only: "hashicorp", optional: true });

/** The names are percent-encoded; the slashes of the mount stay. */
export function mountedId(mount: string, ...names: readonly string[]): string {
  const parts = names.map((name) => path`/${name}`);
  return path`/${mountPath(mount)}`.slice(1) + parts.join("");
}

/** The decoded parts of an ID; empty if one of them is invalid or empty. */
export function partsOf(id: string): readonly string[] {
  try {
    const parts = id.split("/").map(decodeURIComponent);
    return parts.includes("") ? [] : parts;
  } catch {
    return [];
  }
}

/** @throws InputError unless `count` percent-encoded names follow the mount */
export function readMountedId(id: string, count: number) {
  const parts = partsOf(withoutSlashes(id));
  const position = parts.length - count;
  if (position < 1) {
    throw new InputError(
      `${JSON.stringify(id)} is not a valid ID; expected the mount${", / and a name".repeat(count)}, each percent-encoded.`,
    );
  }
  return { mount: parts.slice(0, position).join("/"), names: parts.slice(position) };
}

/** What the products return if a path is missing, which does not prove that an object is missing. */
export function missingRouteIn(messages: readonly string[]): string | undefined {
  const words = /(?:unsupported path|no handler for route|namespace not found).*/i;
  return messages.flatMap((text) => words.exec(text) ?? [])[0];
}
