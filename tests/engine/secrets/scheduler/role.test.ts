import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt, pathIn } from "../counting";
import { schedulerEngineIn } from "./surroundings";

const pathOf = pathIn("role");

describeLifecycle({
  className: "secrets.scheduler.Role",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Role",
  prepare: (world) => schedulerEngineIn(world, (inspection) => inspection.secrets.schedulerRoles),
  live: {
    needs: ["scheduler engine"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.scheduler.Role(name, args as unknown as trivium.secrets.scheduler.RoleArgs, options),
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
  drift: {
    argument: "policies",
    cause: ({ world }, id) =>
      world.secrets.api.change(pathOf(id), ["type", "global"], { policies: "everything" }),
  },
  get: (name, id, options) => trivium.secrets.scheduler.Role.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [],
});
