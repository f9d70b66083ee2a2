import { randomInt } from "node:crypto";
import type { PasswordPolicyRecord } from "../password-policies";
import type { Table } from "../table";
import type { DirectoryConfigRecord } from "./config-record";
import { EngineFailure } from "./engine-failure";

const defaultLength = 64;
const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * A new password, as the configuration wants it.
 *
 * @throws EngineFailure when it names a policy that does not exist
 */
export function generatePassword(
  { passwordPolicy, length }: Pick<DirectoryConfigRecord, "passwordPolicy" | "length">,
  policies: Table<PasswordPolicyRecord>,
): string {
  if (passwordPolicy === "") {
    return randomText(length > 0 ? length : defaultLength, lettersAndDigits);
  }
  const policy = policies.find(passwordPolicy);
  if (policy === undefined) {
    throw new EngineFailure(`no password policy ${JSON.stringify(passwordPolicy)} found`);
  }
  return randomText(policy.length, policy.characters);
}

function randomText(length: number, characters: string): string {
  const choices = Array.from(characters);
  return Array.from({ length }, () => choices[randomInt(choices.length)]).join("");
}
