/** An entry of the directory. */
export interface DirectoryEntryRecord {
  readonly dn: string;
  /** In clear, so that a test can compare it; `null` for an entry that nobody can bind as. */
  readonly password: string | null;
  /** By name, in the spelling of whoever wrote it first. Passwords are not among them. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Whether it may search and change other entries once it is bound. */
  readonly mayManage: boolean;
}

const passwordAttributes: readonly string[] = ["userpassword", "unicodepwd", "racfpassword"];

/** Whether an attribute holds the password of its entry. */
export function isPassword(attribute: string): boolean {
  return passwordAttributes.includes(attribute.toLowerCase());
}

/** The text in the octets of a value. Passwords of one kind are quoted and in UTF-16, as their directories want it. */
export function textOf(attribute: string, value: Buffer): string {
  if (attribute.toLowerCase() === "unicodepwd") {
    return value.toString("utf16le").replace(/^"([^]*)"$/, "$1");
  }
  return value.toString("utf8");
}

/** Names of attributes are the same in upper and lower case. @returns the spelling that the entry has, or the given */
export function spellingIn(attributes: DirectoryEntryRecord["attributes"], attribute: string): string {
  return (
    Object.keys(attributes).find((known) => known.toLowerCase() === attribute.toLowerCase()) ?? attribute
  );
}

/** The values of an attribute, however it is spelled. */
export function valuesOf({ attributes }: DirectoryEntryRecord, attribute: string): readonly string[] {
  const spelling = spellingIn(attributes, attribute);
  return new Map(Object.entries(attributes)).get(spelling) ?? [];
}
