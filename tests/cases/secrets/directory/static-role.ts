import { defineCase } from "../../support/case";
import {
  automatedChanges,
  automatedDrifts,
  directoryIn,
  inAnotherCase,
  objectsAt,
  pathIn,
} from "../../support/engines";

const ownPassword = "canary-own-password-4f1a";

export const staticRole = defineCase({
  type: "secrets/directory:StaticRole",
  prepare: (services) =>
    directoryIn(services, ["svc-1", "svc-2"], ({ directoryStaticRoles }) => directoryStaticRoles),
  needs: ["directory engine", "directory"],
  ...objectsAt(pathIn("static-role"), ["username"]),
  valid: ({ given }) => ({ ...given, roleName: "Payments", username: "svc-1", rotationPeriod: "1h" }),
  spellings: ({ services }) => ({ roleName: inAnotherCase(services, "Payments"), rotationPeriod: 3600 }),
  changes: [{ rotationPeriod: "2h" }, { roleName: "billing" }, { mount: ({ otherMount }) => otherMount }],
  alsoCreatedWith: [
    {
      skipImportRotation: true,
      dn: ({ base }) => `cn=svc-1,${base}`,
    },
  ],
  notCleared: [
    "password",
    "rotationPeriod",
    "rotationSchedule",
    "rotationWindow",
    // A role that once had its own value does not go back to that of the mount.
    "rotateOnRead",
    "rotateOnReadCooldown",
    "autoUnlock",
  ],
  drifts: { rotationPeriod: { rotation_period: 60 } },
  hashicorp: {
    changes: [
      { rotationSchedule: "0 3 * * SAT", rotationPeriod: null },
      ...automatedChanges,
      { autoUnlock: true },
      { rotationPolicy: "patient" },
      { passwordPolicy: "strong" },
      { password: ownPassword },
    ],
    alsoCreatedWith: [{ rotationSchedule: "0 3 * * SAT", rotationPeriod: undefined, rotationWindow: "2h" }],
    drifts: {
      ...automatedDrifts,
      passwordPolicy: { password_policy: "weak" },
      rotationPolicy: { rotation_policy: "hasty" },
    },
  },
  populate: ({ secrets }) => secrets.addPasswordPolicy({ name: "strong" }),
  canaries: [ownPassword],
});
