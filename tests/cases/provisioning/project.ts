import { defineCase, type Values } from "../support/case";
import type { TestServices } from "../support/test-services";

const pathOf = (id: string): string => `projects/${id}`;

const change = ({ provisioning }: TestServices, id: string, attributes: Values, relationships?: Values) =>
  provisioning.api.change(pathOf(id), "projects", attributes, relationships);
const byHand = { data: [{ type: "tag-bindings", attributes: { key: "team", value: "by hand" } }] };
const inherited = { "setting-overwrites": { "default-execution-mode": false } };

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
  live: {
    needs: ["provisioning service"],
    count: ({ services }, ids) => services.provisioning.api.count(ids.map(pathOf)),
  },
  valid: ({ organization, name }) => ({ organization, name }),
  changes: [
    { argument: "name", toIn: ({ name }) => `${name}-production` },
    {
      argument: "organization",
      toIn: ({ otherOrganization }) => otherOrganization,
      replaces: true,
      needs: "another organization",
    },
  ],
  hashicorp: {
    valid: () => ({
      description: "Payments",
      tags: { team: "payments", cost: "c-17" },
      autoDestroyActivityDuration: "14d",
      defaultExecutionMode: "local",
    }),
    spellings: () => ({ autoDestroyActivityDuration: "336h", tags: { cost: "c-17", team: "payments" } }),
    changes: [
      { argument: "description", to: "All payments" },
      { argument: "tags", to: { team: "platform", "env:kind": "test" } },
      { argument: "ignoreAdditionalTags", to: true },
      { argument: "autoDestroyActivityDuration", to: "24h" },
      { argument: "defaultExecutionMode", to: "agent", also: { defaultAgentPoolId: "apool-1" } },
      { argument: "defaultAgentPoolId", to: "apool-2", also: { defaultExecutionMode: "agent" } },
      { argument: "defaultExecutionMode", to: "remote", also: { defaultAgentPoolId: undefined } },
    ],
    cleared: [
      "description",
      "tags",
      "autoDestroyActivityDuration",
      "ignoreAdditionalTags",
      "defaultExecutionMode",
      "defaultAgentPoolId",
    ],
    drifts: [
      {
        argument: "description",
        cause: ({ services }, id) => change(services, id, { description: "by hand" }),
      },
      {
        argument: "autoDestroyActivityDuration",
        cause: ({ services }, id) => change(services, id, { "auto-destroy-activity-duration": null }),
      },
      { argument: "defaultExecutionMode", cause: ({ services }, id) => change(services, id, inherited) },
      {
        argument: "defaultAgentPoolId",
        cause: ({ services }, id) => change(services, id, { "default-agent-pool-id": "apool-by-hand" }),
      },
      { argument: "tags", cause: ({ services }, id) => change(services, id, {}, { "tag-bindings": byHand }) },
    ],
  },
  cleared: [],
  drift: {
    argument: "name",
    cause: ({ services, name }, id) => change(services, id, { name: `${name} by hand` }),
  },
  vanish: ({ services }, id) => services.provisioning.api.remove(pathOf(id)),
  canaries: [],
});
