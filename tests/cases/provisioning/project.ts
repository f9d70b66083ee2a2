import { defineCase } from "../support/case";

const pathOf = (id: string): string => `projects/${id}`;

export const project = defineCase({
  type: "provisioning:Project",
  async prepare(services) {
    const { provisioning } = services;
    const [organization = "", otherOrganization] = await provisioning.organizations(2);
    return {
      ...services.context("provisioning", (inspection) =>
        inspection.provisioning.projects.filter(({ isDefault }) => !isDefault),
      ),
      organization,
      otherOrganization,
      name: services.freshName("payments"),
    };
  },
  needs: ["provisioning service", { organization: "another organization" }],
  count: ({ services }, ids) => services.provisioning.api.count(ids.map(pathOf)),
  valid: ({ organization, name }) => ({ organization, name }),
  changes: [
    { name: ({ name }) => `${name}-production` },
    { organization: ({ otherOrganization }) => otherOrganization },
  ],
  changeByHand({ services }, id, { tags, ...attributes }) {
    const relationships = tags === undefined ? undefined : { "tag-bindings": tags };
    return services.provisioning.api.change(pathOf(id), "projects", attributes, relationships);
  },
  drifts: { name: { name: ({ name }) => `${name} by hand` } },
  hashicorp: {
    valid: () => ({
      description: "Payments",
      tags: { team: "payments", cost: "c-17" },
      defaultExecutionMode: "local",
      autoDestroyActivityDuration: "14d",
    }),
    spellings: () => ({ autoDestroyActivityDuration: "336h", tags: { cost: "c-17", team: "payments" } }),
    changes: [
      { description: "All payments" },
      { tags: { team: "platform", "env:kind": "test" } },
      { ignoreAdditionalTags: true },
      { autoDestroyActivityDuration: "24h" },
      { defaultExecutionMode: "agent", defaultAgentPoolId: "apool-1" },
      { defaultAgentPoolId: "apool-2", defaultExecutionMode: "agent" },
      { defaultExecutionMode: "remote", defaultAgentPoolId: undefined },
    ],
    alsoCreatedWith: [{ defaultAgentPoolId: "apool-1", defaultExecutionMode: "agent" }],
    drifts: {
      description: { description: "by hand" },
      autoDestroyActivityDuration: { "auto-destroy-activity-duration": null },
      defaultExecutionMode: { "setting-overwrites": { "default-execution-mode": false } },
      defaultAgentPoolId: { "default-agent-pool-id": "apool-by-hand" },
      tags: { tags: { data: [{ type: "tag-bindings", attributes: { key: "team", value: "by hand" } }] } },
    },
  },
  deleteByHand: ({ services }, id) => services.provisioning.api.remove(pathOf(id)),
});
