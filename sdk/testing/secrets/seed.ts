import {
  count,
  duration,
  either,
  flag,
  listOf,
  name,
  names,
  object,
  oneOf,
  optional,
  recordOf,
  text,
  textOrNull,
} from "../forms";
import type { NewDirectoryEntry } from "./directory/entries";
import type { NewEntity } from "./entities";
import type { NewEnforcement } from "./mfa/enforcement-record";
import type { NewTotpMethod } from "./mfa/totp-methods-setup";
import type { NewMount } from "./mounts";
import type { NewPasswordPolicy } from "./password-policies";

/** What a seed says of one of its `mounts`. */
export const mountForm = object<NewMount>({
  type: name,
  path: name,
  accessor: optional(name),
  defaultLeaseTtl: optional(duration),
  maxLeaseTtl: optional(duration),
});

/** What a seed says of one of its `entities`. */
export const entityForm = object<NewEntity>({
  id: optional(name),
  name: optional(name),
  metadata: optional(recordOf(text)),
});

/** What a seed says of one of its `totpMethods`. */
export const totpMethodForm = object<NewTotpMethod>({
  id: optional(name),
  issuer: text,
  period: optional(count),
  algorithm: optional(oneOf("SHA1", "SHA256", "SHA512")),
  digits: optional(count),
  keySize: optional(count),
  qrSize: optional(count),
  skew: optional(count),
  maxValidationAttempts: optional(count),
});

/** What a seed says of one of its `enforcements`. */
export const enforcementForm = object<NewEnforcement>({ name: optional(name), methodIds: names });

/** What a seed says of one of its `passwordPolicies`. */
export const passwordPolicyForm = object<NewPasswordPolicy>({
  name,
  length: optional(count),
  characters: optional(name),
});

/** What a seed says of one of its `directoryEntries`. */
export const directoryEntryForm = object<NewDirectoryEntry>({
  dn: name,
  password: optional(textOrNull),
  attributes: optional(recordOf(either(text, listOf(text), "a string or a list of strings"))),
  mayManage: optional(flag),
});
