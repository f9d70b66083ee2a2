import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { allDialects } from "../../support/lifecycle-case";
import { pathIn } from "../counting";
import { inAnotherCase } from "../names";
import { bindPassword, configuredEngineIn } from "./surroundings";

const pathOf = pathIn("static-role");

describeLifecycle({
  className: "secrets.directory.StaticRoleRotation",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:StaticRoleRotation",
  async prepare(world) {
    const engine = await configuredEngineIn(world, ["svc-1", "svc-2"], (inspection) =>
      inspection.secrets.directoryStaticRoles.filter((each) => each.lastRotation !== null),
    );
    const { mount, otherMount } = engine;
    const usernames = {
      [`${mount}/static-role/payments`]: "svc-1",
      [`${mount}/static-role/search`]: "svc-2",
      [`${otherMount}/static-role/search`]: "svc-2",
    };
    for (const [path, username] of Object.entries(usernames)) {
      const role = { username, rotation_period: "1h", skip_import_rotation: true };
      await world.secrets.api.write(path, role);
    }
    return engine;
  },
  live: {
    needs: ["directory engine", "directory"],
    count: async ({ world }, ids) => {
      const roles = await Promise.all(ids.map((id) => world.secrets.api.read(pathOf(id))));
      return roles.filter((role) => typeof role?.["last_vault_rotation"] === "string").length;
    },
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.StaticRoleRotation(
      name,
      args as unknown as trivium.secrets.directory.StaticRoleRotationArgs,
      options,
    ),
  valid: ({ given }) => ({ ...given, roleName: "payments", triggers: { incident: 1 } }),
  spellings: ({ world }) => ({ roleName: inAnotherCase(world, "payments") }),
  changes: [
    { argument: "triggers", to: { incident: 2 } },
    { argument: "roleName", to: "search", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["triggers"],
  adopt: false,
  inPlace: true,
  // A password that was rotated stays so.
  remains: { dialects: allDialects },
  canaries: [bindPassword],
});
