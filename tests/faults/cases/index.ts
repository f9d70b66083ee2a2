import type { FaultCase } from "../support/fault-case";
import { directoryCases } from "./directory";
import { identityAndMfaCases } from "./identity-and-mfa";
import { provisioningCases } from "./provisioning";
import { schedulerCases } from "./scheduler";

/** Every class of resources that the matrix runs; a class without a case fails the suite. */
export const faultCases: readonly FaultCase[] = [
  ...provisioningCases,
  ...identityAndMfaCases,
  ...directoryCases,
  ...schedulerCases,
];
