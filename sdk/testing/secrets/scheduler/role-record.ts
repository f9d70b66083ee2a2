import type { AclTokenType } from "../../scheduler/acl-tokens";
import type { Fields } from "../fields";
import { badRequest } from "../refusal";
import type { SchedulerEngineDialect } from "./dialect";

/** What kind of tokens to issue. */
export interface SchedulerRoleRecord {
  readonly name: string;
  /** Names of the scheduler's policies; in the hashicorp dialect empty for management tokens. */
  readonly policies: readonly string[];
  readonly global: boolean;
  readonly type: AclTokenType;
}

export const roleFields = ["policies", "global", "type"];

/**
 * The role after a write: policies and `global` stay where they are not sent, the type falls back to `client`.
 *
 * @throws Refusal 400
 */
export function writeRole(
  name: string,
  fields: Fields,
  before: SchedulerRoleRecord | undefined,
  { policiesFollowType }: Pick<SchedulerEngineDialect, "policiesFollowType">,
): SchedulerRoleRecord {
  const type = fields.text("type") ?? "client";
  if (type !== "client" && type !== "management") {
    throw badRequest('type must be "client" or "management"');
  }
  const policies = fields.list("policies") ?? before?.policies ?? [];
  if (policiesFollowType && type === "client" && policies.length === 0) {
    throw badRequest("policies cannot be empty when using client tokens");
  }
  if (policiesFollowType && type === "management" && policies.length > 0) {
    throw badRequest("policies should be empty when using management tokens");
  }
  return { name, policies, global: fields.boolean("global") ?? before?.global ?? false, type };
}
