import { messageOf } from "../base/errors";
import { anything, count, duration, either, flag, listOf, name, names } from "./schemas";
import { object, oneOf, oneOrMore, problemsOf, recordOf, text, textOrNull } from "./schemas";
import type { Optional, Required, Schema } from "./schemas";
import { organizationAttributes } from "./provisioning/organizations";
import type { ProvisioningSetup } from "./provisioning/service";
import type { NewOrganization, NewProject, NewTeam, NewUser, NewWorkspace } from "./provisioning/types";
import type { ProvisioningRights, ProvisioningTokenOptions } from "./provisioning/types";
import type { AclSetup, EmittedEvent, NewPolicy, SchedulerEvents } from "./scheduler/types";
import type { NewSchedulerLogin, SchedulerAccess, SchedulerTokenOptions } from "./scheduler/types";
import type { SecretsSetup } from "./secrets/service";
import type { NewDirectoryEntry, NewEnforcement, NewEntity, NewMount } from "./secrets/types";
import type { NewLogin, NewPasswordPolicy, NewTotpMethod, SecretsTokenOptions } from "./secrets/types";
import type { ServiceEmulator, TokenOptions } from "./types";

/**
 * The initial contents of the services, as plain data, so that they can be a JSON file. Objects refer to each
 * other by name, or by ids in the seed, which a program can also use. The order of the lists does not matter.
 */
export interface EmulatorSeed {
  /** Organizations of the provisioning service. Their `ownerIds` may be ids or names of users of the seed. */
  readonly organizations?: readonly NewOrganization[];
  /** Users of the provisioning service. */
  readonly users?: readonly NewUser[];
  /** Projects of the provisioning service. */
  readonly projects?: readonly NewProject[];
  /** Workspaces of the provisioning service. */
  readonly workspaces?: readonly NewWorkspace[];
  /** Engines and auth methods of the secrets service, beside those that it always has: see `addMount`. */
  readonly mounts?: readonly NewMount[];
  /** Entities of the secrets service. */
  readonly entities?: readonly NewEntity[];
  /** TOTP methods of the secrets service. */
  readonly totpMethods?: readonly NewTotpMethod[];
  /** Enforcements of the secrets service. Give the methods that they name an `id` in `totpMethods`. */
  readonly enforcements?: readonly NewEnforcement[];
  /** Password policies of the secrets service. */
  readonly passwordPolicies?: readonly NewPasswordPolicy[];
  /** Entries of the directory behind the directory engine. */
  readonly directoryEntries?: readonly NewDirectoryEntry[];
  /** Who may log in to the secrets service, in the hashicorp dialect. Give their entities an `id` in `entities`. */
  readonly logins?: readonly NewLogin[];
  /** Who may log in to the scheduler, in the hashicorp dialect. */
  readonly schedulerLogins?: readonly NewSchedulerLogin[];
  /** Teams of the provisioning service. */
  readonly teams?: readonly NewTeam[];
  /** Tokens of the provisioning service, beside the one with all permissions. Give each a `token`. */
  readonly provisioningTokens?: readonly ProvisioningTokenOptions[];
  /** Tokens of the secrets service, beside the one with all permissions. Give each a `token`. */
  readonly secretsTokens?: readonly SecretsTokenOptions[];
  /** Tokens of the scheduler, beside the one with all permissions. Give each a `token`. */
  readonly schedulerTokens?: readonly SchedulerTokenOptions[];
  /** ACL policies of the scheduler. */
  readonly schedulerPolicies?: readonly NewPolicy[];
  /** Events that have already happened in the scheduler, one frame each, after those of the policies. */
  readonly events?: readonly EmittedEvent[];
}

const objects = <Item>(required: Required<Item>, others: Optional<Item>) =>
  listOf(object<Item>(required, others));
const rights = recordOf(flag) as Schema<Partial<ProvisioningRights>>;
const provisioningAccess = either(oneOf("full", "read", "none"), rights, '"full", "read", "none" or rights');
const readJobs = either(oneOf("*"), names, '"*" or a list of strings');
const readings = { readNodes: flag, readJobs, readAgent: flag };
const schedulerAccess = object<Exclude<SchedulerAccess, string>>({}, readings);
const secretsAccess = oneOf("full", "read", "none");
/** Of every token. */
const token = { name, token: name };
/** Of tokens of the secrets service, and of those that a login gets. */
const secretsToken = {
  ...{ name, entityId: name, displayName: name, policies: names, ttl: duration },
  ...{ access: secretsAccess, paths: recordOf(secretsAccess) },
};
const totpOptions = { period: count, keySize: count, qrSize: count, digits: count, skew: count };

const projectSettings = {
  ...{ description: textOrNull, autoDestroyActivityDuration: textOrNull, tags: recordOf(text) },
  ...{ defaultExecutionMode: textOrNull, defaultAgentPoolId: textOrNull },
};

const seedSchema = object<EmulatorSeed>(
  {},
  {
    organizations: objects<NewOrganization>(
      { name },
      { defaultProjectId: name, ...organizationAttributes(false).schemas() },
    ),
    users: objects<NewUser>({}, { id: name, username: name, organization: oneOrMore }),
    projects: objects<NewProject>({ organization: name, name }, { id: name, ...projectSettings }),
    workspaces: objects<NewWorkspace>({ organization: name }, { id: name, project: name, name }),
    teams: objects<NewTeam>({ organization: name }, { id: name }),
    mounts: objects<NewMount>(
      { type: name, path: name },
      { accessor: name, defaultLeaseTtl: duration, maxLeaseTtl: duration },
    ),
    entities: objects<NewEntity>(
      {},
      { id: name, name, metadata: recordOf(text), policies: names, disabled: flag },
    ),
    totpMethods: objects<NewTotpMethod>(
      { issuer: text },
      {
        id: name,
        ...totpOptions,
        algorithm: oneOf("SHA1", "SHA256", "SHA512"),
        maxValidationAttempts: count,
        ...{ name, enableSelfEnrollment: flag },
      },
    ),
    enforcements: objects<NewEnforcement>({ methodIds: names }, { name }),
    passwordPolicies: objects<NewPasswordPolicy>({ name }, { length: count, characters: name }),
    directoryEntries: objects<NewDirectoryEntry>(
      { dn: name },
      {
        password: textOrNull,
        attributes: recordOf(either(text, listOf(text), "a string or a list of strings")),
        mayManage: flag,
      },
    ),
    logins: objects<NewLogin>(
      { path: name, parameters: recordOf(text) },
      { ...secretsToken, alias: name, metadata: recordOf(text), maxTtl: duration, uses: count },
    ),
    schedulerLogins: objects<NewSchedulerLogin>(
      { method: name, jwt: name },
      { type: oneOf("client", "management"), policies: names, ttl: duration },
    ),
    provisioningTokens: objects<ProvisioningTokenOptions>(
      {},
      {
        ...{ ...token, access: provisioningAccess, siteAdministrator: flag, serviceAccount: flag },
        ...{ organizations: recordOf(provisioningAccess), projects: recordOf(provisioningAccess) },
      },
    ),
    secretsTokens: objects<SecretsTokenOptions>({}, { ...token, ...secretsToken }),
    schedulerTokens: objects<SchedulerTokenOptions>(
      {},
      { ...token, access: either(oneOf("management"), schedulerAccess, '"management" or rights') },
    ),
    schedulerPolicies: objects<NewPolicy>({ name }, { readNodes: flag, readJobs }),
    events: objects<EmittedEvent>(
      { topic: name, type: name, key: text },
      { namespace: text, filterKeys: listOf(text), payload: recordOf(anything) },
    ),
  },
);

/** @throws Error with all problems of the seed */
export function validSeed(value: unknown = {}): EmulatorSeed {
  const problems = problemsOf(seedSchema, value, "seed");
  if (problems.length > 0) {
    throw new Error(`${problems.length === 1 ? "" : "The seed is not valid: "}${problems.join("; ")}`);
  }
  return value as EmulatorSeed;
}

type TokenAdder<Options extends TokenOptions> = Pick<ServiceEmulator<Options>, "addToken">;

interface SeededServices {
  readonly provisioning: ProvisioningSetup & TokenAdder<ProvisioningTokenOptions>;
  readonly secrets: SecretsSetup & TokenAdder<SecretsTokenOptions>;
  readonly scheduler: AclSetup & TokenAdder<SchedulerTokenOptions>;
  readonly events: SchedulerEvents;
}

/** @throws Error that names the object that cannot be set up */
export function applySeed(
  seed: EmulatorSeed,
  { provisioning, secrets, scheduler, events }: SeededServices,
): void {
  const { organizations, users, projects, workspaces } = seed;
  const userIds = new Map<string, string>();
  each("organizations", organizations, ({ ownerIds, moduleConsumers, providerConsumers, ...organization }) =>
    provisioning.addOrganization(organization),
  );
  each("users", users, (user) => {
    const { username, id } = provisioning.addUser(user);
    userIds.set(username, id);
  });
  each("organizations", organizations, ({ name, ownerIds, moduleConsumers, providerConsumers }) =>
    provisioning.changeOrganization(name, {
      ...(ownerIds && { ownerIds: ownerIds.map((owner) => userIds.get(owner) ?? owner) }),
      ...(moduleConsumers && { moduleConsumers }),
      ...(providerConsumers && { providerConsumers }),
    }),
  );
  each("projects", projects, (project) => provisioning.addProject(project));
  each("workspaces", workspaces, (workspace) => provisioning.addWorkspace(workspace));
  each("teams", seed.teams, (team) => provisioning.addTeam(team));
  each("mounts", seed.mounts, (mount) => secrets.addMount(mount));
  each("entities", seed.entities, (entity) => secrets.addEntity(entity));
  each("totpMethods", seed.totpMethods, (method) => secrets.addTotpMethod(method));
  each("enforcements", seed.enforcements, (enforcement) => secrets.addEnforcement(enforcement));
  each("passwordPolicies", seed.passwordPolicies, (policy) => secrets.addPasswordPolicy(policy));
  // Adding an entry also adds its parents, which may be in the list themselves.
  const byDepth = (entry: NewDirectoryEntry): number => entry.dn.split(",").length;
  each("directoryEntries", seed.directoryEntries, (entry) => secrets.addDirectoryEntry(entry), byDepth);
  each("logins", seed.logins, (login) => secrets.addLogin(login));
  each("schedulerLogins", seed.schedulerLogins, (login) => scheduler.addLogin(login));
  each("provisioningTokens", seed.provisioningTokens, (options) => provisioning.addToken(options));
  each("secretsTokens", seed.secretsTokens, (options) => secrets.addToken(options));
  each("schedulerTokens", seed.schedulerTokens, (options) => scheduler.addToken(options));
  each("schedulerPolicies", seed.schedulerPolicies, (policy) => scheduler.addPolicy(policy));
  each("events", seed.events, (event) => events.emit(event));
}

/** @param rank lower ranks first; default: the order of the list */
function each<Item>(
  list: string,
  items: readonly Item[] = [],
  add: (item: Item) => unknown,
  rank: (item: Item) => number = () => 0,
): void {
  const entries = [...items.entries()].sort(([, one], [, other]) => rank(one) - rank(other));
  for (const [index, item] of entries) {
    try {
      add(item);
    } catch (error) {
      const reason = messageOf(error);
      throw new Error(`seed.${list}[${index}] cannot be set up: ${reason}`, { cause: error });
    }
  }
}
