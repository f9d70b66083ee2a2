import type { EmulatorClock } from "../clock";
import type { SecretsDialect } from "./dialect";
import { createEntities } from "./entities";
import { createEntityAliases } from "./identity/entity-alias-record";
import { Leases } from "./leases";
import { createEnforcements } from "./mfa/enforcement-record";
import { createPushMethods } from "./mfa/push-method-record";
import { createTotpMethods } from "./mfa/totp-method-record";
import { createTotpSecrets } from "./mfa/totp-secret-record";
import { Mounts } from "./mounts";
import { createPasswordPolicies } from "./password-policies";

/**
 * What the areas of the secrets service share. It keeps the records consistent with each other but knows no rules of
 * the interface. What belongs to one engine alone is with that engine.
 */
export class Records {
  readonly mounts: Mounts;
  readonly entities = createEntities();
  readonly passwordPolicies = createPasswordPolicies();
  readonly entityAliases = createEntityAliases();
  readonly totpMethods = createTotpMethods();
  readonly totpSecrets = createTotpSecrets();
  readonly enforcements = createEnforcements();
  readonly pushMethods = createPushMethods();
  readonly leases: Leases;

  constructor(
    readonly clock: EmulatorClock,
    readonly dialect: SecretsDialect,
  ) {
    this.mounts = new Mounts(dialect);
    this.leases = new Leases(clock);
  }

  /** With its aliases and TOTP secrets. */
  removeEntity(id: string): void {
    this.entities.remove(id);
    this.entityAliases.deleteWhere(({ canonicalId }) => canonicalId === id);
    this.totpSecrets.deleteWhere(({ entityId }) => entityId === id);
  }

  /** The present time, ISO 8601. */
  now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  clear(): void {
    for (const records of [
      this.mounts,
      this.entities,
      this.passwordPolicies,
      this.entityAliases,
      this.totpMethods,
      this.totpSecrets,
      this.enforcements,
      this.pushMethods,
      this.leases,
    ]) {
      records.clear();
    }
  }
}
