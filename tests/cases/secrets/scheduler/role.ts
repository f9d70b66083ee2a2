import { defineCase } from "../../support/case";
import { engineIn, objectsAt, pathIn } from "../../support/engines";

export const role = defineCase({
  type: "secrets/scheduler:Role",
  prepare: (services) => engineIn(services, "scheduler", ({ schedulerRoles }) => schedulerRoles),
  needs: ["scheduler engine"],
  ...objectsAt(pathIn("role"), ["type", "global"]),
  valid: ({ mount }) => ({
    mount,
    name: "deploy",
    policies: ["job-submit", "node-read"],
    global: true,
    type: "client",
  }),
  spellings: ({ mount }) => ({ policies: " node-read,job-submit", mount: `/${mount}/` }),
  changes: [
    { policies: "node-read" },
    { global: false },
    { type: "management", policies: [] },
    { name: "operations" },
    { mount: ({ otherMount }) => otherMount },
    { type: "client", policies: ["node-read"], global: true },
  ],
  notCleared: ["policies", "type"],
  drifts: { policies: { policies: "everything" } },
});
