import type { Scene } from "./scene";
import type { Values } from "../../cases/support/case";

/** What has to be known of a function to call it. */
export interface FunctionCase {
  /** What its scene has beyond the usual. */
  readonly extras?: readonly "directory"[];
  /** Arguments with which it succeeds: as many as go together. */
  readonly valid: (scene: Scene) => Values;
  /** The token of the secrets service, where not any will do. */
  readonly token?: (scene: Scene) => string;
}

const inDirectory = (valid: FunctionCase["valid"]): FunctionCase => ({ extras: ["directory"], valid });

/** One case for each function that makes requests; a function without one fails the suite. */
export const functionCases: Readonly<Record<string, FunctionCase>> = {
  "provisioning.getProject": { valid: ({ project }) => ({ id: project }) },
  "provisioning.listProjects": {
    valid: ({ organization }) => ({ organization, q: "first", names: ["first"], permissions: ["update"] }),
  },
  "provisioning.getNotificationConfiguration": { valid: ({ notification }) => ({ id: notification }) },
  "provisioning.listNotificationConfigurations": { valid: ({ workspace }) => ({ workspaceId: workspace }) },
  "provisioning.verifyNotificationConfiguration": { valid: ({ notification }) => ({ id: notification }) },
  "provisioning.getAdminOrganization": {
    valid: ({ organization }) => ({ name: organization, include: "owners" }),
  },
  "provisioning.listAdminOrganizations": {
    valid: ({ organization }) => ({ q: organization, name: organization, include: "owners" }),
  },
  "provisioning.listModuleConsumers": { valid: ({ organization }) => ({ organization }) },
  "provisioning.listProviderConsumers": { valid: ({ organization }) => ({ organization }) },
  "provisioning.moveWorkspaces": {
    valid: ({ project, workspace }) => ({ projectId: project, workspaceIds: [workspace] }),
  },
  "secrets.identity.getEntityAlias": { valid: ({ alias }) => ({ id: alias }) },
  "secrets.identity.listEntityAliases": { valid: () => ({}) },
  "secrets.mfa.getTotpMethod": { valid: ({ method }) => ({ id: method }) },
  "secrets.mfa.listTotpMethods": { valid: () => ({}) },
  "secrets.mfa.getPushMethod": { valid: () => ({ name: "laptop" }) },
  "secrets.mfa.generateTotpSecret": {
    valid: ({ freshMethod }) => ({ methodId: freshMethod }),
    token: ({ emulator, entity }) => emulator.secrets.addToken({ entityId: entity }),
  },
  "secrets.mfa.adminGenerateTotpSecret": {
    valid: ({ freshMethod, entity }) => ({ methodId: freshMethod, entityId: entity }),
  },
  "secrets.mfa.adminDestroyTotpSecret": {
    valid: ({ method, otherEntity }) => ({ methodId: method, entityId: otherEntity }),
  },
  "secrets.directory.getConfig": inDirectory(() => ({ mount: "ldap" })),
  "secrets.directory.getStaticRole": inDirectory(() => ({ mount: "ldap", roleName: "search" })),
  "secrets.directory.getDynamicRole": inDirectory(() => ({ mount: "ldap", roleName: "reports" })),
  "secrets.directory.getLibrarySet": inDirectory(() => ({ mount: "ldap", name: "lent" })),
  "secrets.directory.listStaticRoles": inDirectory(() => ({ mount: "ldap" })),
  "secrets.directory.listLibrarySets": inDirectory(() => ({ mount: "ldap" })),
  "secrets.directory.getStaticCredentials": inDirectory(() => ({ mount: "ldap", roleName: "search" })),
  "secrets.directory.getLibraryStatus": inDirectory(() => ({ mount: "ldap", name: "lent" })),
  "secrets.directory.rotateRoot": inDirectory(() => ({ mount: "ldap" })),
  "secrets.directory.rotateStaticRole": inDirectory(() => ({ mount: "ldap", roleName: "search" })),
  "secrets.directory.getDynamicCredentials": inDirectory(() => ({ mount: "ldap", roleName: "reports" })),
  "secrets.directory.checkOut": inDirectory(() => ({ mount: "ldap", name: "lent", ttl: "1h" })),
  "secrets.directory.checkIn": inDirectory(() => ({
    mount: "ldap",
    name: "lent",
    serviceAccountNames: ["svc-3"],
  })),
  "secrets.directory.forceCheckIn": inDirectory(() => ({
    mount: "ldap",
    name: "lent",
    serviceAccountNames: ["svc-3"],
  })),
  "secrets.scheduler.getAccess": { valid: () => ({ mount: "scheduler" }) },
  "secrets.scheduler.getLease": { valid: () => ({ mount: "scheduler" }) },
  "secrets.scheduler.getRole": { valid: () => ({ mount: "scheduler", name: "operate" }) },
  "secrets.scheduler.listRoles": { valid: () => ({ mount: "scheduler" }) },
  "secrets.scheduler.getCredentials": { valid: () => ({ mount: "scheduler", name: "operate" }) },
};

/** The functions that make no request, and those over the event stream: they have tests of their own. */
export const otherFunctions: readonly string[] = [
  "provisioning.webhook.parse",
  "provisioning.webhook.parseUnsigned",
  "provisioning.webhook.signatureOf",
  "provisioning.webhook.verifySignature",
  "secrets.directory.lintTemplate",
  "scheduler.events",
  "scheduler.readEvents",
  "scheduler.streamEvents",
  "scheduler.waitForEvent",
];
