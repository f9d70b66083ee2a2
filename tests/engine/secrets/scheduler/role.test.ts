import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { otherMount, schedulerEngine, secretsToken, surroundingsOf } from "./surroundings";

let emulator: Emulator;

/** The mount and the name in an id, neither of which needs encoding here. */
function placeOf(id: string): { readonly mount: string; readonly name: string } {
  const end = id.lastIndexOf("/");
  return { mount: id.slice(0, end), name: id.slice(end + 1) };
}

describeLifecycle({
  className: "secrets.scheduler.Role",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Role",
  async prepare() {
    emulator = await schedulerEngine();
    return surroundingsOf(emulator, () =>
      emulator.inspect().secrets.schedulerRoles.map((role) => ({ ...role })),
    );
  },
  declare: (name, args, options) =>
    new trivium.secrets.scheduler.Role(name, args as unknown as trivium.secrets.scheduler.RoleArgs, options),
  valid: () => ({
    mount: "scheduler",
    name: "deploy",
    policies: ["job-submit", "node-read"],
    global: true,
    type: "client",
  }),
  spellings: { policies: " node-read,job-submit", mount: "/scheduler/" },
  changes: [
    { argument: "policies", to: "node-read" },
    { argument: "global", to: false },
    { argument: "type", to: "management", also: { policies: [] } },
    { argument: "name", to: "operations", replaces: true },
    { argument: "mount", to: otherMount, replaces: true },
    { argument: "type", to: "client", also: { policies: ["node-read"], global: true } },
  ],
  cleared: ["global"],
  drift: {
    argument: "policies",
    cause(_surroundings, id) {
      const { mount, name } = placeOf(id);
      return emulator.secrets.changeSchedulerRole(name, { policies: ["everything"] }, mount);
    },
  },
  get: (name, id) => trivium.secrets.scheduler.Role.get(name, id),
  adopt: true,
  vanish(_surroundings, id) {
    const { mount, name } = placeOf(id);
    emulator.secrets.removeSchedulerRole(name, mount);
  },
  canaries: [secretsToken],
});
