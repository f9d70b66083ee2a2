import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";

const token = "canary-token-8d2f61";
const other = "platform";

let emulator: Emulator;

describeLifecycle({
  className: "provisioning.Project",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:Project",
  async prepare() {
    emulator = await startEmulator({ tokens: { provisioning: token } });
    for (const name of ["acme", other]) {
      emulator.provisioning.addOrganization({ name });
    }
    return {
      configuration: {
        "trivium:provisioningAddress": emulator.provisioning.address,
        "trivium:provisioningToken": { secret: token },
      },
      objects: () =>
        emulator
          .inspect()
          .provisioning.projects.flatMap(({ name, ...project }) =>
            name === "Default Project" ? [] : [{ name, ...project }],
          ),
      requests: () => emulator.journal.count(),
      close: () => emulator.close(),
    };
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
    cause: (_surroundings, id) => emulator.provisioning.changeProject(id, { name: "renamed by hand" }),
  },
  get: (name, id) => trivium.provisioning.Project.get(name, id),
  adopt: true,
  vanish: (_surroundings, id) => emulator.provisioning.removeProject(id),
  canaries: [token],
});
