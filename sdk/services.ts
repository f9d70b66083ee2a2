import type { ServiceName } from "./base/settings";
import type { Service } from "./connection/service";
import { provisioningService } from "./provisioning/service";
import { schedulerService } from "./scheduler/service";
import { secretsService } from "./secrets/service";

/** The only list of all services. */
export const services: Readonly<Record<ServiceName, Service<unknown>>> = {
  provisioning: provisioningService,
  secrets: secretsService,
  scheduler: schedulerService,
};
