import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { configureBoth, directoryEngine, otherMount, secretsToken, surroundingsOf } from "./surroundings";

let emulator: Emulator;

const accounts = ["svc-1", "svc-2", "svc-3"];

describeLifecycle({
  className: "secrets.directory.LibrarySet",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:LibrarySet",
  async prepare() {
    emulator = await directoryEngine(accounts);
    await configureBoth(emulator);
    return surroundingsOf(emulator, () => emulator.inspect().secrets.directoryLibrarySets);
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.LibrarySet(
      name,
      args as unknown as trivium.secrets.directory.LibrarySetArgs,
      options,
    ),
  valid: () => ({
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
    { argument: "name", to: "night shift", replaces: true },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  drift: {
    argument: "serviceAccountNames",
    cause: () =>
      emulator.secrets.changeDirectoryLibrarySet(
        "night shift",
        { serviceAccountNames: ["svc-3"] },
        otherMount,
      ),
  },
  cleared: ["ttl", "maxTtl", "disableCheckInEnforcement"],
  get: (name, id) => trivium.secrets.directory.LibrarySet.get(name, id),
  adopt: true,
  vanish: () => emulator.secrets.removeDirectoryLibrarySet("night shift", otherMount),
  canaries: [secretsToken],
});
