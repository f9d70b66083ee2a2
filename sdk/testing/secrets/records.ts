import type { EmulatorClock } from "../clock";
import type { EmulatorDialect } from "../dialect";
import { Table } from "../table";
import type { EntityRecord } from "./entities";
import { Leases } from "./leases";
import { Mounts } from "./mounts";
import type { PasswordPolicyRecord } from "./password-policies";

/** What the areas of the secrets service share. */
export class Records {
  readonly mounts: Mounts;
  readonly entities = new Table<EntityRecord>("entity", ({ id }) => id);
  readonly passwordPolicies = new Table<PasswordPolicyRecord>("password policy", ({ name }) => name);
  readonly leases: Leases;
  readonly isHashicorp: boolean;
  private readonly dependents: ((entityId: string) => void)[] = [];

  constructor(
    readonly clock: EmulatorClock,
    dialect: EmulatorDialect,
  ) {
    this.mounts = new Mounts(dialect);
    this.leases = new Leases(clock);
    this.isHashicorp = dialect === "hashicorp";
  }

  /** @param remove takes away what belongs to an entity when the entity goes */
  whenEntityGoes(remove: (entityId: string) => void): void {
    this.dependents.push(remove);
  }

  /** With what belongs to it. */
  removeEntity(id: string): void {
    this.entities.remove(id);
    for (const remove of this.dependents) {
      remove(id);
    }
  }

  /** The present time, ISO 8601. */
  now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  clear(): void {
    for (const records of [this.mounts, this.entities, this.passwordPolicies, this.leases]) {
      records.clear();
    }
  }
}
