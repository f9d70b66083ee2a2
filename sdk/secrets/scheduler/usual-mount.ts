import type * as Zod from "zod";
import type { Dialect } from "../../base/settings";
import type { Validation } from "../../base/validation";
import { secretsDialects } from "../dialect";
import { mountArgument } from "../mount";

/** The argument that says where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(z: Validation, dialect: Dialect): Zod.ZodDefault<Zod.ZodType<string, string>> {
  return mountArgument(z, secretsDialects[dialect].schedulerMount);
}
