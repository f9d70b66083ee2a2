import type { PasswordPolicyRecord } from "../password-policies";
import type { Table } from "../table";
import { defaultUserAttribute, type DirectoryConfigRecord } from "./config-record";
import { EngineFailure, isEngineFailure } from "./engine-failure";
import type { Directory } from "./ldap/directory";
import type { DirectoryEntryRecord } from "./ldap/entry";
import { LdapFailure } from "./ldap/ldap-failure";
import type { Change } from "./ldap/ldif";
import { generatePassword } from "./passwords";

/** What tells the engine which entry is meant. */
export interface AccountName {
  readonly username: string;
  /** Found by `username` when empty. */
  readonly dn: string;
}

/** A connection to the directory, as the account of the configuration. */
export class Session {
  private readonly bound: DirectoryEntryRecord;

  /** @throws LdapFailure when the directory does not take the configured account */
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

  newPassword(): string {
    return generatePassword(this.config, this.policies);
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
        if (!isEngineFailure(error) || afterFailure === "stop") {
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
    const [found, ...others] = this.directory.search(userdn, attribute, value);
    if (found === undefined || others.length > 0) {
      const count = found === undefined ? 0 : others.length + 1;
      throw new EngineFailure(`expected one matching entry, but received ${count}`);
    }
    return found;
  }

  private setNewPassword({ dn }: DirectoryEntryRecord): string {
    this.requireRights();
    const password = this.newPassword();
    this.directory.update(dn, { password });
    return password;
  }

  private requireRights(): void {
    if (!this.bound.mayManage) {
      throw new LdapFailure(50);
    }
  }
}
