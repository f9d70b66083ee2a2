import { listOf, object, problemsOf } from "./forms";
import {
  organizationForm,
  userForm,
  workspaceForm,
  type NewOrganization,
  type NewUser,
  type NewWorkspace,
} from "./provisioning/organizations";
import { projectForm, type NewProject } from "./provisioning/projects";
import type { ProvisioningSetup } from "./provisioning/service";
import { policyForm, type AclSetup, type NewPolicy } from "./scheduler/acl";
import { eventForm, type EmittedEvent } from "./scheduler/event";
import type { SchedulerEvents } from "./scheduler/event-stream";
import { directoryEntryForm, type NewDirectoryEntry } from "./secrets/directory/entries";
import { entityForm, type NewEntity } from "./secrets/entities";
import {
  enforcementForm,
  totpMethodForm,
  type NewEnforcement,
  type NewTotpMethod,
} from "./secrets/mfa/totp-methods";
import { mountForm, type NewMount } from "./secrets/mounts";
import { passwordPolicyForm, type NewPasswordPolicy } from "./secrets/password-policies";
import type { SecretsSetup } from "./secrets/service";

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
  /** Engines and logins of the secrets service, besides those that it always has: see `addMount`. */
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
  /** ACL policies of the scheduler. */
  readonly schedulerPolicies?: readonly NewPolicy[];
  /** Events that have already happened in the scheduler, one frame each, after those of the policies. */
  readonly events?: readonly EmittedEvent[];
}

const seedForm = object<EmulatorSeed>({
  organizations: listOf(organizationForm).optional(),
  users: listOf(userForm).optional(),
  projects: listOf(projectForm).optional(),
  workspaces: listOf(workspaceForm).optional(),
  mounts: listOf(mountForm).optional(),
  entities: listOf(entityForm).optional(),
  totpMethods: listOf(totpMethodForm).optional(),
  enforcements: listOf(enforcementForm).optional(),
  passwordPolicies: listOf(passwordPolicyForm).optional(),
  directoryEntries: listOf(directoryEntryForm).optional(),
  schedulerPolicies: listOf(policyForm).optional(),
  events: listOf(eventForm).optional(),
});

/**
 * @param value what somebody has written, or what a JSON file holds
 * @throws Error with all that is wrong with it
 */
export function checkedSeed(value: unknown = {}): EmulatorSeed {
  const problems = problemsOf(seedForm, value, "seed");
  if (problems.length > 0) {
    throw new Error(`${problems.length === 1 ? "" : "The seed is not valid: "}${problems.join("; ")}`);
  }
  return value as EmulatorSeed;
}

/** What a seed is put into. */
interface SeededServices {
  readonly provisioning: ProvisioningSetup;
  readonly secrets: SecretsSetup;
  readonly scheduler: AclSetup;
  readonly events: SchedulerEvents;
}

/**
 * Puts a seed into services that have nothing but what they always have.
 *
 * @throws Error that names the object which cannot be set up
 */
export function plant(
  seed: EmulatorSeed,
  { provisioning, secrets, scheduler, events }: SeededServices,
): void {
  plantProvisioning(seed, provisioning);
  each("mounts", seed.mounts, (mount) => secrets.addMount(mount));
  each("entities", seed.entities, (entity) => secrets.addEntity(entity));
  each("totpMethods", seed.totpMethods, (method) => secrets.addTotpMethod(method));
  each("enforcements", seed.enforcements, (enforcement) => secrets.addEnforcement(enforcement));
  each("passwordPolicies", seed.passwordPolicies, (policy) => secrets.addPasswordPolicy(policy));
  // An entry also makes those above it, which may be in the list themselves.
  const byDepth = (entry: NewDirectoryEntry): number => entry.dn.split(",").length;
  each("directoryEntries", seed.directoryEntries, (entry) => secrets.addDirectoryEntry(entry), byDepth);
  each("schedulerPolicies", seed.schedulerPolicies, (policy) => scheduler.addPolicy(policy));
  each("events", seed.events, (event) => events.emit(event));
}

function plantProvisioning(
  { organizations, users, projects, workspaces }: EmulatorSeed,
  provisioning: ProvisioningSetup,
): void {
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
}

/** @param rank of what has to come first; default: the order of the list */
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
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`seed.${list}[${index}] cannot be set up: ${reason}`, { cause: error });
    }
  }
}
