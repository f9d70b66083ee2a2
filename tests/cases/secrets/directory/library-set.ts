import { defineCase } from "../../support/case";
import { directoryIn, inAnotherCase, objectsAt, pathIn } from "../../support/engines";

const accounts = ["svc-1", "svc-2", "svc-3"];
const objects = objectsAt(pathIn("library"), ["ttl", "max_ttl", "disable_check_in_enforcement"]);

export const librarySet = defineCase({
  type: "secrets/directory:LibrarySet",
  prepare: (services) => directoryIn(services, accounts, ({ directoryLibrarySets }) => directoryLibrarySets),
  needs: ["directory engine", "directory"],
  ...objects,
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
    { serviceAccountNames: accounts },
    { ttl: 0 },
    { maxTtl: "4d" },
    { disableCheckInEnforcement: false },
    { name: "night-shift" },
    { mount: ({ otherMount }) => otherMount },
  ],
  changeByHand: (context, id, values) =>
    objects.changeByHand(context, id, { name: id.split("/").at(-1), ...values }),
  drifts: { serviceAccountNames: { service_account_names: ["svc-3"] } },
});
