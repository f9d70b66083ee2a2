import { consumersCase } from "../support/consumers";

export const moduleConsumers = consumersCase("moduleConsumers", { type: "provisioning:ModuleConsumers" });
