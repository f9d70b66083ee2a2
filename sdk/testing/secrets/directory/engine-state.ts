import type { EngineRequest } from "../endpoint";
import { MountStates } from "../mount-states";
import type { MountPath, MountRecord } from "../mounts";
import type { Records } from "../records";
import { badRequest, unsupportedPath } from "../refusal";
import { Table } from "../table";
import type { DirectoryConfigRecord } from "./config-record";
import type { DirectoryDialect } from "./dialect";
import type { DynamicRoleRecord, IssuedAccountRecord } from "./dynamic-role-record";
import { EngineFailure } from "./engine-failure";
import type { Directory } from "./ldap/directory";
import type { LibraryAccountRecord, LibrarySetRecord } from "./library-record";
import { Session } from "./session";
import type { StaticRoleRecord } from "./static-role-record";

/** What one mount of the directory engine knows. */
export interface EngineState {
  config: DirectoryConfigRecord | undefined;
  readonly staticRoles: Table<StaticRoleRecord>;
  /** Stop the next rotation of a static role, by the role's name. */
  readonly rotationTimers: Map<string, () => void>;
  readonly dynamicRoles: Table<DynamicRoleRecord>;
  readonly issuedAccounts: Table<IssuedAccountRecord>;
  readonly librarySets: Table<LibrarySetRecord>;
  /** The accounts of all sets. */
  readonly libraryAccounts: Table<LibraryAccountRecord>;
}

/** The states of all mounts of the directory engine. They share one directory. */
export class EngineStates {
  private readonly states = new MountStates<EngineState>(() => ({
    config: undefined,
    staticRoles: new Table("directory static role", ({ name }) => name),
    rotationTimers: new Map(),
    dynamicRoles: new Table("directory dynamic role", ({ name }) => name),
    issuedAccounts: new Table("issued directory account", ({ leaseId }) => leaseId),
    librarySets: new Table("directory library set", ({ name }) => name),
    libraryAccounts: new Table("library account", ({ name }) => name),
  }));

  constructor(
    readonly records: Records,
    readonly directory: Directory,
  ) {}

  of(mount: MountRecord): EngineState {
    return this.states.of(mount);
  }

  /**
   * For setting up.
   *
   * @param path default: where the engine is mounted from the start
   * @throws Error when no directory engine is mounted there
   */
  at(path?: string): EngineState {
    return this.of(this.mountAt(path));
  }

  /** The same for the mount itself. */
  mountAt(path?: string): MountRecord {
    return this.records.mounts.known("directory", path);
  }

  get dialect(): DirectoryDialect {
    return this.records.dialect.directory;
  }

  /** The role or the library set that a request names, as the engine keeps the name. */
  nameOf({ parameter }: EngineRequest): string {
    const name = parameter("name");
    if (!this.dialect.names.test(name)) {
      throw unsupportedPath();
    }
    return this.dialect.foldsNames ? name.toLowerCase() : name;
  }

  /** Whether a mount has not been removed meanwhile. */
  isMounted(mount: MountRecord): boolean {
    return this.records.mounts.ofEngine("directory").includes(mount);
  }

  /**
   * Connects to the directory.
   *
   * @throws EngineFailure without a configuration
   * @throws LdapFailure when the directory does not take the configured account
   */
  session({ config }: EngineState, withoutConfig = "missing LDAP configuration"): Session {
    if (config === undefined) {
      throw new EngineFailure(withoutConfig);
    }
    return new Session(this.directory, config, this.records.passwordPolicies);
  }

  /** What each mount answers to a question, with the path of the mount. */
  inspect<Item extends object>(itemsOf: (state: EngineState) => readonly Item[]): (Item & MountPath)[] {
    return this.records.mounts
      .ofEngine("directory")
      .flatMap((mount) => itemsOf(this.of(mount)).map((item) => ({ mount: mount.path, ...item })));
  }

  clear(): void {
    this.states.clear();
  }
}

/** @throws Refusal 400 when there is no configuration */
export function requireConfig({ config }: EngineState): DirectoryConfigRecord {
  if (config === undefined) {
    throw badRequest("missing LDAP configuration");
  }
  return config;
}

/** @throws Refusal 400 when a static role or a library set has the entry already */
export function requireUnmanaged({ staticRoles, libraryAccounts }: EngineState, username: string): void {
  const managed = [
    ...staticRoles.all().map((role) => role.username),
    ...libraryAccounts.all().map(({ name }) => name),
  ];
  if (managed.some((other) => other.toLowerCase() === username.toLowerCase())) {
    throw badRequest(`${JSON.stringify(username)} is already managed by the secrets engine`);
  }
}
