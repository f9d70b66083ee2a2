import type * as Zod from "zod";
import type { Dialect } from "../../base/settings";
import type { Validation } from "../../base/validation";
import type { Field } from "../../resource/field";
import { secretsDialects } from "../dialect";
import { mount, mountArgument } from "../mount";

/** Where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(): Field<string, string, "defaulted"> {
  const { documented, hashicorp } = secretsDialects;
  return mount({ documented: documented.schedulerMount, hashicorp: hashicorp.schedulerMount });
}

/** The schema of {@link schedulerMount}, for resources that state no fields. */
export function schedulerMountArgument(
  z: Validation,
  dialect: Dialect,
): Zod.ZodDefault<Zod.ZodType<string, string>> {
  return mountArgument(z, secretsDialects[dialect].schedulerMount);
}
