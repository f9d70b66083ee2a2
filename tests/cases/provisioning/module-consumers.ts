import { defineCase } from "../support/case";

export const moduleConsumers = defineCase({
  type: "provisioning:ModuleConsumers",
  async prepare(services) {
    const organizations = await services.provisioning.newOrganizations(4);
    return {
      ...services.context("provisioning", (inspection) =>
        inspection.provisioning.organizations.filter(({ moduleConsumers }) => moduleConsumers.length > 0),
      ),
      organizations,
    };
  },
  live: {
    needs: ["provisioning service", "site administrator"],
    count: async ({ services, organizations }) => {
      const states = await Promise.all(organizations.map((name) => services.provisioning.organization(name)));
      return states.filter(({ moduleConsumers }) => moduleConsumers.length > 0).length;
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
      services.provisioning.changeOrganization(id, { moduleConsumers: [consumer] }),
  },
  canaries: [],
});
