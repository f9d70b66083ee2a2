import { defineCase } from "../support/case";

export const projectWorkspaces = defineCase({
  type: "provisioning:ProjectWorkspaces",
  async prepare(services) {
    const { provisioning } = services;
    const [organization = ""] = await provisioning.organizations(1);
    // Projects are deleted last created first, and only when they are empty.
    const [first = "", second = "", fallback = ""] = await provisioning.addProjects(organization, 3);
    const workspaces = await provisioning.addWorkspaces(organization, 3);
    return {
      // The resource exists when its first workspace is in one of its projects.
      ...services.context("provisioning", (inspection) => {
        const places = workspaces.map(
          (each) => inspection.provisioning.workspaces.find(({ id }) => id === each)?.projectId ?? "",
        );
        return [first, second].includes(places[0] ?? "") ? [Object.fromEntries(places.entries())] : [];
      }),
      organization,
      workspaces,
      projects: [first, second],
      fallback,
      defaultProject: await provisioning.defaultProject(organization),
    };
  },
  needs: ["provisioning service"],
  count: async ({ services, workspaces, projects }) =>
    projects.includes(await services.provisioning.projectOf(workspaces[0] ?? "")) ? 1 : 0,
  valid: ({ workspaces, projects, defaultProject }) => ({
    projectId: projects[0],
    workspaceIds: [workspaces[0], workspaces[1]],
    fallbackProjectId: defaultProject,
  }),
  spellings: ({ workspaces }) => ({ workspaceIds: [workspaces[1], workspaces[0], workspaces[1]] }),
  changes: [
    { workspaceIds: ({ workspaces }) => [workspaces[1], workspaces[0], workspaces[2]] },
    { fallbackProjectId: ({ fallback }) => fallback },
    { workspaceIds: ({ workspaces }) => [workspaces[0], workspaces[2]] },
    { projectId: ({ projects }) => projects[1] },
  ],
  notCleared: ["fallbackProjectId"],
  changeByHand: ({ services, workspaces: [first = ""], defaultProject }) =>
    services.provisioning.api.send("POST", `projects/${defaultProject}/relationships/workspaces`, {
      data: [{ id: first, type: "workspaces" }],
    }),
  hashicorp: { drifts: { workspaceIds: {} } },
});
