import { LdapFailure } from "./ldap-failure";

/** The first `attribute=value` of a name. */
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
  /** What the entry is called among its siblings. */
  readonly own: NamePart;
  private readonly levels: readonly string[];

  /** @throws LdapFailure 34 when it is no such name */
  constructor(private readonly text: string) {
    this.levels = text.split(/(?<!\\),/);
    const parts = this.levels.map((level) => this.parse(level));
    this.own = parts[0] ?? this.parse("");
    this.key = parts
      .map(({ attribute, value }) => `${attribute}=${value.replace(/ +/g, " ").toLowerCase()}`)
      .join("\n");
  }

  /** `undefined` at the top. */
  get parent(): DistinguishedName | undefined {
    return this.levels.length > 1 ? new DistinguishedName(this.levels.slice(1).join(",")) : undefined;
  }

  /** Whether it is this name, or one below. */
  isWithin(base: DistinguishedName): boolean {
    return this.key === base.key || this.key.endsWith(`\n${base.key}`);
  }

  toString(): string {
    return this.text.trim();
  }

  /** Escapes are of octets (two hexadecimal digits) or of single signs. */
  private parse(level: string): NamePart {
    const [, attribute, value] =
      /^\s*([A-Za-z][\w-]*|\d+(?:\.\d+)*)\s*=\s*((?:\\[^]|[^\\])+?)\s*$/.exec(level) ?? [];
    if (attribute === undefined || value === undefined) {
      throw new LdapFailure(34, `${JSON.stringify(this.text)} is no distinguished name`);
    }
    const plain = value.replace(/(?:\\[\dA-Fa-f]{2})+|\\([^])/g, (escaped, sign?: string) =>
      sign === undefined ? Buffer.from(escaped.replaceAll("\\", ""), "hex").toString("utf8") : sign,
    );
    return { attribute: attribute.toLowerCase(), value: plain };
  }
}
