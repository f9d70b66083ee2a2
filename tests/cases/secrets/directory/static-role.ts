import { defineCase } from "../../support/case";
import {
  automatedChanges,
  automatedCleared,
  automatedDrifts,
  bindPassword,
  enterprise,
  configuredEngineIn,
  countAt,
  inAnotherCase,
  pathIn,
} from "../../support/engines";

const pathOf = pathIn("static-role");
const ownPassword = "canary-own-password-4f1a";

export const staticRole = defineCase({
  type: "secrets/directory:StaticRole",
  prepare: (services) =>
    configuredEngineIn(services, ["svc-1", "svc-2"], (inspection) => inspection.secrets.directoryStaticRoles),
  live: { needs: ["directory engine", "directory"], count: countAt(pathOf) },
  valid: ({ given }) => ({ ...given, roleName: "Payments", username: "svc-1", rotationPeriod: "1h" }),
  spellings: ({ services }) => ({ roleName: inAnotherCase(services, "Payments"), rotationPeriod: 3600 }),
  changes: [
    { argument: "rotationPeriod", to: "2h" },
    { argument: "roleName", to: "billing", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: [],
  drift: {
    argument: "rotationPeriod",
    cause: ({ services }, id) =>
      services.secrets.api.change(pathOf(id), ["username"], { rotation_period: 60 }),
  },
  hashicorp: {
    changes: [
      { argument: "rotationSchedule", to: "0 3 * * SAT", also: { rotationPeriod: null }, needs: enterprise },
      ...automatedChanges,
      { argument: "autoUnlock", to: true, needs: enterprise },
      { argument: "rotationPolicy", to: "patient", needs: enterprise },
      { argument: "passwordPolicy", to: "strong", needs: enterprise },
      { argument: "password", to: ownPassword, needs: enterprise },
    ],
    cleared: [...automatedCleared, "rotationPolicy", "passwordPolicy"],
    drifts: automatedDrifts(
      ({ services }, id, values) => services.secrets.api.change(pathOf(id), ["username"], values),
      { passwordPolicy: { password_policy: "weak" }, rotationPolicy: { rotation_policy: "hasty" } },
    ),
  },
  populate: ({ secrets }) => secrets.addPasswordPolicy({ name: "strong" }),
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword, ownPassword],
});
