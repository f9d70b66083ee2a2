import * as forms from "../forms";

/** How passwords are generated; the documentation has no endpoint that makes a policy. */
export interface PasswordPolicyRecord {
  readonly name: string;
  /** Characters in a password. */
  readonly length: number;
  /** What passwords consist of. */
  readonly characters: string;
}

/** A password policy to set up. */
export interface NewPasswordPolicy {
  readonly name: string;
  /** Default 20. */
  readonly length?: number;
  /** Default: letters and digits. */
  readonly characters?: string;
}

/** What a seed returns about one of its `passwordPolicies`. */
export const passwordPolicyForm = forms.object<NewPasswordPolicy>({
  name: forms.name,
  length: forms.count.optional(),
  characters: forms.name.optional(),
});

export const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** @throws RangeError when no password could be made by it */
export function newPasswordPolicy({
  name,
  length = 20,
  characters = lettersAndDigits,
}: NewPasswordPolicy): PasswordPolicyRecord {
  if (!Number.isInteger(length) || length < 1 || characters === "") {
    throw new RangeError("A password policy makes passwords of at least one character, out of at least one.");
  }
  return { name, length, characters };
}
