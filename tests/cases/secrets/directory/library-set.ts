import { defineCase } from "../../support/case";
import { bindPassword, configuredEngineIn, countAt, inAnotherCase, pathIn } from "../../support/engines";

const pathOf = pathIn("library");

const accounts = ["svc-1", "svc-2", "svc-3"];

export const librarySet = defineCase({
  type: "secrets/directory:LibrarySet",
  prepare: (services) =>
    configuredEngineIn(services, accounts, (inspection) => inspection.secrets.directoryLibrarySets),
  live: { needs: ["directory engine", "directory"], count: countAt(pathOf) },
  valid: ({ given }) => ({
    ...given,
    name: "operators",
    serviceAccountNames: ["svc-1", "svc-2"],
    ttl: "8h",
    maxTtl: "2d",
    disableCheckInEnforcement: true,
  }),
  spellings: ({ services }) => ({
    name: inAnotherCase(services, "operators"),
    serviceAccountNames: "svc-2, svc-1",
    ttl: 28_800,
    maxTtl: "48h",
  }),
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
    cause: ({ services }, id) =>
      services.secrets.api.change(pathOf(id), ["ttl", "max_ttl", "disable_check_in_enforcement"], {
        name: id.split("/").at(-1),
        service_account_names: ["svc-3"],
      }),
  },
  cleared: ["ttl", "maxTtl", "disableCheckInEnforcement"],
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword],
});
