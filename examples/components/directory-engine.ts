import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-trivium";

const { directory } = secrets;

/** An existing account of the directory, whose password the secrets service rotates. */
export interface RotatedAccountArgs {
  /** The name of the account. A change replaces the role. */
  username: pulumi.Input<string>;
  /**
   * How often the password changes, such as `"12h"`.
   *
   * @default "24h"
   */
  rotationPeriod?: pulumi.Input<string>;
}

/** Accounts that are created on demand, and deleted when they expire. */
export interface TemporaryAccountArgs {
  /** How long an account is valid, such as `"1h"`. */
  lifetime: pulumi.Input<string>;
  /**
   * How long it can be valid, renewals included.
   *
   * @default "24h"
   */
  maxLifetime?: pulumi.Input<string>;
}

/** A library of accounts that one borrower at a time can check out. */
export interface LibraryArgs {
  /** The names of the accounts. An account belongs to one library, and nothing else must use it. */
  accounts: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * How long an account can be checked out, such as `"8h"`; 0 for no limit.
   *
   * @default "8h"
   */
  maxCheckOut?: pulumi.Input<string | number>;
}

/** The arguments of a {@link DirectoryEngine}. */
export interface DirectoryEngineArgs {
  /**
   * Where the directory engine is mounted. A change replaces everything.
   *
   * @default the secrets service's default path
   */
  mount?: pulumi.Input<string>;
  /** The directory server: `ldaps://ldap.example.org`. */
  url: pulumi.Input<string>;
  /** The distinguished name of the entry that the service binds as. */
  bindDn: pulumi.Input<string>;
  /** The initial bind password. The service rotates it. Kept secret. */
  bindPassword: pulumi.Input<string>;
  /** The entry that contains the accounts, and below which new ones are created. */
  accountsDn: pulumi.Input<string>;
  /**
   * Any text. A change rotates the bind password again. The first update always rotates it, so that only the service
   * knows it.
   *
   * @default no further rotation
   */
  rotation?: pulumi.Input<string>;
  /** Accounts whose passwords are rotated, by the names of their roles. */
  rotatedAccounts?: Readonly<Record<string, RotatedAccountArgs>>;
  /** Accounts that are created on demand, by the names of their roles. */
  temporaryAccounts?: Readonly<Record<string, TemporaryAccountArgs>>;
  /** Accounts to check out, by the names of their libraries. */
  libraries?: Readonly<Record<string, LibraryArgs>>;
}

/** An account and its current password. */
type Credentials = pulumi.Output<secrets.directory.GetStaticCredentialsResult>;

/**
 * A directory (LDAP) engine of the secrets service. Its bind password is rotated first; then the roles and libraries
 * are created.
 *
 * ```typescript
 * const engine = new DirectoryEngine("directory", {
 *   url: "ldaps://ldap.example.org",
 *   bindDn: "cn=admin,dc=example,dc=org",
 *   bindPassword: config.requireSecret("bindPassword"),
 *   accountsDn: "ou=services,dc=example,dc=org",
 *   rotatedAccounts: { payments: { username: "svc-payments" } },
 * });
 *
 * export const password = engine.credentials("payments").password;
 * ```
 */
export class DirectoryEngine extends pulumi.ComponentResource {
  /** Where the engine is mounted. */
  readonly mount: pulumi.Output<string>;
  /** The names of the libraries, by the keys of `libraries`. */
  readonly libraries: pulumi.Output<Record<string, string>>;

  private readonly rotated: Readonly<Record<string, secrets.directory.StaticRole>>;

  constructor(name: string, args: DirectoryEngineArgs, options?: pulumi.ComponentResourceOptions) {
    super("acme:platform:DirectoryEngine", name, {}, options);
    const { mount, accountsDn, rotation } = args;
    const config = new directory.Config(
      name,
      { mount, url: args.url, binddn: args.bindDn, bindpass: args.bindPassword, userdn: accountsDn },
      { parent: this },
    );
    const rootRotation = new directory.RootRotation(
      name,
      { mount, triggers: rotation === undefined ? undefined : { rotation } },
      { parent: this, dependsOn: config },
    );
    // A role that is created before the rotation would use the old password and fail.
    const afterRotation = { parent: this, dependsOn: rootRotation };

    this.rotated = mapValues(
      args.rotatedAccounts,
      (roleName, { username, rotationPeriod = "24h" }) =>
        new directory.StaticRole(
          `${name}-${roleName}`,
          { mount, roleName, username, rotationPeriod },
          afterRotation,
        ),
    );
    mapValues(
      args.temporaryAccounts,
      (roleName, { lifetime, maxLifetime = "24h" }) =>
        new directory.DynamicRole(
          `${name}-${roleName}`,
          {
            mount,
            roleName,
            ...templates(accountsDn),
            usernameTemplate: `${roleName}_{{random 8 | lowercase}}`,
            defaultTtl: lifetime,
            maxTtl: maxLifetime,
          },
          afterRotation,
        ),
    );
    const libraries = mapValues(
      args.libraries,
      (library, { accounts, maxCheckOut = "8h" }) =>
        new directory.LibrarySet(
          `${name}-${library}`,
          { mount, name: library, serviceAccountNames: accounts, ttl: maxCheckOut, maxTtl: maxCheckOut },
          afterRotation,
        ),
    );

    this.mount = config.mount;
    this.libraries = pulumi.output(mapValues(libraries, (_, library) => library.name));
    this.registerOutputs({ mount: this.mount, libraries: this.libraries });
  }

  /**
   * The current password of one of the rotated accounts. Secret.
   *
   * @param roleName one of the names in `rotatedAccounts`
   * @throws if there is no account of this name
   */
  credentials(roleName: string): Credentials {
    const role = this.rotated[roleName];
    if (role === undefined) {
      const known = Object.keys(this.rotated).join(", ");
      throw new pulumi.ResourceError(`There is no rotated account ${roleName}, only: ${known}.`, this);
    }
    // With the parent, the function uses the component's provider.
    return directory.getStaticCredentialsOutput(
      { mount: this.mount, roleName: role.roleName },
      { parent: this },
    );
  }
}

/** The LDIF templates with which the service creates and deletes an account. */
function templates(
  accountsDn: pulumi.Input<string>,
): Record<"creationLdif" | "deletionLdif" | "rollbackLdif", pulumi.Output<string>> {
  const account = pulumi.interpolate`dn: cn={{.Username}},${accountsDn}`;
  const deletionLdif = pulumi.interpolate`${account}\nchangetype: delete`;
  return {
    creationLdif: pulumi.interpolate`${account}
changetype: add
objectClass: person
cn: {{.Username}}
sn: {{.Username}}
userPassword: {{.Password}}`,
    deletionLdif,
    rollbackLdif: deletionLdif,
  };
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>> = {},
  map: (name: string, value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}
