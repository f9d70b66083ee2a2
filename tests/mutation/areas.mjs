// @ts-check
// What `npm run test:mutation` mutates, and which tests have to notice it.

/** @typedef {{ name: string, files: readonly string[], tests?: readonly string[] }} Area */

/**
 * Files are beginnings of paths below sdk/, tests those of paths below tests/. A file belongs to the first area that
 * names it; only its area's tests count, so that an area is tested where somebody who changes it looks.
 * @type {readonly Area[]}
 */
export const areas = [
  {
    name: "go-template",
    files: ["go-template/"],
  },
  { name: "http", files: ["http/"] },
  // The doctor shows what the probe finds.
  {
    name: "connection",
    files: ["connection/"],
    tests: [
      "connection/",
      // The doctor shows what the probe finds.
      "command-line/doctor/connection",
      "command-line/doctor/provisioning",
      "command-line/doctor/scheduler",
      "command-line/doctor/secrets",
    ],
  },
  {
    // What lifecycles do shows in classes that have their traits: a name that others may have, a fixed name, a lease,
    // a part of another object, an object that exists before, values in neither responses nor state.
    name: "resource",
    files: ["resource/"],
    tests: [
      "resource/",
      "functions/",
      "secrets/identity/entity-alias",
      "secrets/mfa/",
      "secrets/directory/static-role",
      "secrets/directory/dynamic-credential",
      "secrets/clocks",
      "secrets/leased",
      "secrets/names-case",
      "provisioning/project-workspaces",
      "provisioning/admin-organization",
    ],
  },
  {
    // What of the services depends on nothing but its arguments.
    name: "services",
    files: [
      "provisioning/kind",
      "provisioning/same-names",
      "provisioning/sibling-lists",
      "provisioning/webhook",
      "scheduler/decoder",
      "scheduler/event.",
      "scheduler/frame",
      "scheduler/match",
      "scheduler/refusal",
      "scheduler/topics",
      "scheduler/translation",
      "secrets/directory/lint-template",
      "secrets/directory/names",
      "secrets/directory/pem",
      "secrets/identity/alias-index",
    ],
  },
];
