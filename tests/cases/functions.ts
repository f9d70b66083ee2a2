import assert from "node:assert/strict";
import * as library from "../../sdk/index";
import type { Emulator } from "../../sdk/testing";
import { SecretsApi } from "../engine/support/api";
import { allDialects, bindPassword, type Dialect, type Values } from "./support/case";
import { emulatedTokens } from "./support/emulated-services";

type ValidOf = (fixtures: Fixtures) => Values;

/** A directory engine, or what it has. */
const inDirectory =
  (values: Values = {}): ValidOf =>
  ({ directoryMount: mount }) => ({ mount, ...values });
const inScheduler =
  (values: Values = {}): ValidOf =>
  ({ schedulerMount: mount }) => ({ mount, ...values });
const staticRole = inDirectory({ roleName: "search" });
const dynamicRole = inDirectory({ roleName: "reports" });
const librarySet = inDirectory({ name: "lent" });
const accounts = inDirectory({ name: "lent", serviceAccountNames: ["svc-3"] });
const schedulerRole = inScheduler({ name: "operate" });
const ofNotification: ValidOf = ({ notification }) => ({ id: notification });

/** Arguments with which each function succeeds that makes requests: as many as go together. One without fails the suite. */
const validArguments: Readonly<Record<string, ValidOf>> = {
  "provisioning.getProject": ({ project }) => ({ id: project }),
  "provisioning.listProjects": ({ organization }) => ({
    organization,
    q: "first",
    names: ["first"],
    permissions: ["update"],
  }),
  "provisioning.getNotificationConfiguration": ofNotification,
  "provisioning.listNotificationConfigurations": ({ workspace }) => ({ workspaceId: workspace }),
  "provisioning.verifyNotificationConfiguration": ofNotification,
  "provisioning.getAdminOrganization": ({ organization }) => ({ name: organization, include: "owners" }),
  "provisioning.listAdminOrganizations": ({ organization }) => ({
    q: organization,
    name: organization,
    include: "owners",
  }),
  "provisioning.listModuleConsumers": ({ organization }) => ({ organization }),
  "provisioning.listProviderConsumers": ({ organization }) => ({ organization }),
  "provisioning.moveWorkspaces": ({ project, workspace }) => ({
    projectId: project,
    workspaceIds: [workspace],
  }),
  "secrets.identity.getEntityAlias": ({ alias }) => ({ id: alias }),
  "secrets.identity.listEntityAliases": () => ({}),
  "secrets.mfa.getTotpMethod": ({ method }) => ({ id: method }),
  "secrets.mfa.listTotpMethods": () => ({}),
  "secrets.mfa.getPushMethod": () => ({ name: "laptop" }),
  "secrets.mfa.generateTotpSecret": ({ freshMethod }) => ({ methodId: freshMethod }),
  "secrets.mfa.adminGenerateTotpSecret": ({ freshMethod, entity }) => ({
    methodId: freshMethod,
    entityId: entity,
  }),
  "secrets.mfa.adminDestroyTotpSecret": ({ method, otherEntity }) => ({
    methodId: method,
    entityId: otherEntity,
  }),
  "secrets.directory.getConfig": inDirectory(),
  "secrets.directory.getStaticRole": staticRole,
  "secrets.directory.getDynamicRole": dynamicRole,
  "secrets.directory.getLibrarySet": librarySet,
  "secrets.directory.listStaticRoles": inDirectory(),
  "secrets.directory.listLibrarySets": inDirectory(),
  "secrets.directory.getStaticCredentials": staticRole,
  "secrets.directory.getLibraryStatus": librarySet,
  "secrets.directory.rotateRoot": inDirectory(),
  "secrets.directory.rotateStaticRole": staticRole,
  "secrets.directory.getDynamicCredentials": dynamicRole,
  "secrets.directory.checkOut": inDirectory({ name: "lent", ttl: "1h" }),
  "secrets.directory.checkIn": accounts,
  "secrets.directory.forceCheckIn": accounts,
  "secrets.scheduler.getAccess": inScheduler(),
  "secrets.scheduler.getLease": inScheduler(),
  "secrets.scheduler.getRole": schedulerRole,
  "secrets.scheduler.listRoles": inScheduler(),
  "secrets.scheduler.getCredentials": schedulerRole,
};

/** The same for functions that only the hashicorp dialect has. */
const validInProducts: typeof validArguments = {
  "secrets.directory.listDynamicRoles": inDirectory(),
  "secrets.mfa.listPushMethods": () => ({}),
};

/** Other arguments, which exclude those above. */
const otherArguments: readonly (readonly [
  name: string,
  argument: string,
  valid: ValidOf,
  dialects: readonly Dialect[],
])[] = [
  ["secrets.identity.getEntityAlias", "name", () => ({ name: "bob", mountAccessor }), allDialects],
  ["secrets.directory.listStaticRoles", "path", inDirectory({ path: "teams" }), ["hashicorp"]],
  ["secrets.directory.listDynamicRoles", "path", inDirectory({ path: "teams" }), ["hashicorp"]],
  ["secrets.directory.listLibrarySets", "path", inDirectory({ path: "teams" }), ["hashicorp"]],
];

/** What has to be known of a function to call it. */
export interface FunctionCase {
  readonly name: string;
  readonly valid: ValidOf;
  /** What it needs beyond the usual fixtures. */
  readonly extras: readonly "directory"[];
  /** The token of the secrets service, where not any will do. */
  readonly token?: ((fixtures: Fixtures) => string) | undefined;
}

const tokenOfEntity = ({ emulator, entity }: Fixtures): string =>
  emulator.secrets.addToken({ entityId: entity });

function functionCase(name: string, valid: ValidOf): FunctionCase {
  const token = name === "secrets.mfa.generateTotpSecret" ? tokenOfEntity : undefined;
  return { name, valid, token, extras: name.startsWith("secrets.directory.") ? ["directory"] : [] };
}

function casesOf(arguments_: typeof validArguments): Readonly<Record<string, FunctionCase>> {
  return Object.fromEntries(
    Object.entries(arguments_).map(([name, valid]) => [name, functionCase(name, valid)]),
  );
}

/** The functions of the documented dialect, which the other one has too. */
export const functionCases = casesOf(validArguments);

const productCases = { ...functionCases, ...casesOf(validInProducts) };

export function casesIn(dialect: Dialect): Readonly<Record<string, FunctionCase>> {
  return dialect === "hashicorp" ? productCases : functionCases;
}

/** A function in one dialect. */
export interface TriedFunction extends FunctionCase {
  /** With the dialect, unless it is the first one, and with the argument that excludes others. */
  readonly title: string;
  readonly dialect: Dialect;
}

/** Each function in each of its dialects, with so many sets of arguments that each is given once. */
export function functionsIn(
  dialect: Dialect,
  titleOf: (name: string, set?: string) => string,
): TriedFunction[] {
  const others = otherArguments.filter(([, , , dialects]) => dialects.includes(dialect));
  return [
    ...Object.values(casesIn(dialect)).map((each) => ({ ...each, title: titleOf(each.name), dialect })),
    ...others.map(([name, argument, valid]) => {
      return { ...functionCase(name, valid), title: titleOf(name, argument), dialect };
    }),
  ];
}

/** Functions whose results are secret as a whole. */
export const confidentialFunctions: readonly string[] = [
  "provisioning.getNotificationConfiguration",
  "provisioning.listNotificationConfigurations",
  "secrets.directory.getStaticCredentials",
  "secrets.mfa.getPushMethod",
];

/** The functions that make no request, or none in the documented dialect, and those over the event stream. */
export const otherFunctions: readonly string[] = [
  ...Object.keys(validInProducts),
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

/** A function of the library, in its promise form. */
type LibraryFunction = (args: unknown, options?: object) => Promise<unknown>;

/** Every function of the library by its name, as a program writes it, without the Output forms. */
export const functions: ReadonlyMap<string, LibraryFunction> = new Map(exportedBy(library, ""));

/** Calls a function with its case's arguments, or others, and its case's token. */
export function callFunction(
  { name, valid, token }: FunctionCase,
  fixtures: Fixtures,
  args?: unknown,
): Promise<unknown> {
  process.env.SECRETS_TOKEN = token?.(fixtures) ?? emulatedTokens.secrets;
  const call = functions.get(name) ?? assert.fail(`there is no function ${name}`);
  return call(args ?? valid(fixtures));
}

function exportedBy(module: object, prefix: string): [string, LibraryFunction][] {
  return Object.entries(module).flatMap(([name, exported]: [string, unknown]) => {
    if (typeof exported === "object" && exported !== null && !Array.isArray(exported)) {
      return exportedBy(exported, `${prefix}${name}.`);
    }
    const isFunction = typeof exported === "function" && /^[a-z](?!.*Output$)/.test(name);
    return isFunction ? [[prefix + name, exported as LibraryFunction]] : [];
  });
}

const pushKey = "canary-push-key-1b2c3d";

/** Secrets of the fixtures and of the services. No message must contain them. */
export const canaries: readonly string[] = [...Object.values(emulatedTokens), bindPassword, pushKey];

/** The objects that cases use. Created again for each run: its names and ids are never used twice. */
export type Fixtures = Awaited<ReturnType<typeof newFixtures>>;

let count = 0;

/** The accessor of the login that the emulator has from the start. */
const mountAccessor = "auth_userpass_00000001";

const acme = { issuer: "Acme" };
const services = "ou=services,dc=acme,dc=example";

/** Puts an emulator back to the start and sets up one object of every kind. */
export async function newFixtures(
  emulator: Emulator,
  extras: readonly "directory"[] = [],
  dialect: Dialect = "documented",
) {
  emulator.reset();
  const number = ++count;
  const { provisioning, secrets } = emulator;
  const named = (name: string): string => `${name}-${number}`;
  const [organization, consumer, otherConsumer] = [named("acme"), named("payments"), named("search")];
  const owner = provisioning.addUser({ username: named("owner") });
  for (const name of [organization, consumer, otherConsumer]) {
    provisioning.addOrganization({ name, workspaceLimit: 10 });
  }
  const user = provisioning.addUser({ organization, username: named("user") }).id;
  provisioning.changeOrganization(organization, {
    notificationEmail: "platform@acme.example",
    ownerIds: [owner.id],
    moduleConsumers: [consumer],
    providerConsumers: [consumer],
  });
  const projectOf = (name: string): string => provisioning.addProject({ organization, name }).id;
  const workspaceOf = (name: string): string => provisioning.addWorkspace({ organization, name }).id;
  const [project, otherProject] = [projectOf("first"), projectOf("second")];
  const [workspace, otherWorkspace] = [workspaceOf("web"), workspaceOf("api")];
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
  const [method, freshMethod] = [secrets.addTotpMethod(acme).id, secrets.addTotpMethod(acme).id];
  secrets.addTotpSecret(method, otherEntity);
  secrets.addPushMethod({
    name: "laptop",
    mountAccessor,
    secretKey: pushKey,
    integrationKey: pushKey,
    apiHostname: "api-1.example.com",
  });
  secrets.addSchedulerRole({ name: "operate", type: "management" });
  secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
  secrets.changeSchedulerAccess({ address: "https://10.0.0.4:4646" });
  const mountOf = (type: string): string =>
    emulator.inspect().secrets.mounts.find(({ accessor }) => accessor === `${type}_00000001`)?.path ?? "";
  const [directory, engine] = dialect === "documented" ? ["directory", "scheduler"] : ["ldap", "nomad"];
  const directoryMount = mountOf(directory);
  if (extras.includes("directory")) {
    await addDirectory(emulator, dialect, directoryMount);
  }
  emulator.journal.clear();
  return {
    emulator,
    directoryMount,
    schedulerMount: mountOf(engine),
    organization,
    consumer,
    otherConsumer,
    project,
    otherProject,
    workspace,
    otherWorkspace,
    user,
    notification,
    entity,
    otherEntity,
    alias,
    method,
    /** A method for which the entity has no secret yet. */
    freshMethod,
  };
}

/** The entry that the directory engine binds as. */
const bindName = "cn=binds,dc=acme,dc=example";

/** How accounts of the role `reports` are made. */
const reports = "dn: cn={{.Username}},ou=reports,dc=acme,dc=example";

async function addDirectory({ secrets }: Emulator, dialect: Dialect, mount: string): Promise<void> {
  secrets.addDirectoryEntry({ dn: bindName, password: bindPassword });
  secrets.addDirectoryEntry({ dn: "ou=reports,dc=acme,dc=example" });
  for (const name of ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5"]) {
    secrets.addDirectoryEntry({ dn: `cn=${name},${services}` });
  }
  const api = new SecretsApi(secrets.address, emulatedTokens.secrets, dialect);
  const write = (path: string, body: object) => api.write(`${mount}/${path}`, body);
  await write("config", { binddn: bindName, bindpass: bindPassword, userdn: services });
  await write("static-role/search", { username: "svc-2", rotation_period: "1h" });
  await write("library/lent", { name: "lent", service_account_names: ["svc-3", "svc-5"], ttl: "2h" });
  await write("role/reports", {
    creation_ldif: `${reports}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
    deletion_ldif: `${reports}\nchangetype: delete`,
    default_ttl: "2h",
  });
}
