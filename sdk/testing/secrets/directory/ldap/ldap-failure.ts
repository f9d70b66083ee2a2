const names = {
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

/** A result code of the protocol other than success. */
export type LdapResultCode = keyof typeof names;

/** What a directory returns for an operation that it refuses. */
export class LdapFailure extends Error {
  constructor(
    readonly code: LdapResultCode,
    diagnostic = "",
  ) {
    super(`LDAP Result Code ${code} ${JSON.stringify(names[code])}: ${diagnostic}`);
  }
}
