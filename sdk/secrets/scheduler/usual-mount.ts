import type { Field } from "../../resource/field";
import { secretsDialects } from "../dialect";
import { mount } from "../mount";

/** Where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(): Field<string, string, "defaulted"> {
  const { documented, hashicorp } = secretsDialects;
  return mount({ documented: documented.schedulerMount, hashicorp: hashicorp.schedulerMount });
}
