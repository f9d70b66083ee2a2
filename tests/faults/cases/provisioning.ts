import type { Declared, FaultCase, World } from "../support/fault-case";

const project: FaultCase = {
  type: "provisioning:Project",
  prepare({ emulator }, mark) {
    const organization = emulator.provisioning.addOrganization({ name: `acme-${mark}` }).name;
    return {
      made: { organization, name: `payments-${mark}` },
      changed: { organization, name: `billing-${mark}` },
      secrets: [],
    };
  },
};

const projectWorkspaces: FaultCase = {
  type: "provisioning:ProjectWorkspaces",
  prepare({ emulator: { provisioning } }, mark) {
    const { name: organization, defaultProjectId } = provisioning.addOrganization({ name: `acme-${mark}` });
    const projectId = provisioning.addProject({ organization, name: `payments-${mark}` }).id;
    const [first, second, third] = ["a", "b", "c"].map(
      (name) => provisioning.addWorkspace({ organization, name: `${name}-${mark}` }).id,
    );
    const common = { projectId, fallbackProjectId: defaultProjectId };
    return {
      made: { ...common, workspaceIds: [first ?? "", second ?? ""] },
      changed: { ...common, workspaceIds: [second ?? "", third ?? ""] },
      secrets: [],
    };
  },
};

const notificationConfiguration: FaultCase = {
  type: "provisioning:NotificationConfiguration",
  prepare({ emulator: { provisioning }, receiver }, mark) {
    const organization = provisioning.addOrganization({ name: `acme-${mark}` }).name;
    const workspaceId = provisioning.addWorkspace({ organization, name: `web-${mark}` }).id;
    const url = `${receiver}/canary-hook-${mark}`;
    const token = `canary-signing-key-${mark}`;
    const made = { workspaceId, name: `runs-${mark}`, destinationType: "generic", enabled: true, url, token };
    return {
      made: { ...made, triggers: ["run:completed"] },
      changed: { ...made, triggers: ["run:completed", "run:errored"], token: `${token}-2` },
      secrets: [url, token, `${token}-2`],
    };
  },
  // Names are not unique, so a creation whose process was killed is not found by the next one unless it may adopt.
  leftovers: {
    find: ({ provisioning }, id) =>
      provisioning.notificationConfigurations
        .filter((each) => each.id !== id)
        .map((each) => ({
          expiresAt: null,
          end: (emulator) => emulator.provisioning.removeNotificationConfiguration(each.id),
        })),
    named: /`adopt: true`/,
    endsByItself: false,
  },
};

function limitedOrganization(attributes: { workspaceLimit: number; accessBetaTools: boolean }) {
  return ({ emulator: { provisioning } }: World, mark: string): Declared => {
    const { name } = provisioning.addOrganization({ name: `acme-${mark}`, ...attributes });
    const made = { name, workspaceLimit: 20, accessBetaTools: true, onDestroy: "restore" };
    return { made, changed: { ...made, workspaceLimit: 30 }, secrets: [] };
  };
}

const adminOrganization: FaultCase = {
  type: "provisioning:AdminOrganization",
  prepare: limitedOrganization({ workspaceLimit: 10, accessBetaTools: false }),
  // What the organization was like before, which is to be restored, dies with the process.
  prepareForgotten: limitedOrganization({ workspaceLimit: 20, accessBetaTools: true }),
};

const moduleConsumers: FaultCase = {
  type: "provisioning:ModuleConsumers",
  prepare({ emulator: { provisioning } }, mark) {
    const [organization, first, second] = ["platform", "payments", "search"].map(
      (name) => provisioning.addOrganization({ name: `${name}-${mark}` }).name,
    );
    return {
      made: { organization: organization ?? "", consumers: [first ?? ""] },
      changed: { organization: organization ?? "", consumers: [first ?? "", second ?? ""] },
      secrets: [],
    };
  },
};

export const provisioningCases: readonly FaultCase[] = [
  project,
  projectWorkspaces,
  notificationConfiguration,
  adminOrganization,
  moduleConsumers,
];
