import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import {
  configureBoth,
  directoryEngine,
  otherMount,
  secretsToken,
  setUp,
  surroundingsOf,
} from "./surroundings";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.directory.StaticRoleRotation",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:StaticRoleRotation",
  async prepare() {
    emulator = await directoryEngine(["svc-1", "svc-2"]);
    await configureBoth(emulator);
    const role = { rotation_period: "1h", skip_import_rotation: true };
    await setUp(emulator, [
      { path: "ldap/static-role/payments", body: { ...role, username: "svc-1" } },
      { path: "ldap/static-role/search", body: { ...role, username: "svc-2" } },
      { path: `${otherMount}/static-role/search`, body: { ...role, username: "svc-2" } },
    ]);
    return surroundingsOf(emulator, () =>
      emulator.inspect().secrets.directoryStaticRoles.filter((each) => each.lastRotation !== null),
    );
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.StaticRoleRotation(
      name,
      args as unknown as trivium.secrets.directory.StaticRoleRotationArgs,
      options,
    ),
  valid: () => ({ roleName: "payments", triggers: { incident: 1 } }),
  spellings: { roleName: "PAYMENTS" },
  changes: [
    { argument: "triggers", to: { incident: 2 } },
    { argument: "roleName", to: "search", replaces: true },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: ["triggers"],
  adopt: false,
  // A password that was rotated stays so.
  remains: {},
  canaries: [secretsToken],
});
