import type { Service } from "../connection/service";
import type { ProvisioningClient } from "./client";

/** The provisioning service; its products are HCP Terraform and Terraform Enterprise. */
export const provisioningService: Service<ProvisioningClient> = {
  name: "provisioning",
  protocol: () => (require("./client") as typeof import("./client")).provisioningProtocol,
};
