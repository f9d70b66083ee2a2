import {
  attributePointer,
  capitalized,
  readBoolean,
  readTextOrNull,
  type Attributes,
} from "./attribute-values";
import type { ProvisioningDialect } from "./dialect";
import { readIdentifiers, readResource } from "./json-api";
import type { OrganizationAttributes, OrganizationRecord } from "./organization-record";
import { invalid } from "./refusal";

/** What site administrators can change over the interface, but for the consumers and the timeouts. */
const updatable = [
  "access-beta-tools",
  "global-module-sharing",
  "global-provider-sharing",
  "is-disabled",
  "workspace-limit",
] as const;

/**
 * @param previous what stands for everything that the body leaves out
 * @throws Refusal 422 when the body breaks a rule
 */
export function readOrganizationChange(
  body: unknown,
  previous: OrganizationRecord,
  dialect: ProvisioningDialect,
): Partial<OrganizationAttributes> {
  const { applyTimeout, planTimeout } = dialect.organizationAttributes;
  const known = [...updatable, ...applyTimeout, ...planTimeout];
  const { attributes } = readResource(
    body,
    { type: "organizations", attributes: known, id: previous.name },
    dialect,
  );
  return {
    accessBetaTools: readBoolean(attributes, "access-beta-tools", previous.accessBetaTools),
    globalModuleSharing: readBoolean(attributes, "global-module-sharing", previous.globalModuleSharing),
    globalProviderSharing: readBoolean(attributes, "global-provider-sharing", previous.globalProviderSharing),
    isDisabled: readBoolean(attributes, "is-disabled", previous.isDisabled),
    iacBuildWorkerApplyTimeout: readTimeout(attributes, applyTimeout, previous.iacBuildWorkerApplyTimeout),
    iacBuildWorkerPlanTimeout: readTimeout(attributes, planTimeout, previous.iacBuildWorkerPlanTimeout),
    workspaceLimit: readLimit(attributes, "workspace-limit", previous.workspaceLimit),
  };
}

/**
 * @returns names of organizations, each once
 * @throws Refusal 422 when the body is no list of them, or when one does not exist
 */
export function readConsumers(
  body: unknown,
  dialect: ProvisioningDialect,
  exists: (name: string) => boolean,
): string[] {
  const names = [...new Set(readIdentifiers(body, "organizations", dialect))];
  const unknown = names.find((name) => !exists(name));
  if (unknown !== undefined) {
    throw invalid("/data", `Organization ${unknown} not found`);
  }
  return names;
}

/** The documents do not list the units. */
const decimalWithUnit = /^[+-]?(?:\d+\.?\d*|\.\d+)\p{L}+$/u;

/** @param names all by which it may be given; the last one that is given counts */
function readTimeout(
  attributes: Attributes,
  names: readonly string[],
  previous: string | null,
): string | null {
  return names.reduce((earlier, name) => {
    const timeout = readTextOrNull(attributes, name, earlier);
    if (attributes.has(name) && timeout !== null && !decimalWithUnit.test(timeout)) {
      throw invalid(
        attributePointer(name),
        `${capitalized(name)} must be a decimal number with a unit, such as 1.5h`,
      );
    }
    return timeout;
  }, previous);
}

function readLimit(attributes: Attributes, name: string, previous: number | null): number | null {
  const limit = attributes.has(name) ? attributes.get(name) : previous;
  if (limit !== null && (typeof limit !== "number" || !Number.isSafeInteger(limit))) {
    throw invalid(attributePointer(name), `${capitalized(name)} must be a whole number or null`);
  }
  return limit;
}
