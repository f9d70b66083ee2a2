import { defineCase } from "../../support/case";
import { countAt, pathIn, schedulerEngineIn } from "../../support/engines";

const pathOf = pathIn("role");

export const role = defineCase({
  type: "secrets/scheduler:Role",
  prepare: (services) => schedulerEngineIn(services, (inspection) => inspection.secrets.schedulerRoles),
  live: { needs: ["scheduler engine"], count: countAt(pathOf) },
  valid: ({ mount }) => ({
    mount,
    name: "deploy",
    policies: ["job-submit", "node-read"],
    global: true,
    type: "client",
  }),
  spellings: ({ mount }) => ({ policies: " node-read,job-submit", mount: `/${mount}/` }),
  changes: [
    { argument: "policies", to: "node-read" },
    { argument: "global", to: false },
    { argument: "type", to: "management", also: { policies: [] } },
    { argument: "name", to: "operations", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
    { argument: "type", to: "client", also: { policies: ["node-read"], global: true } },
  ],
  cleared: ["global"],
  untoldByDocuments: ["global"],
  drift: {
    argument: "policies",
    cause: ({ services }, id) =>
      services.secrets.api.change(pathOf(id), ["type", "global"], { policies: "everything" }),
  },
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  canaries: [],
});
