import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle({
  className: "provisioning.ModuleConsumers",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:ModuleConsumers",
  async prepare(world) {
    const organizations = await world.provisioning.newOrganizations(4);
    return {
      ...world.surroundings("provisioning", (inspection) =>
        inspection.provisioning.organizations.filter(({ moduleConsumers }) => moduleConsumers.length > 0),
      ),
      organizations,
    };
  },
  live: {
    needs: ["provisioning service", "site administrator"],
    count: async ({ world, organizations }) => {
      const states = await Promise.all(organizations.map((name) => world.provisioning.organization(name)));
      return states.filter(({ moduleConsumers }) => moduleConsumers.length > 0).length;
    },
  },
  declare: (name, args, options) =>
    new trivium.provisioning.ModuleConsumers(
      name,
      args as unknown as trivium.provisioning.ModuleConsumersArgs,
      options,
    ),
  valid: ({ organizations: [owner, , ...consumers] }) => ({ organization: owner, consumers }),
  spellings: ({ organizations: [, , one, other] }) => ({ consumers: [other, one, other] }),
  changes: [
    { argument: "consumers", toIn: ({ organizations }) => [organizations[3]] },
    { argument: "organization", toIn: ({ organizations }) => organizations[1], replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "consumers",
    cause: ({ world, organizations: [, , consumer = ""] }, id) =>
      world.provisioning.changeOrganization(id, { moduleConsumers: [consumer] }),
  },
  get: (name, id, options) => trivium.provisioning.ModuleConsumers.get(name, id, options),
  adopt: true,
  canaries: [],
});
