import { defineCase, type ResourceCase } from "./case";

/** The case of the list of those with whom an organization shares its modules or its providers. */
export function consumersCase(
  list: "moduleConsumers" | "providerConsumers",
  more: Pick<ResourceCase, "type" | "dialects">,
) {
  return defineCase({
    ...more,
    async prepare(services) {
      const organizations = await services.provisioning.newOrganizations(4);
      if (list === "providerConsumers") {
        // One document has both lists: this one must stay.
        const moduleConsumers = organizations.slice(2, 3);
        await services.provisioning.changeOrganization(organizations[0] ?? "", { moduleConsumers });
      }
      return {
        ...services.context("provisioning", (inspection) =>
          inspection.provisioning.organizations.filter(({ [list]: consumers }) => consumers.length > 0),
        ),
        organizations,
      };
    },
    live: {
      needs: ["provisioning service", "site administrator"],
      count: async ({ services, organizations }) => {
        const states = await Promise.all(
          organizations.map((name) => services.provisioning.organization(name)),
        );
        return states.filter(({ [list]: consumers }) => consumers.length > 0).length;
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
        services.provisioning.changeOrganization(id, { [list]: [consumer] }),
    },
    canaries: [],
  });
}
