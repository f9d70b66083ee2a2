import { consumersCase } from "../support/consumers";

export const moduleConsumers = consumersCase("moduleConsumers", "provisioning:ModuleConsumers");
