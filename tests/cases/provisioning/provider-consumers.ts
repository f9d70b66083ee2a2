import { defineCase } from "../support/case";

export const providerConsumers = defineCase({
  type: "provisioning:ProviderConsumers",
  dialects: ["hashicorp"],
  async prepare(services) {
    const organizations = await services.provisioning.newOrganizations(4);
    // One document has both lists: this one must stay.
    await services.provisioning.changeOrganization(organizations[0] ?? "", {
      moduleConsumers: organizations.slice(2, 3),
    });
    return {
      ...services.context("provisioning", (inspection) =>
        inspection.provisioning.organizations.filter(({ providerConsumers }) => providerConsumers.length > 0),
      ),
      organizations,
    };
  },
  live: {
    needs: ["provisioning service", "site administrator"],
    count: async ({ services, organizations }) => {
      const states = await Promise.all(organizations.map((name) => services.provisioning.organization(name)));
      return states.filter(({ providerConsumers }) => providerConsumers.length > 0).length;
    },
  },
  valid: ({ organizations: [owner, , ...consumers] }) => ({ organization: owner, consumers }),
  spellings: ({ organizations: [, , one, other] }) => ({ consumers: [other, one, other] }),
  changes: [
    { argument: "consumers", toIn: ({ organizations }) => [organizations[3]] },
    { argument: "organization", toIn: ({ organizations }) => organizations[1], replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "consumers",
    cause: ({ services, organizations: [, , consumer = ""] }, id) =>
      services.provisioning.changeOrganization(id, { providerConsumers: [consumer] }),
  },
  canaries: [],
});
