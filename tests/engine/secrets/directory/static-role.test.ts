import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt, pathIn } from "../counting";
import { inAnotherCase } from "../names";
import { bindPassword, configuredEngineIn } from "./surroundings";

const pathOf = pathIn("static-role");

describeLifecycle({
  className: "secrets.directory.StaticRole",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:StaticRole",
  prepare: (world) =>
    configuredEngineIn(world, ["svc-1", "svc-2"], (inspection) => inspection.secrets.directoryStaticRoles),
  live: {
    needs: ["directory engine", "directory"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.StaticRole(
      name,
      args as unknown as trivium.secrets.directory.StaticRoleArgs,
      options,
    ),
  valid: ({ given }) => ({ ...given, roleName: "Payments", username: "svc-1", rotationPeriod: "1h" }),
  spellings: ({ world }) => ({ roleName: inAnotherCase(world, "Payments"), rotationPeriod: 3600 }),
  changes: [
    { argument: "rotationPeriod", to: "2h" },
    { argument: "roleName", to: "billing", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "rotationPeriod",
    cause: ({ world }, id) => world.secrets.api.change(pathOf(id), ["username"], { rotation_period: 60 }),
  },
  get: (name, id, options) => trivium.secrets.directory.StaticRole.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword],
});
