import type * as Zod from "zod";
import { InputError } from "../base/errors";
import { mountPath, path } from "../base/path";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import type { Canonical } from "../resource/fields/canonical";
import { type Field, field } from "../resource/fields/field";
import { secretsDialects } from "./dialect";

const spelling: Canonical = (value) => (typeof value === "string" ? value.replace(/^\/+|\/+$/g, "") : value);

/**
 * Where an engine is mounted: a path such as `teams/ldap`, without `/` at its ends. A change replaces what is there.
 *
 * @param usual the mount that is meant when the program names none
 */
export function mount(usual: string | Readonly<Record<Dialect, string>>): Field<string, string, "defaulted"> {
  return field(
    { argument: mountSchema, response: (z) => z.string(), canonical: spelling },
    { place: "path", replaces: true, default: usual },
  );
}

/** Where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(): Field<string, string, "defaulted"> {
  const { documented, hashicorp } = secretsDialects;
  return mount({ documented: documented.schedulerMount, hashicorp: hashicorp.schedulerMount });
}

function mountSchema(z: Validation): Zod.ZodType<string, string> {
  return z.string().transform((value, context) => {
    try {
      return mountPath(value).name;
    } catch {
      context.addIssue({ code: "custom", message: "must be the path of a mount, such as teams/ldap" });
      return z.NEVER;
    }
  });
}

/** The id of an object on a mount: its names are percent-encoded, the slashes of the mount stay. */
export function mountedId(mount: string, ...names: readonly string[]): string {
  const parts = names.map((name) => path`/${name}`);
  return path`/${mountPath(mount)}`.slice(1) + parts.join("");
}

/**
 * Takes an id apart, also one that a person wrote.
 *
 * @param count how many names follow the mount
 * @throws InputError when there are not that many, or one is not percent-encoded
 */
export function readMountedId(
  id: string,
  count: number,
): { readonly mount: string; readonly names: readonly string[] } {
  const parts = id.replace(/^\/+|\/+$/g, "").split("/");
  const position = parts.length - count;
  let names: string[];
  try {
    names = parts.map(decodeURIComponent);
  } catch {
    names = [];
  }
  if (position < 1 || names.length === 0 || names.includes("")) {
    throw new InputError(
      `${JSON.stringify(id)} is not a valid id; expected the mount${", / and a name".repeat(count)}, each percent-encoded.`,
    );
  }
  return { mount: names.slice(0, position).join("/"), names: names.slice(position) };
}
