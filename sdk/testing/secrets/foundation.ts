import type { Area } from "../area";
import type { FixedEndpoint } from "./endpoint";
import { newEntity, type EntityRecord, type NewEntity } from "./entities";
import type { LeaseRecord } from "./leases";
import type { MountRecord, NewMount } from "./mounts";
import { newPasswordPolicy, type NewPasswordPolicy, type PasswordPolicyRecord } from "./password-policies";
import type { Records } from "./records";

/** The records for which the documentation gives no endpoint. */
export interface FoundationInspection {
  readonly mounts: readonly MountRecord[];
  readonly entities: readonly EntityRecord[];
  readonly passwordPolicies: readonly PasswordPolicyRecord[];
  /** What engines have issued and has not ended. */
  readonly leases: readonly LeaseRecord[];
}

/**
 * Sets up what the documentation gives no endpoint for. Every method throws an Error for what does not exist.
 */
export interface FoundationSetup {
  /**
   * Mounts an engine, or a way to log in. From the start there are the engines `directory` at `ldap` and `scheduler`
   * at `scheduler` (in the hashicorp dialect at `nomad`), and the login `userpass` with the accessor
   * `auth_userpass_00000001`.
   */
  addMount(mount: NewMount): MountRecord;
  /** With its leases, which end, and everything in it. Aliases of a login stay. */
  removeMount(path: string): void;
  addEntity(entity?: NewEntity): EntityRecord;
  /** With its aliases and TOTP secrets. */
  removeEntity(id: string): void;
  /** Also instead of the policy that has the same name. */
  addPasswordPolicy(policy: NewPasswordPolicy): PasswordPolicyRecord;
  removePasswordPolicy(name: string): void;
  /** Ends a lease before its time, as an operator would. */
  revokeLease(id: string): void;
}

/** Mounts, entities, password policies and leases. */
export function createFoundationArea(
  records: Records,
): Area<FixedEndpoint, FoundationInspection, FoundationSetup> {
  const { mounts, entities, passwordPolicies, leases } = records;
  return {
    endpoints: [],
    setup: {
      addMount: (mount) => structuredClone(mounts.add(mount)),
      removeMount: (path) => leases.revokeAll(mounts.remove(path)),
      addEntity: (entity = {}) => structuredClone(entities.add(newEntity(entity))),
      removeEntity: (id) => records.removeEntity(id),
      addPasswordPolicy: (policy) => structuredClone(passwordPolicies.set(newPasswordPolicy(policy))),
      removePasswordPolicy: (name) => passwordPolicies.remove(name),
      revokeLease(id) {
        if (!leases.revoke(id)) {
          throw new Error(`The emulator has no lease ${JSON.stringify(id)}.`);
        }
      },
    },
    inspect: () => ({
      mounts: mounts.all(),
      entities: entities.all(),
      passwordPolicies: passwordPolicies.all(),
      leases: leases.all(),
    }),
    clear: () => records.clear(),
  };
}
