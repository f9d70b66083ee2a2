import type { Service } from "../connection/service";
import type { SchedulerClient } from "./client";

/** The scheduler; its product is Nomad. */
export const schedulerService: Service<SchedulerClient> = {
  name: "scheduler",
  protocol: () => (require("./client") as typeof import("./client")).schedulerProtocol,
};
