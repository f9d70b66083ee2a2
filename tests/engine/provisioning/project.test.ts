import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../support/lifecycle";

const pathOf = (id: string): string => `projects/${id}`;

describeLifecycle({
  className: "provisioning.Project",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:Project",
  async prepare(world) {
    const { provisioning } = world;
    const [organization = "", otherOrganization] = await provisioning.organizations(2);
    return {
      ...world.surroundings("provisioning", (inspection) =>
        inspection.provisioning.projects.filter(({ isDefault }) => !isDefault),
      ),
      organization,
      otherOrganization,
      name: provisioning.freshName("payments"),
    };
  },
  live: {
    needs: ["provisioning service"],
    count: async ({ world }, ids) => {
      const found = await Promise.all(ids.map((id) => world.provisioning.has(pathOf(id))));
      return found.filter(Boolean).length;
    },
  },
  declare: (name, args, options) =>
    new trivium.provisioning.Project(name, args as unknown as trivium.provisioning.ProjectArgs, options),
  valid: ({ organization, name }) => ({ organization, name }),
  spellings: {},
  changes: [
    { argument: "name", toIn: ({ name }) => `${name}-production` },
    {
      argument: "organization",
      toIn: ({ otherOrganization }) => otherOrganization,
      replaces: true,
      needs: "another organization",
    },
  ],
  cleared: [],
  drift: {
    argument: "name",
    cause: ({ world, name }, id) =>
      world.provisioning.change(pathOf(id), "projects", { name: `${name} by hand` }),
  },
  get: (name, id, options) => trivium.provisioning.Project.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.provisioning.remove(pathOf(id)),
  canaries: [],
});
