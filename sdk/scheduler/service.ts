import type { Service } from "../connection/service";
import type { SchedulerClient } from "./client";

/** The scheduler; its product is Nomad. */
export const schedulerService: Service<SchedulerClient> = {
  name: "scheduler",
  protocol: () => (require("./client") as typeof import("./client")).schedulerProtocol,
};

/** Loads what reads the event stream, which a program that only declares resources never needs. */
export const eventStream = () => require("./event-stream") as typeof import("./event-stream");
