import { randomUUID } from "node:crypto";
import type { EmulatorClock } from "../clock";
import { Table } from "../table";
import { Leases } from "./leases";
import { Mounts } from "./mounts";
import type { EntityRecord, NewEntity, PasswordPolicyRecord, TotpMethodRecord } from "./types";

export class Records {
  readonly mounts: Mounts;
  readonly entities = new Table<EntityRecord>("entity", ({ id }) => id);
  readonly passwordPolicies = new Table<PasswordPolicyRecord>("password policy", ({ name }) => name);
  readonly totpMethods = new Table<TotpMethodRecord>("TOTP method", ({ id }) => id);
  readonly leases: Leases;
  private readonly dependents: ((entityId: string) => void)[] = [];

  constructor(
    readonly clock: EmulatorClock,
    readonly isHashicorp: boolean,
  ) {
    this.mounts = new Mounts(isHashicorp);
    this.leases = new Leases(clock);
  }

  addEntity({
    id = randomUUID(),
    name = `entity_${id.slice(0, 8)}`,
    metadata = {},
  }: NewEntity = {}): EntityRecord {
    return this.entities.add({ id, name, metadata: { ...metadata } });
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
