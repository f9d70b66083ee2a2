import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt, pathIn } from "../counting";
import { bindPassword, configuredEngineIn } from "./surroundings";

const pathOf = pathIn("library");

const accounts = ["svc-1", "svc-2", "svc-3"];

describeLifecycle({
  className: "secrets.directory.LibrarySet",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:LibrarySet",
  prepare: (world) =>
    configuredEngineIn(world, accounts, (inspection) => inspection.secrets.directoryLibrarySets),
  live: {
    needs: ["directory engine", "directory"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.LibrarySet(
      name,
      args as unknown as trivium.secrets.directory.LibrarySetArgs,
      options,
    ),
  valid: ({ given }) => ({
    ...given,
    name: "operators",
    serviceAccountNames: ["svc-1", "svc-2"],
    ttl: "8h",
    maxTtl: "2d",
    disableCheckInEnforcement: true,
  }),
  spellings: { serviceAccountNames: "svc-2, svc-1", ttl: 28_800, maxTtl: "48h" },
  changes: [
    { argument: "serviceAccountNames", to: accounts },
    { argument: "ttl", to: 0 },
    { argument: "maxTtl", to: "4d" },
    { argument: "disableCheckInEnforcement", to: false },
    { argument: "name", to: "night-shift", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  drift: {
    argument: "serviceAccountNames",
    cause: ({ world }, id) =>
      world.secrets.api.change(pathOf(id), ["ttl", "max_ttl", "disable_check_in_enforcement"], {
        service_account_names: ["svc-3"],
      }),
  },
  cleared: ["ttl", "maxTtl", "disableCheckInEnforcement"],
  get: (name, id, options) => trivium.secrets.directory.LibrarySet.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword],
});
