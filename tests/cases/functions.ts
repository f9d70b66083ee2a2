import assert from "node:assert/strict";
import * as library from "../../sdk";
import type { Emulator } from "../../sdk/testing";
import type { Values } from "./support/case";
import { emulatedTokens } from "./support/emulated-services";
import { bindPassword } from "./support/engines";

/** What has to be known of a function to call it. */
export interface FunctionCase {
  /** What it needs beyond the usual fixtures. */
  readonly extras?: readonly "directory"[];
  /** Arguments with which it succeeds: as many as go together. */
  readonly valid: (fixtures: Fixtures) => Values;
  /** The token of the secrets service, where not any will do. */
  readonly token?: (fixtures: Fixtures) => string;
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

/** Functions whose results are secret as a whole. */
export const confidentialFunctions: readonly string[] = [
  "provisioning.getNotificationConfiguration",
  "provisioning.listNotificationConfigurations",
  "secrets.directory.getStaticCredentials",
  "secrets.mfa.getPushMethod",
];

/** The functions that make no request, or none in the documented dialect, and those over the event stream: they have tests of their own. */
export const otherFunctions: readonly string[] = [
  "provisioning.webhook.parse",
  "provisioning.webhook.parseUnsigned",
  "provisioning.webhook.signatureOf",
  "provisioning.webhook.verifySignature",
  "secrets.directory.lintTemplate",
  "secrets.directory.listDynamicRoles",
  "secrets.mfa.listPushMethods",
  "scheduler.events",
  "scheduler.readEvents",
  "scheduler.streamEvents",
  "scheduler.waitForEvent",
];

/** A function of the library, in its promise form. */
type LibraryFunction = (args: unknown, options?: object) => Promise<unknown>;

/** Every function of the library by its name, as a program writes it, without the Output forms. */
export const functions: ReadonlyMap<string, LibraryFunction> = new Map(functionsIn(library, ""));

/** Calls a function with its case's arguments, or others, and its case's token. */
export function callFunction(name: string, fixtures: Fixtures, args?: unknown): Promise<unknown> {
  const { valid, token } = functionCases[name] ?? assert.fail(`there is no case for ${name}`);
  process.env.SECRETS_TOKEN = token?.(fixtures) ?? emulatedTokens.secrets;
  const call = functions.get(name) ?? assert.fail(`there is no function ${name}`);
  return call(args ?? valid(fixtures));
}

function functionsIn(module: object, prefix: string): [string, LibraryFunction][] {
  return Object.entries(module).flatMap(
    ([name, exported]: [string, unknown]): [string, LibraryFunction][] => {
      if (typeof exported === "object" && exported !== null && !Array.isArray(exported)) {
        return functionsIn(exported, `${prefix}${name}.`);
      }
      const isFunction = typeof exported === "function" && /^[a-z]/.test(name) && !name.endsWith("Output");
      return isFunction ? [[prefix + name, exported as LibraryFunction]] : [];
    },
  );
}

/** Secrets of the fixtures and of the services; they may be found in no message. */
export const canaries: readonly string[] = [
  ...Object.values(emulatedTokens),
  bindPassword,
  "canary-push-key-1b2c3d",
];

/** The objects that cases use. Created anew for each run: its names and ids are never used twice. */
export interface Fixtures {
  readonly emulator: Emulator;
  readonly organization: string;
  readonly consumer: string;
  readonly otherConsumer: string;
  readonly project: string;
  readonly otherProject: string;
  readonly workspace: string;
  readonly otherWorkspace: string;
  readonly user: string;
  readonly notification: string;
  readonly entity: string;
  readonly otherEntity: string;
  readonly alias: string;
  readonly method: string;
  /** A method for which the entity has no secret yet. */
  readonly freshMethod: string;
}

let count = 0;

/** The accessor of the login that the emulator has from the start. */
const mountAccessor = "auth_userpass_00000001";

const services = "ou=services,dc=acme,dc=example";

/** Puts an emulator back to the start and sets up one object of every kind. */
export async function newFixtures(
  emulator: Emulator,
  extras: readonly "directory"[] = [],
): Promise<Fixtures> {
  emulator.reset();
  const number = ++count;
  const { provisioning, secrets } = emulator;
  const organization = `acme-${number}`;
  const [consumer, otherConsumer] = [`payments-${number}`, `search-${number}`];
  const owner = provisioning.addUser({ username: `owner-${number}` });
  for (const name of [organization, consumer, otherConsumer]) {
    provisioning.addOrganization({ name, workspaceLimit: 10 });
  }
  const user = provisioning.addUser({ organization, username: `user-${number}` }).id;
  provisioning.changeOrganization(organization, {
    notificationEmail: "platform@acme.example",
    ownerIds: [owner.id],
    moduleConsumers: [consumer],
    providerConsumers: [consumer],
  });
  const [project, otherProject] = ["first", "second"].map(
    (name) => provisioning.addProject({ organization, name }).id,
  );
  const [workspace, otherWorkspace] = ["web", "api"].map(
    (name) => provisioning.addWorkspace({ organization, name }).id,
  );
  assert.ok(project !== undefined && otherProject !== undefined);
  assert.ok(workspace !== undefined && otherWorkspace !== undefined);
  const notification = provisioning.addNotificationConfiguration({
    workspace,
    name: "first",
    destinationType: "email",
    userIds: [user],
    enabled: false,
    triggers: ["run:errored"],
  }).id;
  const [entity, otherEntity] = [secrets.addEntity({}).id, secrets.addEntity({}).id];
  const alias = secrets.addEntityAlias({ name: "bob", canonicalId: entity, mountAccessor }).id;
  const [method, freshMethod] = [1, 2].map(() => secrets.addTotpMethod({ issuer: "Acme" }).id);
  assert.ok(method !== undefined && freshMethod !== undefined);
  secrets.addTotpSecret(method, otherEntity);
  secrets.addPushMethod({
    name: "laptop",
    mountAccessor,
    secretKey: "canary-push-key-1b2c3d",
    integrationKey: "canary-push-key-1b2c3d",
    apiHostname: "api-1.example.com",
  });
  secrets.addSchedulerRole({ name: "operate", type: "management" });
  secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
  secrets.changeSchedulerAccess({ address: "https://10.0.0.4:4646" });
  if (extras.includes("directory")) {
    await addDirectory(emulator);
  }
  emulator.journal.clear();
  return {
    ...{ emulator, organization, consumer, otherConsumer, project, otherProject, workspace, otherWorkspace },
    ...{ user, notification, entity, otherEntity, alias, method, freshMethod },
  };
}

/** The entry that the directory engine binds as. */
const bindName = "cn=binds,dc=acme,dc=example";

/** How accounts of the role `reports` are made. */
const reports = "dn: cn={{.Username}},ou=reports,dc=acme,dc=example";

/** LDIF that makes an account, and LDIF that removes it. */
const ldif = {
  creation: `${reports}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
  deletion: `${reports}\nchangetype: delete`,
} as const;

async function addDirectory({ secrets }: Emulator): Promise<void> {
  secrets.addDirectoryEntry({ dn: bindName, password: bindPassword });
  secrets.addDirectoryEntry({ dn: "ou=reports,dc=acme,dc=example" });
  for (const name of ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5"]) {
    secrets.addDirectoryEntry({ dn: `cn=${name},${services}` });
  }
  const write = async (path: string, body: object): Promise<void> => {
    const { status } = await fetch(`${secrets.address}/v1/ldap/${path}`, {
      method: "POST",
      headers: { "x-secrets-token": emulatedTokens.secrets, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.ok(status < 300, path);
  };
  await write("config", { binddn: bindName, bindpass: bindPassword, userdn: services });
  await write("static-role/search", { username: "svc-2", rotation_period: "1h" });
  await write("library/lent", { name: "lent", service_account_names: ["svc-3", "svc-5"], ttl: "2h" });
  await write("role/reports", {
    creation_ldif: ldif.creation,
    deletion_ldif: ldif.deletion,
    default_ttl: "2h",
  });
}
