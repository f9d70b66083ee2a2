/** Where the LDAP engines differ: recorded in tests/fixtures/wire/ldap-engines.json. */
export const directoryTraits = {
  documented: { automates: false, hasFolders: false, isOfOpenBao: false },
  /** OpenBao 2.6. */
  openbao: { automates: false, hasFolders: false, isOfOpenBao: true },
  /** Vault 2.x, with the features of its Enterprise edition: schedules, rotation on read, unlocking. */
  vault: { automates: true, hasFolders: true, isOfOpenBao: false },
} as const;

export type DirectoryEngine = keyof typeof directoryTraits;

export type DirectoryTraits = (typeof directoryTraits)[keyof typeof directoryTraits];
