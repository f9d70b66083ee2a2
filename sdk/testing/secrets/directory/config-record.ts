/** A kind of directory. `open` is called `openldap` on the wire of the hashicorp dialect. */
export type DirectorySchema = "open" | "ad" | "racf";

/** The configuration of a directory engine. Texts are empty when they are not set. */
export interface DirectoryConfigRecord {
  readonly binddn: string;
  /** As it was written last, by a request or by a rotation. The bind entry may have another one. */
  readonly bindpass: string;
  /** As written; in lower case in the hashicorp dialect. */
  readonly url: string;
  /** The name of a password policy, which need not exist. */
  readonly passwordPolicy: string;
  readonly schema: DirectorySchema;
  readonly userdn: string;
  readonly userattr: string;
  readonly upndomain: string;
  /** Seconds. */
  readonly requestTimeout: number;
  /** Seconds. */
  readonly connectionTimeout: number;
  readonly starttls: boolean;
  readonly insecureTls: boolean;
  readonly certificate: string;
  readonly clientTlsCert: string;
  readonly clientTlsKey: string;
  readonly skipStaticRoleImportRotation: boolean;
  /** Of generated passwords; 0 when it is not set. */
  readonly length: number;
  /** ISO 8601; `null` before the first rotation of the bind password. */
  readonly lastBindPasswordRotation: string | null;
}

const userAttributes: Readonly<Record<DirectorySchema, string>> = {
  open: "cn",
  ad: "userPrincipalName",
  racf: "racfid",
};

/** What entries are searched by when the configuration does not say. */
export function defaultUserAttribute(schema: DirectorySchema): string {
  return userAttributes[schema];
}

/** What a first write begins with. */
export const emptyConfig: DirectoryConfigRecord = {
  binddn: "",
  bindpass: "",
  url: "ldap://127.0.0.1",
  passwordPolicy: "",
  schema: "open",
  userdn: "",
  userattr: "",
  upndomain: "",
  requestTimeout: 90,
  connectionTimeout: 30,
  starttls: false,
  insecureTls: false,
  certificate: "",
  clientTlsCert: "",
  clientTlsKey: "",
  skipStaticRoleImportRotation: false,
  length: 0,
  lastBindPasswordRotation: null,
};
