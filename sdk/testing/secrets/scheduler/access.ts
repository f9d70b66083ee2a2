import type { Area } from "../../area";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type EngineEndpoint } from "../endpoint";
import { FieldTable, integer, never, text } from "../fields";
import type { MountStates } from "../mount-states";
import type { MountPath } from "../mounts";
import { badRequest } from "../refusal";
import { bootstrap, type EmulatedScheduler } from "./emulated-scheduler";

/** How an engine reaches the scheduler. Empty strings mean that a value is not configured. */
export interface SchedulerAccessRecord {
  /** `protocol://host:port`; when empty, the service's own environment says where. */
  readonly address: string;
  /** A management token; when empty, the service's own environment has one. */
  readonly token: string;
  /** In characters; 0 for the most that the scheduler allows. */
  readonly maxTokenNameLength: number;
  readonly caCert: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

const accessFields = new FieldTable<SchedulerAccessRecord>({
  address: text(),
  token: text({ returned: never }),
  maxTokenNameLength: integer({
    resets: true,
    rule: [(length) => length >= 0, "max_token_name_length must not be negative"],
  }),
  caCert: text(),
  clientCert: text(),
  clientKey: text({ returned: never }),
});

/**
 * What the scheduler engine returns to reads: `documented` is what the documentation says (`address` alone
 * for the access configuration; `token_type` and `lease`, without `global`, for a role); `real` is what real
 * servers say (all but the secrets for the access configuration; `type` and `global`, without `lease`, for a
 * role).
 */
export type SchedulerReads = "documented" | "real";

export interface SchedulerAccessInspection {
  /** The access configurations, one for each mount that has one. */
  readonly schedulerAccess: readonly (SchedulerAccessRecord & MountPath)[];
}

/** Works behind a program's back. */
export interface SchedulerAccessSetup {
  /**
   * Changes what is given; makes a configuration where there is none.
   *
   * @param mount default: where the engine is mounted from the start
   * @throws Error when no scheduler engine is mounted there
   */
  changeSchedulerAccess(change: Partial<SchedulerAccessRecord>, mount?: string): SchedulerAccessRecord;
  /** @throws Error when no scheduler engine is mounted there */
  removeSchedulerAccess(mount?: string): void;
}

export interface AccessState {
  access?: SchedulerAccessRecord | undefined;
}

/** How the access area differs by dialect and options of the emulator. */
export interface AccessOptions {
  readonly isHashicorp: boolean;
  readonly scheduler: EmulatedScheduler;
  /** Whether the configuration has to lead to the emulated scheduler. */
  readonly accessChecked: boolean;
  /** Whether it responds as real servers do. */
  readonly isReal: boolean;
}

/** How the scheduler engine reaches the scheduler. The documentation has no request that deletes it. */
export function createAccessArea(
  states: MountStates<AccessState>,
  { isHashicorp, scheduler, accessChecked, isReal }: AccessOptions,
): Area<EngineEndpoint, SchedulerAccessInspection, SchedulerAccessSetup> {
  const path = "/config/access";
  const deletion: EngineEndpoint = deletes(path, ({ mount }) => {
    states.of(mount).access = undefined;
  });
  return {
    endpoints: [
      writes(path, accessFields.names, ({ mount, body }) => {
        const state = states.of(mount);
        const access = accessFields.read(body, state.access);
        if (!isHashicorp && (access.clientCert === "") !== (access.clientKey === "")) {
          throw badRequest("client_cert requires client_key, and client_key requires client_cert");
        }
        // Without a token the products' engine adopts the scheduler's ACLs.
        state.access =
          isHashicorp && access.token === ""
            ? { ...access, token: bootstrap(scheduler, accessChecked ? access : undefined) }
            : access;
      }),
      reads(path, ({ mount }) => {
        const { access } = states.of(mount);
        return access && dataResponse(isReal ? accessFields.returned(access) : { address: access.address });
      }),
      ...(isHashicorp ? [deletion] : []),
    ],
    setup: {
      changeSchedulerAccess(change, mount) {
        const state = states.at(mount);
        state.access = accessFields.with({ ...state.access, ...change });
        return { ...state.access };
      },
      removeSchedulerAccess(mount) {
        states.at(mount).access = undefined;
      },
    },
    inspect: () => ({
      schedulerAccess: states.inspect(({ access }) => (access === undefined ? [] : [access])),
    }),
  };
}
