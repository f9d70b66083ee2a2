import type { Service } from "../connection/service";
import type { SchedulerClient } from "./client";

export const schedulerService: Service<SchedulerClient> = {
  name: "scheduler",
  protocol: () => (require("./client") as typeof import("./client")).schedulerProtocol,
};
