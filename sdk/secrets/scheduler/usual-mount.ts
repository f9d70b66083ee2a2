import type * as Zod from "zod";
import type { Dialect, Validation } from "../../resource/definition";
import { secretsDialects } from "../dialect";
import { mountArgument } from "../mount";

/** The argument that says where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(z: Validation, dialect: Dialect): Zod.ZodDefault<Zod.ZodType<string, string>> {
  return mountArgument(z, secretsDialects[dialect].schedulerMount);
}
