import { defineCase } from "../support/case";

const pathOf = (id: string): string => `projects/${id}`;

export const project = defineCase({
  type: "provisioning:Project",
  async prepare(world) {
    const { provisioning } = world;
    const [organization = "", otherOrganization] = await provisioning.organizations(2);
    return {
      ...world.context("provisioning", (inspection) =>
        inspection.provisioning.projects.filter(({ isDefault }) => !isDefault),
      ),
      organization,
      otherOrganization,
      name: world.freshName("payments"),
    };
  },
  live: {
    needs: ["provisioning service"],
    count: ({ world }, ids) => world.provisioning.api.count(ids.map(pathOf)),
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
  cleared: [],
  drift: {
    argument: "name",
    cause: ({ world, name }, id) =>
      world.provisioning.api.change(pathOf(id), "projects", { name: `${name} by hand` }),
  },
  vanish: ({ world }, id) => world.provisioning.api.remove(pathOf(id)),
  canaries: [],
});
