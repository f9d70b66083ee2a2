import { joinedProblems } from "../base/nearest";
import { messageOf } from "../base/errors";
import {
  listOf,
  type Members,
  name,
  object,
  optional,
  partial,
  problemsOf,
  type Schemas,
  type TokenOptions,
  tokenOptions,
} from "./schemas";
import * as inProvisioning from "./provisioning/seeds";
import type { ProvisioningSetup } from "./provisioning/service";
import * as inScheduler from "./scheduler/seeds";
import type { AclSetup, SchedulerEvents } from "./scheduler/types";
import * as inSecrets from "./secrets/seeds";
import type { SecretsSetup } from "./secrets/service";
import type { ServiceEmulator } from "./types";

const seeds = <Item>(table: Schemas<Item>) => optional(listOf(object<Item>(table)));

const lists = {
  /** Organizations of the provisioning service. `ownerIds` can contain IDs or names of users in the seed. */
  organizations: seeds<inProvisioning.NewOrganization>({
    ...partial(inProvisioning.organizationSettings),
    ...inProvisioning.newOrganization,
  }),
  /** Users of the provisioning service. */
  users: seeds<inProvisioning.NewUser>(inProvisioning.newUser),
  /** Projects of the provisioning service. */
  projects: seeds<inProvisioning.NewProject>({
    ...partial(inProvisioning.projectSettings),
    ...inProvisioning.newProject,
  }),
  /** Workspaces of the provisioning service. */
  workspaces: seeds<inProvisioning.NewWorkspace>(inProvisioning.newWorkspace),
  /** Engines and auth methods of the secrets service, in addition to the initial ones; see `addMount`. */
  mounts: seeds<inSecrets.NewMount>(inSecrets.newMount),
  /** Entities of the secrets service. */
  entities: seeds<inSecrets.NewEntity>(inSecrets.newEntity),
  /** TOTP methods of the secrets service. */
  totpMethods: seeds<inSecrets.NewTotpMethod>(inSecrets.newTotpMethod),
  /** Enforcements of the secrets service. Set the `id` of their methods in `totpMethods`. */
  enforcements: seeds<inSecrets.NewEnforcement>(inSecrets.newEnforcement),
  /** Password policies of the secrets service. */
  passwordPolicies: seeds<inSecrets.NewPasswordPolicy>(inSecrets.newPasswordPolicy),
  /** Entries of the directory behind the directory engine. */
  directoryEntries: seeds<inSecrets.NewDirectoryEntry>({ dn: name, ...inSecrets.entrySettings }),
  /**
   * Logins to the secrets service, in the hashicorp dialect. Set the `id` of their entities in `entities`.
   */
  logins: seeds<inSecrets.NewLogin>({
    name: tokenOptions.name,
    ...inSecrets.secretsToken,
    ...inSecrets.newLogin,
  }),
  /** Logins to the scheduler, in the hashicorp dialect. */
  schedulerLogins: seeds<inScheduler.NewSchedulerLogin>(inScheduler.newSchedulerLogin),
  /** Teams of the provisioning service. */
  teams: seeds<inProvisioning.NewTeam>(inProvisioning.newTeam),
  /**
   * Tokens of the provisioning service, in addition to the one with all permissions. Set the `token` of each.
   */
  provisioningTokens: seeds<inProvisioning.ProvisioningTokenOptions>({
    ...tokenOptions,
    ...inProvisioning.provisioningToken,
  }),
  /** Tokens of the secrets service, in addition to the one with all permissions. Set the `token` of each. */
  secretsTokens: seeds<inSecrets.SecretsTokenOptions>({ ...tokenOptions, ...inSecrets.secretsToken }),
  /** Tokens of the scheduler, in addition to the one with all permissions. Set the `token` of each. */
  schedulerTokens: seeds<inScheduler.SchedulerTokenOptions>({
    ...tokenOptions,
    ...inScheduler.schedulerToken,
  }),
  /** ACL policies of the scheduler. */
  schedulerPolicies: seeds<inScheduler.NewPolicy>(inScheduler.newPolicy),
  /** Events that have already happened in the scheduler, one frame each, after those of the policies. */
  events: seeds<inScheduler.EmittedEvent>(inScheduler.emittedEvent),
};

/**
 * The initial contents of the services, as plain data, so that they can be a JSON file. Objects refer to each other by
 * name, or by IDs in the seed, which a program can also use. The order of the lists does not matter.
 */
export interface EmulatorSeed extends Members<typeof lists> {}

const seedSchema = object<EmulatorSeed>(lists);

/** @throws Error with all problems of the seed */
export function validSeed(value: unknown = {}): EmulatorSeed {
  const problems = problemsOf(seedSchema, value, "seed");
  if (problems.length > 0) {
    throw new Error(`${problems.length === 1 ? "" : "The seed is not valid: "}${joinedProblems(problems)}`);
  }
  return value as EmulatorSeed;
}

type TokenAdder<Options extends TokenOptions> = Pick<ServiceEmulator<Options>, "addToken">;

interface SeededServices {
  readonly provisioning: ProvisioningSetup & TokenAdder<inProvisioning.ProvisioningTokenOptions>;
  readonly secrets: SecretsSetup & TokenAdder<inSecrets.SecretsTokenOptions>;
  readonly scheduler: AclSetup & TokenAdder<inScheduler.SchedulerTokenOptions>;
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
  // Adding an entry also adds its parents, which can be in the list themselves.
  const byDepth = (entry: inSecrets.NewDirectoryEntry): number => entry.dn.split(",").length;
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
