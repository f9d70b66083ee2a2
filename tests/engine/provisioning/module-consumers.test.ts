import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { surroundingsOf } from "../support/surroundings";

const token = "canary-token-8d2f61";

describeLifecycle({
  className: "provisioning.ModuleConsumers",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:ModuleConsumers",
  async prepare(dialect) {
    const emulator = await startEmulator({ dialect, tokens: { provisioning: token } });
    for (const name of ["platform", "shared", "payments", "search"]) {
      emulator.provisioning.addOrganization({ name });
    }
    return surroundingsOf(emulator, "provisioning", () =>
      emulator
        .inspect()
        .provisioning.organizations.filter(({ moduleConsumers }) => moduleConsumers.length > 0),
    );
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
    cause: ({ emulator }, id) =>
      emulator.provisioning.changeOrganization(id, { moduleConsumers: ["payments"] }),
  },
  get: (name, id, options) => trivium.provisioning.ModuleConsumers.get(name, id, options),
  adopt: true,
  canaries: [token],
});
