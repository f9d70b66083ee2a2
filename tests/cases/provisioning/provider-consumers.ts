import { consumersCase } from "../support/consumers";

export const providerConsumers = consumersCase("providerConsumers", {
  type: "provisioning:ProviderConsumers",
  dialects: ["hashicorp"],
});
