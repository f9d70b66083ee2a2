import { EngineFailure } from "../../refusal";
import type { DirectoryEntryRecord } from "../../types";
import type { AttributeValues, Change, Modification } from "./ldif";

const resultCodes = {
  16: "No Such Attribute",
  20: "Attribute Or Value Exists",
  32: "No Such Object",
  34: "Invalid DN Syntax",
  49: "Invalid Credentials",
  50: "Insufficient Access Rights",
  64: "Naming Violation",
  66: "Not Allowed On Non Leaf",
  68: "Entry Already Exists",
} as const;

export function ldapFailure(code: keyof typeof resultCodes, diagnostic = ""): EngineFailure {
  return new EngineFailure(`LDAP Result Code ${code} ${JSON.stringify(resultCodes[code])}: ${diagnostic}`);
}

export type EntrySettings = Partial<Omit<DirectoryEntryRecord, "dn">>;

/** With its parsed name, so that searches need not parse it again. */
interface NamedEntry {
  readonly name: DistinguishedName;
  readonly record: DirectoryEntryRecord;
}

/** Records are replaced, never changed. */
export class Directory {
  private readonly entries = new Map<string, NamedEntry>();

  /** @throws EngineFailure 32 if there is no such entry */
  entry(dn: string): DirectoryEntryRecord {
    return this.named(dn).record;
  }

  /** @throws EngineFailure 49 for a wrong name or password */
  bind(name: string, password: string): DirectoryEntryRecord {
    const entry = name.includes("=") ? this.entries.get(new DistinguishedName(name).key) : undefined;
    const [principal] = entry === undefined ? this.search("", "userPrincipalName", name) : [entry.record];
    if (principal === undefined || password === "" || principal.password !== password) {
      throw ldapFailure(49);
    }
    return principal;
  }

  /** @param base includes everything below it; empty for the whole directory */
  search(base: string, attribute: string, value: string): DirectoryEntryRecord[] {
    const top = base === "" ? undefined : this.named(base).name;
    return [...this.entries.values()]
      .filter(({ name }) => top === undefined || name.isWithin(top))
      .map(({ record }) => record)
      .filter((record) => valuesOf(record, attribute).some((own) => isSame(own, value)));
  }

  /** Also adds missing parents. @throws EngineFailure 68 if the entry exists */
  place(dn: string, settings: EntrySettings): DirectoryEntryRecord {
    const { parent } = new DistinguishedName(dn);
    if (parent !== undefined && !this.entries.has(parent.key)) {
      this.place(parent.toString(), {});
    }
    return this.insert({ dn, password: null, attributes: {}, mayManage: true, ...settings });
  }

  /** @throws EngineFailure 32 if there is no such entry */
  update(dn: string, settings: EntrySettings): DirectoryEntryRecord {
    const { name, record } = this.named(dn);
    return this.store(name, withOwnName(name, { ...record, ...settings }));
  }

  /** @throws EngineFailure 32 if there is no such entry, 66 when it has children */
  remove(dn: string): void {
    const { name } = this.named(dn);
    if ([...this.entries.values()].some((other) => other.name !== name && other.name.isWithin(name))) {
      throw ldapFailure(66);
    }
    this.entries.delete(name.key);
  }

  /** @throws EngineFailure if the change fails; then nothing has changed */
  apply(change: Change): void {
    switch (change.type) {
      case "add":
        this.add(change.dn, change.attributes);
        break;
      case "modify":
        this.modify(change.dn, change.modifications);
        break;
      case "delete":
        this.remove(change.dn);
        break;
    }
  }

  all(): DirectoryEntryRecord[] {
    return Array.from(this.entries.values(), ({ record }) => record);
  }

  private add(dn: string, attributes: readonly AttributeValues[]): void {
    const { parent } = new DistinguishedName(dn);
    if (parent !== undefined && !this.entries.has(parent.key)) {
      throw ldapFailure(32, `there is no ${JSON.stringify(parent.toString())} to add it to`);
    }
    const empty: DirectoryEntryRecord = { dn, password: null, attributes: {}, mayManage: false };
    this.insert(
      attributes.reduce(
        (entry, { attribute, values }) => modified(entry, { operation: "add", attribute, values }),
        empty,
      ),
    );
  }

  private modify(dn: string, modifications: readonly Modification[]): void {
    const { name, record } = this.named(dn);
    const { attribute, value } = name.own;
    const changed = modifications.reduce(modified, record);
    if (!valuesOf(changed, attribute).some((own) => isSame(own, value))) {
      throw ldapFailure(64, "an entry keeps the value that it is named by");
    }
    this.store(name, changed);
  }

  private insert(entry: DirectoryEntryRecord): DirectoryEntryRecord {
    const name = new DistinguishedName(entry.dn);
    if (this.entries.has(name.key)) {
      throw ldapFailure(68);
    }
    return this.store(name, withOwnName(name, entry));
  }

  private store(name: DistinguishedName, record: DirectoryEntryRecord): DirectoryEntryRecord {
    this.entries.set(name.key, { name, record });
    return record;
  }

  private named(dn: string): NamedEntry {
    const found = this.entries.get(new DistinguishedName(dn).key);
    if (found === undefined) {
      throw ldapFailure(32);
    }
    return found;
  }
}

/** The values in an entry's name are also among its attributes. */
function withOwnName({ own }: DistinguishedName, entry: DirectoryEntryRecord): DirectoryEntryRecord {
  const values = valuesOf(entry, own.attribute);
  return values.some((present) => isSame(present, own.value))
    ? entry
    : withValues(entry, own.attribute, [...values, own.value]);
}

function withValues(
  entry: DirectoryEntryRecord,
  attribute: string,
  values: readonly string[],
): DirectoryEntryRecord {
  const attributes = new Map(Object.entries(entry.attributes));
  const spelling = spellingIn(entry.attributes, attribute);
  if (values.length > 0) {
    attributes.set(spelling, values);
  } else {
    attributes.delete(spelling);
  }
  return { ...entry, attributes: Object.fromEntries(attributes) };
}

function modified(entry: DirectoryEntryRecord, modification: Modification): DirectoryEntryRecord {
  const { operation, attribute } = modification;
  const values = modification.values.map((value) => textOf(attribute, value));
  if (isPassword(attribute)) {
    const [password = null] = operation === "delete" ? [] : values;
    return { ...entry, password };
  }
  return withValues(entry, attribute, newValues(valuesOf(entry, attribute), operation, values));
}

function newValues(
  present: readonly string[],
  operation: Modification["operation"],
  values: readonly string[],
): readonly string[] {
  if (operation === "replace") {
    return values;
  }
  if (operation === "add") {
    if (values.some((value) => present.some((own) => isSame(own, value)))) {
      throw ldapFailure(20);
    }
    return [...present, ...values];
  }
  if (present.length === 0 || !values.every((value) => present.some((own) => isSame(own, value)))) {
    throw ldapFailure(16);
  }
  return values.length === 0 ? [] : present.filter((own) => !values.some((value) => isSame(own, value)));
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const passwordAttributes: readonly string[] = ["userpassword", "unicodepwd", "racfpassword"];

function isPassword(attribute: string): boolean {
  return passwordAttributes.includes(attribute.toLowerCase());
}

/** Active Directory's `unicodePwd` is quoted and in UTF-16. */
function textOf(attribute: string, value: Buffer): string {
  if (attribute.toLowerCase() === "unicodepwd") {
    return value.toString("utf16le").replace(/^"([^]*)"$/, "$1");
  }
  return value.toString("utf8");
}

/** Attribute names ignore case. @returns the name as the entry has it, or the given name */
function spellingIn(attributes: DirectoryEntryRecord["attributes"], attribute: string): string {
  return (
    Object.keys(attributes).find((known) => known.toLowerCase() === attribute.toLowerCase()) ?? attribute
  );
}

function valuesOf({ attributes }: DirectoryEntryRecord, attribute: string): readonly string[] {
  const spelling = spellingIn(attributes, attribute);
  return new Map(Object.entries(attributes)).get(spelling) ?? [];
}

/** The relative distinguished name: the first `attribute=value`. */
export interface NamePart {
  /** In lower case. */
  readonly attribute: string;
  /** Without escapes. */
  readonly value: string;
}

/** Case and repeated spaces are ignored. */
export class DistinguishedName {
  /** The same for all equivalent forms of a name. */
  readonly key: string;
  readonly own: NamePart;
  private readonly levels: readonly string[];

  /** @throws EngineFailure 34 for invalid syntax */
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

  isWithin(base: DistinguishedName): boolean {
    return this.key === base.key || this.key.endsWith(`\n${base.key}`);
  }

  toString(): string {
    return this.text.trim();
  }

  /** Escapes are octets (two hexadecimal digits) or single characters. */
  private parse(level: string): NamePart {
    const [, attribute, value] =
      /^\s*([A-Za-z][\w-]*|\d+(?:\.\d+)*)\s*=\s*((?:\\[^]|[^\\])+?)\s*$/.exec(level) ?? [];
    if (attribute === undefined || value === undefined) {
      throw ldapFailure(34, `${JSON.stringify(this.text)} is not a valid distinguished name`);
    }
    const plain = value.replace(/(?:\\[\dA-Fa-f]{2})+|\\([^])/g, (escaped, sign?: string) =>
      sign === undefined ? Buffer.from(escaped.replaceAll("\\", ""), "hex").toString("utf8") : sign,
    );
    return { attribute: attribute.toLowerCase(), value: plain };
  }
}
