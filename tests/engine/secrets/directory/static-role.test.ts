import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { configureBoth, directoryEngine, otherMount, secretsToken, surroundingsOf } from "./surroundings";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.directory.StaticRole",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:StaticRole",
  async prepare() {
    emulator = await directoryEngine(["svc-1", "svc-2"]);
    await configureBoth(emulator);
    return surroundingsOf(emulator, () => emulator.inspect().secrets.directoryStaticRoles);
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.StaticRole(
      name,
      args as unknown as trivium.secrets.directory.StaticRoleArgs,
      options,
    ),
  valid: () => ({ roleName: "Payments", username: "svc-1", rotationPeriod: "1h" }),
  spellings: { roleName: "payments", rotationPeriod: 3600 },
  changes: [
    { argument: "rotationPeriod", to: "2h" },
    { argument: "roleName", to: "billing", replaces: true },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "rotationPeriod",
    cause: () => emulator.secrets.changeDirectoryStaticRole("billing", { rotationPeriod: 60 }, otherMount),
  },
  get: (name, id) => trivium.secrets.directory.StaticRole.get(name, id),
  adopt: true,
  vanish: () => emulator.secrets.removeDirectoryStaticRole("billing", otherMount),
  canaries: [secretsToken],
});
