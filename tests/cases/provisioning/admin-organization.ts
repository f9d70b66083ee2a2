import { defineCase } from "../support/case";

export const adminOrganization = defineCase({
  type: "provisioning:AdminOrganization",
  async prepare(services) {
    const { provisioning } = services;
    const organizations = await provisioning.newOrganizations(2);
    const [first = "", second = ""] = organizations;
    await provisioning.changeOrganization(first, { workspaceLimit: 10, accessBetaTools: true });
    return {
      // The resource creates no organization: its trace is an organization whose attributes have changed.
      ...services.context("provisioning", (inspection) =>
        inspection.provisioning.organizations.filter(({ isDisabled }) => isDisabled),
      ),
      first,
      second,
    };
  },
  live: {
    needs: ["provisioning service", "site administrator"],
    count: async ({ services, first, second }) => {
      const states = await Promise.all(
        [first, second].map((name) => services.provisioning.organization(name)),
      );
      return states.filter(({ isDisabled }) => isDisabled).length;
    },
  },
  valid: ({ first }) => ({
    name: first,
    isDisabled: true,
    accessBetaTools: false,
    iacBuildWorkerApplyTimeout: "1.5h",
    workspaceLimit: 20,
    onDestroy: "restore",
  }),
  spellings: () => ({ iacBuildWorkerApplyTimeout: "90m" }),
  changes: [
    { argument: "accessBetaTools", to: true },
    { argument: "accessBetaTools", to: false },
    { argument: "globalModuleSharing", to: true },
    { argument: "globalProviderSharing", to: true },
    { argument: "iacBuildWorkerApplyTimeout", to: "3h" },
    { argument: "iacBuildWorkerPlanTimeout", to: "45m" },
    { argument: "workspaceLimit", to: 0 },
    { argument: "onDestroy", to: "retain" },
    { argument: "onDestroy", to: "restore" },
    { argument: "name", toIn: ({ second }) => second, replaces: true },
  ],
  cleared: ["iacBuildWorkerPlanTimeout", "workspaceLimit", "globalModuleSharing", "globalProviderSharing"],
  drift: {
    argument: "iacBuildWorkerApplyTimeout",
    cause: ({ services }, id) =>
      services.provisioning.changeOrganization(id, { iacBuildWorkerApplyTimeout: "9h" }),
  },
  untold: ["onDestroy"],
  inPlace: true,
  populate({ provisioning }, { first, second }) {
    provisioning.changeOrganization(first, {
      notificationEmail: "platform@acme.example",
      ownerIds: [provisioning.addUser({ username: `owner of ${first}` }).id],
      moduleConsumers: [second],
      providerConsumers: [second],
    });
  },
  // The former attributes, which a deletion restores, are lost with the process.
  forgets: true,
  canaries: [],
});
