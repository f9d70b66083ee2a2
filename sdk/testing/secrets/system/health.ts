import { randomUUID } from "node:crypto";
import { jsonAnswer } from "../../answer";
import type { FixedEndpoint } from "../endpoint";
import type { Records } from "../records";

/** The release whose answers the emulator gives. */
const version = "2.6.2";

/** How the service is, for everybody. It has no envelope. */
export function healthEndpoint({ clock }: Records): FixedEndpoint {
  const clusterId = randomUUID();
  return {
    operation: "GET",
    path: "/sys/health",
    handle: () =>
      jsonAnswer(200, {
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
  };
}
