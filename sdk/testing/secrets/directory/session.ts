import { randomInt } from "node:crypto";
import type { Table } from "../../table";
import { lettersAndDigits } from "../foundation";
import { defaultUserAttribute, usualPasswordLength, type ConfigState } from "./config";
import { type Directory, ldapFailure } from "./ldap/directory";
import type { Change } from "./ldap/ldif";
import type { DirectoryConfigRecord, DirectoryEntryRecord, PasswordPolicyRecord } from "../types";
import { EngineFailure } from "../refusal";

/**
 * Connects to the directory.
 *
 * @param withoutConfig the error when there is not a configuration
 * @throws EngineFailure without a configuration
 * @throws EngineFailure when the directory does not take the configured account
 */
export type Connect = (state: ConfigState, withoutConfig?: string) => Session;

/** What tells the engine which entry is meant. */
export interface AccountName {
  readonly username: string;
  /** Found by `username` when empty. */
  readonly dn: string;
}

/** A connection to the directory, as the account of the configuration. */
export class Session {
  private readonly bound: DirectoryEntryRecord;

  /** @throws EngineFailure when the directory does not take the configured account */
  constructor(
    private readonly directory: Directory,
    private readonly config: DirectoryConfigRecord,
    private readonly policies: Table<PasswordPolicyRecord>,
  ) {
    const { binddn, bindpass, upndomain } = config;
    this.bound = directory.bind(upndomain === "" ? binddn : `${binddn}@${upndomain}`, bindpass);
  }

  /** Gives an entry a new password, which it returns. */
  rotate(account: AccountName): string {
    return this.setNewPassword(this.find(account));
  }

  /** Gives the account of the configuration a new password, which it returns. */
  rotateOwn(): string {
    return this.setNewPassword(this.bound);
  }

  /** @throws EngineFailure when the configuration names a policy that does not exist */
  newPassword(): string {
    const { passwordPolicy, length } = this.config;
    if (passwordPolicy === "") {
      return randomText(length > 0 ? length : usualPasswordLength, lettersAndDigits);
    }
    const policy = this.policies.find(passwordPolicy);
    if (policy === undefined) {
      throw new EngineFailure(`no password policy ${JSON.stringify(passwordPolicy)} found`);
    }
    return randomText(policy.length, policy.characters);
  }

  /**
   * Makes changes in their order.
   *
   * @param afterFailure whether the first that fails is the last, or all are tried
   */
  execute(changes: readonly Change[], afterFailure: "stop" | "go on"): void {
    this.requireRights();
    const failures: string[] = [];
    for (const change of changes) {
      try {
        this.directory.apply(change);
      } catch (error) {
        if (!(error instanceof EngineFailure) || afterFailure === "stop") {
          throw error;
        }
        failures.push(error.message);
      }
    }
    if (failures.length > 0) {
      throw new EngineFailure(failures.join("; "));
    }
  }

  private find({ username, dn }: AccountName): DirectoryEntryRecord {
    this.requireRights();
    if (dn !== "") {
      return this.directory.entry(dn);
    }
    const { userdn, userattr, schema, upndomain } = this.config;
    const attribute = userattr === "" ? defaultUserAttribute(schema) : userattr;
    const isPrincipal = attribute.toLowerCase() === "userprincipalname";
    const value =
      isPrincipal && upndomain !== "" && !username.includes("@") ? `${username}@${upndomain}` : username;
    const found = this.directory.search(userdn, attribute, value);
    const [entry] = found;
    if (entry === undefined || found.length > 1) {
      throw new EngineFailure(`expected one matching entry, but received ${found.length}`);
    }
    return entry;
  }

  private setNewPassword({ dn }: DirectoryEntryRecord): string {
    this.requireRights();
    const password = this.newPassword();
    this.directory.update(dn, { password });
    return password;
  }

  private requireRights(): void {
    if (!this.bound.mayManage) {
      throw ldapFailure(50);
    }
  }
}

function randomText(length: number, characters: string): string {
  const choices = Array.from(characters);
  return Array.from({ length }, () => choices[randomInt(choices.length)]).join("");
}
