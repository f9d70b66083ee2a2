import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { surroundingsOf } from "../support/surroundings";

const token = "canary-token-8d2f61";
const other = "platform";

describeLifecycle({
  className: "provisioning.Project",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:Project",
  async prepare(dialect) {
    const emulator = await startEmulator({ dialect, tokens: { provisioning: token } });
    for (const name of ["acme", other]) {
      emulator.provisioning.addOrganization({ name });
    }
    return surroundingsOf(emulator, "provisioning", () =>
      emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault),
    );
  },
  declare: (name, args, options) =>
    new trivium.provisioning.Project(name, args as unknown as trivium.provisioning.ProjectArgs, options),
  valid: () => ({ organization: "acme", name: "payments" }),
  spellings: {},
  changes: [
    { argument: "name", to: "payments-production" },
    { argument: "organization", to: other, replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "name",
    cause: ({ emulator }, id) => emulator.provisioning.changeProject(id, { name: "renamed by hand" }),
  },
  get: (name, id, options) => trivium.provisioning.Project.get(name, id, options),
  adopt: true,
  vanish: ({ emulator }, id) => emulator.provisioning.removeProject(id),
  canaries: [token],
});
