/** How a function is called. */
export interface Signature {
  /** How many arguments it needs. */
  readonly least: number;
  /** Any number of arguments can follow. */
  readonly takesMore: boolean;
  /** It exists in LDIF templates only. */
  readonly ldifOnly: boolean;
}

const ofTheService = [
  "random N",
  "truncate N TEXT",
  "truncate_sha256 N TEXT",
  "uppercase TEXT",
  "lowercase TEXT",
  "replace FROM TO TEXT",
  "sha256 TEXT",
  "base64 TEXT",
  "unix_time",
  "unix_time_millis",
  "timestamp LAYOUT",
  "uuid",
];
const ofTheServiceForLdif = ["utf16le TEXT"];
const ofTheLanguage = [
  "and VALUE VALUE...",
  "or VALUE VALUE...",
  "not VALUE",
  "len VALUE",
  "index VALUE POSITION...",
  "slice VALUE POSITION...",
  "print VALUE...",
  "println VALUE...",
  "printf FORMAT VALUE...",
  "html VALUE...",
  "js VALUE...",
  "urlquery VALUE...",
  "call FUNCTION VALUE...",
  "eq LEFT RIGHT RIGHT...",
  "ne LEFT RIGHT",
  "lt LEFT RIGHT",
  "le LEFT RIGHT",
  "gt LEFT RIGHT",
  "ge LEFT RIGHT",
];

/** All functions of templates, by name. */
export const templateFunctions: ReadonlyMap<string, Signature> = new Map(
  [...ofTheService, ...ofTheServiceForLdif, ...ofTheLanguage].map((usage) => {
    const [name = "", ...parameters] = usage.split(" ");
    const takesMore = usage.endsWith("...");
    const least = takesMore ? parameters.length - 1 : parameters.length;
    return [name, { least, takesMore, ldifOnly: ofTheServiceForLdif.includes(usage) }];
  }),
);

/** Whether a function takes so many arguments. */
export function takes({ least, takesMore }: Signature, given: number): boolean {
  return given === least || (takesMore && given > least);
}
