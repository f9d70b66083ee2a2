import type { Dialect } from "../resource/definition";

/** What differs between the documented provisioning service and the products with nearly the same wire. */
export interface ProvisioningDialect {
  /** The longest name that a project may have, in characters. */
  readonly projectNameLength: number;
}

export const provisioningDialects: Readonly<Record<Dialect, ProvisioningDialect>> = {
  documented: { projectNameLength: 36 },
  hashicorp: { projectNameLength: 40 },
};
