import assert from "node:assert/strict";
import { resourceCases } from "../../cases";

/** Each class with an own way of being handed over, and one that has none. */
export const kinds = [
  "provisioning:Project",
  "provisioning:ProjectWorkspaces",
  "secrets/mfa:TotpSecret",
  "provisioning:AdminOrganization",
].map((type) => resourceCases.get(type) ?? assert.fail(type));
