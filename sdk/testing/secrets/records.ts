import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { Table } from "../table";
import { type DirectoryEngine, type DirectoryTraits, directoryTraits } from "./directory/traits";
import { Leases } from "./leases";
import { Mounts } from "./mounts";
import type {
  EnforcementRecord,
  EntityAliasRecord,
  EntityRecord,
  PasswordPolicyRecord,
  TotpMethodRecord,
} from "./types";
import type { NewEnforcement, NewEntity } from "./seeds";
import type { SecretsTraits } from "./traits";

export interface DescribedMethod {
  readonly id: string;
  /** Unique, unless it is empty. */
  readonly name?: string;
}

/** The MFA methods of identities of one type. */
interface MfaMethods {
  readonly described: () => readonly DescribedMethod[];
  readonly find: (id: string) => DescribedMethod | undefined;
  readonly named: (name: string) => DescribedMethod | undefined;
  readonly delete: (id: string) => unknown;
}

export class Records {
  readonly mounts: Mounts;
  readonly entities = new Table<EntityRecord>("entity", ({ id }) => id);
  readonly entityAliases = new Table<EntityAliasRecord>("entity alias", ({ id }) => id);
  readonly passwordPolicies = new Table<PasswordPolicyRecord>("password policy", ({ name }) => name);
  readonly totpMethods = new Table<TotpMethodRecord>("TOTP method", ({ id }) => id);
  readonly mfaMethods: MfaMethods[] = [];
  readonly enforcements = new Table<EnforcementRecord>("enforcement", ({ id }) => id);
  readonly leases: Leases;
  readonly directory: DirectoryTraits;
  private readonly dependents: ((entityId: string) => void)[] = [];
  private readonly unmountListeners: ((key: string) => void)[] = [];

  constructor(
    readonly clock: EmulatorClock,
    readonly traits: SecretsTraits,
    engine: DirectoryEngine,
  ) {
    this.directory = directoryTraits[engine];
    this.mounts = new Mounts(traits);
    this.leases = new Leases(clock);
  }

  addEntity({
    id = randomUUID(),
    name = `entity_${id.slice(0, 8)}`,
    metadata = {},
    policies = [],
    disabled = false,
  }: NewEntity = {}): EntityRecord {
    const times = { creationTime: this.now(), lastUpdateTime: this.now() };
    return this.entities.add({ id, name, metadata: { ...metadata }, policies, disabled, ...times });
  }

  addEnforcement({ name, methodIds }: NewEnforcement): EnforcementRecord {
    const id = randomUUID();
    return this.enforcements.add({
      id,
      name: name ?? `enforcement_${id.slice(0, 8)}`,
      methodIds,
      authMethodAccessors: [],
      authMethodTypes: [],
      identityGroupIds: [],
      identityEntityIds: [],
    });
  }

  /**
   * On the same mount or, without a mount, of the same issuer. The hashicorp dialect ignores the case of names.
   */
  aliasNamed(
    key: Pick<EntityAliasRecord, "name" | "mountAccessor" | "issuer">,
  ): EntityAliasRecord | undefined {
    const named = ({ name }: typeof key): string => (this.traits.foldsAliasNames ? name.toLowerCase() : name);
    return this.entityAliases
      .all()
      .find(
        (alias) =>
          alias.mountAccessor === key.mountAccessor &&
          (key.mountAccessor !== "" || alias.issuer === key.issuer) &&
          named(alias) === named(key),
      );
  }

  addAlias(
    alias: Pick<EntityAliasRecord, "name" | "canonicalId" | "mountAccessor"> & Partial<EntityAliasRecord>,
  ): EntityAliasRecord {
    const now = this.now();
    const more = this.traits.aliasesHaveIssuers ? { issuer: "", externalId: "" } : {};
    const generated = { id: randomUUID(), ...more, customMetadata: null, metadata: null };
    return this.entityAliases.set({ ...generated, creationTime: now, lastUpdateTime: now, ...alias });
  }

  /** @param end ends what depends on the mount, whose path has no trailing slash */
  onUnmounted(end: (key: string) => void): void {
    this.unmountListeners.push(end);
  }

  /** @throws Error if nothing is mounted there */
  unmount(path: string): void {
    const { key, mount: removed } = this.mounts.remove(path);
    this.leases.revokeWhere(({ mount }) => mount === removed);
    for (const end of this.unmountListeners) {
      end(key);
    }
  }

  /** @param remove deletes the objects of the entity */
  onEntityRemoved(remove: (entityId: string) => void): void {
    this.dependents.push(remove);
  }

  removeEntity(id: string): void {
    this.entities.remove(id);
    for (const remove of this.dependents) {
      remove(id);
    }
  }

  now(): string {
    return new Date(this.clock.now()).toISOString();
  }
}
