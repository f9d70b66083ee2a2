import { consumersCase } from "../support/consumers";

export const providerConsumers = consumersCase("providerConsumers", "provisioning:ProviderConsumers");
