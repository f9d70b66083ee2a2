import { combineAreas } from "../../area";
import type { Tokens } from "../../tokens";
import type { Policies } from "../policies";
import type { Records } from "../records";
import type { SecretsPermissions } from "../rights";
import { createEnforcementsArea } from "./enforcements";
import { createEntitiesArea } from "./entities";
import { createMountsArea } from "./mounts";
import { createPoliciesArea } from "./policies";
import { createSystemArea } from "./system";
import { createWrappingArea, type Wrapping } from "./wrapping";

/** Requests that this library never sends, but the products' own clients do, in the hashicorp dialect. */
export function createClientsArea(
  records: Records,
  tokens: Tokens<SecretsPermissions>,
  wrapping: Wrapping,
  policies: Policies,
) {
  return combineAreas(
    createEnforcementsArea(records),
    createEntitiesArea(records),
    createMountsArea(records),
    createPoliciesArea(records, policies),
    createSystemArea(records, tokens),
    createWrappingArea(records, wrapping),
  );
}
