import type { EmulatorDialect } from "../../dialect";
import type { SchedulerReads } from "./reads";

/** What differs between the documented scheduler engine and that of the products. */
export interface SchedulerEngineDialect {
  /** What reads answer unless the options say otherwise. */
  readonly reads: SchedulerReads;
  /** Whether an access configuration without a token makes the engine take over the scheduler's ACLs. */
  readonly accessWithoutTokenBootstraps: boolean;
  /** Whether a client's certificate and its key come together only. */
  readonly certificateNeedsKey: boolean;
  /** Whether client roles need policies and management roles may have none. */
  readonly policiesFollowType: boolean;
  readonly accessCanBeDeleted: boolean;
  /** What a role answers for policies when none were ever given, unlike those that were cleared. */
  readonly policiesNeverGiven: readonly string[] | null;
  /** How the names of issued tokens begin. */
  readonly tokenNamePrefix: string;
}

/** Both dialects. */
export const schedulerEngineDialects: Readonly<Record<EmulatorDialect, SchedulerEngineDialect>> = {
  documented: {
    reads: "documented",
    accessWithoutTokenBootstraps: false,
    certificateNeedsKey: true,
    policiesFollowType: false,
    accessCanBeDeleted: false,
    policiesNeverGiven: [],
    tokenNamePrefix: "secrets",
  },
  hashicorp: {
    reads: "real",
    accessWithoutTokenBootstraps: true,
    certificateNeedsKey: false,
    policiesFollowType: true,
    accessCanBeDeleted: true,
    policiesNeverGiven: null,
    tokenNamePrefix: "vault",
  },
};
