import { LdapFailure } from "./ldap-failure";

/** One `attribute=value` of a name. */
export interface NamePart {
  /** In lower case. */
  readonly attribute: string;
  /** Without escapes. */
  readonly value: string;
}

/** The name of an entry, such as `cn=web,ou=users,dc=example,dc=org`. Case and spaces make no difference. */
export class DistinguishedName {
  /** The same for all spellings of a name. */
  readonly key: string;

  /** @param parts of each level, the entry's own first */
  private constructor(private readonly levels: readonly (readonly NamePart[])[]) {
    this.key = levels.map(keyOfLevel).join(",");
  }

  /** @throws LdapFailure 34 when it is no such name */
  static parse(text: string): DistinguishedName {
    const levels = split(text, ",").map((level) => split(level, "+").map((part) => parsePart(part, text)));
    return new DistinguishedName(levels);
  }

  /** What the entry is called among its siblings. */
  get own(): readonly NamePart[] {
    return this.levels[0] ?? [];
  }

  /** `undefined` at the top. */
  get parent(): DistinguishedName | undefined {
    return this.levels.length > 1 ? new DistinguishedName(this.levels.slice(1)) : undefined;
  }

  /** Whether it is this name, or one below. */
  isWithin(base: DistinguishedName): boolean {
    return this.key === base.key || this.key.endsWith(`,${base.key}`);
  }

  /** In the form that directories give it when nobody else has. */
  toString(): string {
    return this.levels
      .map((level) => level.map(({ attribute, value }) => `${attribute}=${escape(value)}`).join("+"))
      .join(",");
  }
}

function keyOfLevel(level: readonly NamePart[]): string {
  return level
    .map(({ attribute, value }) => `${attribute}=${escape(value.replace(/ +/g, " ").toLowerCase())}`)
    .sort()
    .join("+");
}

/** Divides at a sign that is not escaped. */
function split(text: string, sign: "," | "+"): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\[^]|[^\\]|\\$/g)) {
    if (piece === sign) {
      parts.push("");
    } else {
      parts.push((parts.pop() ?? "") + piece);
    }
  }
  return parts;
}

function parsePart(part: string, name: string): NamePart {
  const [, attribute, value] = /^\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)\s*=([^]*)$/.exec(part) ?? [];
  const trimmed = value?.trimStart().replace(/((?:^|[^\\])(?:\\\\)*(?:\\ )?) *$/, "$1");
  if (
    attribute === undefined ||
    trimmed === undefined ||
    trimmed === "" ||
    /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed)
  ) {
    throw new LdapFailure(34, `${JSON.stringify(name)} is no distinguished name`);
  }
  return { attribute: attribute.toLowerCase(), value: unescape(trimmed) };
}

/** Escapes are of octets (two hexadecimal digits) or of single signs. */
function unescape(value: string): string {
  return value.replace(/(?:\\[\dA-Fa-f]{2})+|\\([^])/g, (escaped, sign?: string) =>
    sign === undefined ? Buffer.from(escaped.replaceAll("\\", ""), "hex").toString("utf8") : sign,
  );
}

function escape(value: string): string {
  return value.replace(/[\\,+"<>;=]|^[ #]| $/g, "\\$&");
}
