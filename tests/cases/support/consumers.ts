import { defineCase, type ResourceCase } from "./case";

/** The case of the list of those with whom an organization shares its modules or its providers. */
export function consumersCase(list: "moduleConsumers" | "providerConsumers", type: ResourceCase["type"]) {
  return defineCase({
    type,
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
    needs: ["provisioning service", "site administrator"],
    async count({ services, organizations }) {
      const states = await Promise.all(organizations.map((name) => services.provisioning.organization(name)));
      return states.filter(({ [list]: consumers }) => consumers.length > 0).length;
    },
    valid: ({ organizations: [owner, , ...consumers] }) => ({ organization: owner, consumers }),
    spellings: ({ organizations: [, , one, other] }) => ({ consumers: [other, one, other] }),
    changes: [
      { consumers: ({ organizations }) => [organizations[3]] },
      { organization: ({ organizations }) => organizations[1] },
    ],
    changeByHand: ({ services }, id, values) => services.provisioning.changeOrganization(id, values),
    drifts: { consumers: { [list]: ({ organizations: [, , consumer] }) => [consumer] } },
  });
}
