import type { MountRecord } from "../mounts";
import { isEngineFailure } from "./engine-failure";
import type { EngineState, EngineStates } from "./engine-state";
import type { StaticRoleRecord } from "./static-role-record";

/** After a rotation that failed, the engine tries again. Seconds. */
const retryAfter = 10;

/** Changes the passwords of static roles, at once and when it is time. */
export class StaticRoleRotation {
  constructor(private readonly states: EngineStates) {}

  /**
   * Changes the password now. The role is stored with it; when the directory refuses, nothing is.
   *
   * @throws EngineFailure without a configuration
   * @throws LdapFailure when the directory refuses
   */
  rotate(mount: MountRecord, role: StaticRoleRecord): void {
    const state = this.states.of(mount);
    const password = this.states.session(state, "the config is currently unset").rotate(role);
    const lastRotation = this.states.records.now();
    state.staticRoles.set({ ...role, password, lastPassword: role.password, lastRotation });
    this.schedule(mount, role.name);
  }

  /** Sets the clock for the next rotation: a period after the last one, or after now when there was none. */
  schedule(mount: MountRecord, name: string): void {
    const role = this.states.of(mount).staticRoles.find(name);
    if (role === undefined) {
      return;
    }
    const last = role.lastRotation === null ? this.now : Date.parse(role.lastRotation);
    this.rotateAfter(mount, name, Math.max(last + role.rotationPeriod * 1_000 - this.now, 0));
  }

  /** After a rotation by request that failed. */
  retry(mount: MountRecord, name: string): void {
    this.rotateAfter(mount, name, retryAfter * 1_000);
  }

  /** Ends the rotations of a role that is no more. */
  stop(state: EngineState, name: string): void {
    state.rotationTimers.get(name)?.();
    state.rotationTimers.delete(name);
  }

  /** Seconds until the next rotation. */
  remaining({ lastRotation, rotationPeriod }: StaticRoleRecord): number {
    if (lastRotation === null) {
      return 0;
    }
    return Math.max(Math.round((Date.parse(lastRotation) - this.now) / 1_000) + rotationPeriod, 0);
  }

  private get now(): number {
    return this.states.records.clock.now();
  }

  private rotateAfter(mount: MountRecord, name: string, milliseconds: number): void {
    const state = this.states.of(mount);
    this.stop(state, name);
    state.rotationTimers.set(
      name,
      this.states.records.clock.after(milliseconds, () => this.rotateWhenDue(mount, name)),
    );
  }

  private rotateWhenDue(mount: MountRecord, name: string): void {
    const role = this.states.of(mount).staticRoles.find(name);
    if (role === undefined || !this.states.isMounted(mount)) {
      return;
    }
    try {
      this.rotate(mount, role);
    } catch (error) {
      if (!isEngineFailure(error)) {
        throw error;
      }
      this.retry(mount, name);
    }
  }
}
