import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";

const token = "canary-token-8d2f61";

let emulator: Emulator;

describeLifecycle({
  className: "provisioning.ModuleConsumers",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:ModuleConsumers",
  async prepare() {
    emulator = await startEmulator({ tokens: { provisioning: token } });
    for (const name of ["platform", "shared", "payments", "search"]) {
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
          .provisioning.organizations.filter(({ moduleConsumers }) => moduleConsumers.length > 0)
          .map((organization) => ({ ...organization })),
      requests: () => emulator.journal.count(),
      close: () => emulator.close(),
    };
  },
  declare: (name, args, options) =>
    new trivium.provisioning.ModuleConsumers(
      name,
      args as unknown as trivium.provisioning.ModuleConsumersArgs,
      options,
    ),
  valid: () => ({ organization: "platform", consumers: ["payments", "search"] }),
  spellings: { consumers: ["search", "payments", "search"] },
  changes: [
    { argument: "consumers", to: ["search"] },
    { argument: "organization", to: "shared", replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "consumers",
    cause: (_surroundings, id) =>
      emulator.provisioning.changeOrganization(id, { moduleConsumers: ["payments"] }),
  },
  get: (name, id) => trivium.provisioning.ModuleConsumers.get(name, id),
  adopt: true,
  canaries: [token],
});
