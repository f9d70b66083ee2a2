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
  needs: ["provisioning service", "site administrator"],
  async count({ services: { provisioning }, first, second }) {
    const states = await Promise.all([first, second].map((name) => provisioning.organization(name)));
    return states.filter(({ isDisabled }) => isDisabled).length;
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
    { accessBetaTools: true },
    { accessBetaTools: false },
    { globalModuleSharing: true },
    { globalProviderSharing: true },
    { iacBuildWorkerApplyTimeout: "3h" },
    { iacBuildWorkerPlanTimeout: "45m" },
    { workspaceLimit: 0 },
    { onDestroy: "retain" },
    { onDestroy: "restore" },
    { name: ({ second }) => second },
  ],
  notCleared: ["accessBetaTools", "isDisabled", "iacBuildWorkerApplyTimeout", "onDestroy"],
  changeByHand: ({ services }, id, values) => services.provisioning.changeOrganization(id, values),
  drifts: { iacBuildWorkerApplyTimeout: { iacBuildWorkerApplyTimeout: "9h" } },
  populate({ provisioning }, { first, second }) {
    provisioning.changeOrganization(first, {
      notificationEmail: "platform@acme.example",
      ownerIds: [provisioning.addUser({ username: `owner of ${first}` }).id],
      moduleConsumers: [second],
      providerConsumers: [second],
    });
  },
});
