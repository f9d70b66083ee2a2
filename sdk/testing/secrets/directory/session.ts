import type { Table } from "../../table";
import { lettersAndDigits, randomText } from "../../tokens";
import { defaultUserAttribute, defaultPasswordLength, type ConfigState } from "./config";
import { type Directory, ldapFailure } from "./ldap/directory";
import type { Change } from "./ldap/ldif";
import type { DirectoryConfigRecord, DirectoryEntryRecord, PasswordPolicyRecord } from "../types";
import { badRequest, EngineFailure } from "../refusal";

/** @throws EngineFailure without a configuration, or when the directory rejects the configured account */
/** @throws Refusal 400 if the engine has no configuration, which it needs when a lease ends */
export function requireRevocable({ config }: ConfigState, failure: string): void {
  if (config === undefined) {
    throw badRequest(`failed to revoke entry: resp: (*logical.Response)(nil) err: ${failure}`);
  }
}

export type Connect = (state: ConfigState, withoutConfig?: string) => Session;

export interface AccountName {
  readonly username: string;
  /** When empty, the entry is found by `username`. */
  readonly dn: string;
}

/** A connection that is bound as the configured account. */
export class Session {
  private readonly bound: DirectoryEntryRecord;

  /** @throws EngineFailure if the directory rejects the configured account */
  constructor(
    private readonly directory: Directory,
    private readonly config: DirectoryConfigRecord,
    private readonly policies: Table<PasswordPolicyRecord>,
  ) {
    const { binddn, bindpass, upndomain } = config;
    this.bound = directory.bind(upndomain === "" ? binddn : `${binddn}@${upndomain}`, bindpass);
  }

  /** @param policy replaces the configuration's */
  rotate(account: AccountName, policy?: string): string {
    return this.setNewPassword(this.find(account), policy);
  }

  rotateOwn(): string {
    return this.setNewPassword(this.bound);
  }

  /** An entry needs no rights for its own password. */
  rotateSelf(policy?: string): string {
    const password = this.newPassword(policy);
    this.directory.update(this.bound.dn, { password });
    return password;
  }

  /** @throws EngineFailure if the configured policy does not exist */
  newPassword(own = ""): string {
    const { length } = this.config;
    const passwordPolicy = own || this.config.passwordPolicy;
    if (passwordPolicy === "") {
      return randomText(length > 0 ? length : defaultPasswordLength, lettersAndDigits);
    }
    const policy = this.policies.find(passwordPolicy);
    if (policy === undefined) {
      throw new EngineFailure(`no password policy ${JSON.stringify(passwordPolicy)} found`);
    }
    return randomText(policy.length, policy.characters);
  }

  /** @param afterFailure whether to stop at the first failure or to try every change */
  execute(changes: readonly Change[], afterFailure: "stop" | "continue"): void {
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

  private setNewPassword({ dn }: DirectoryEntryRecord, policy?: string): string {
    this.requireRights();
    const password = this.newPassword(policy);
    this.directory.update(dn, { password });
    return password;
  }

  private requireRights(): void {
    if (!this.bound.mayManage) {
      throw ldapFailure(50);
    }
  }
}
