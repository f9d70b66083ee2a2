import type { Area } from "../../area";
import type { FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { healthEndpoint } from "./health";
import { leaseEndpoints } from "./leases";
import { mountEndpoints } from "./mounts";
import { tokenEndpoints } from "./tokens";

/** The endpoints about the service itself, where the dialect has them. */
export function createSystemArea(records: Records): Area<FixedEndpoint, object, object> {
  const endpoints = [
    healthEndpoint(records),
    ...tokenEndpoints(records),
    ...mountEndpoints(records),
    ...leaseEndpoints(records),
  ];
  return {
    endpoints: records.dialect.hasSystemEndpoints ? endpoints : [],
    setup: {},
    inspect: () => ({}),
    clear: () => undefined,
  };
}
