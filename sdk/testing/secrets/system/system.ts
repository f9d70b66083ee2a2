import { randomUUID } from "node:crypto";
import { jsonResponse } from "../../response";
import type { Area } from "../../area";
import { reads, type FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { leaseEndpoints } from "./leases";
import { tokenEndpoints } from "./tokens";

/**
 * The endpoints about the service itself: its health, tokens and leases. The documentation has none.
 */
export function createSystemArea(records: Records): Area<FixedEndpoint, object, object> {
  const endpoints = [healthEndpoint(records), ...tokenEndpoints(records), ...leaseEndpoints(records)];
  return { endpoints: records.isHashicorp ? endpoints : [], setup: {}, inspect: () => ({}) };
}

/** The release that the emulator behaves like. */
const version = "2.6.2";

/** How the service is, for everybody. It has no envelope. */
function healthEndpoint({ clock }: Records): FixedEndpoint {
  const clusterId = randomUUID();
  return reads("/sys/health", () =>
    jsonResponse(200, {
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: Math.floor(clock.now() / 1_000),
      version,
      cluster_name: "emulator",
      cluster_id: clusterId,
    }),
  );
}
