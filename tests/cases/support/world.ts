import type { Inspection } from "pulumi-trivium/testing";
import type { SecretsApi } from "../../engine/support/api";
import type { Dialect, Surroundings, Values } from "./case";

export type ServiceName = "provisioning" | "secrets" | "scheduler";

/** What a real server, or whoever owns it, may lack: a step or a case that needs it is left out there. */
export type Need =
  | "provisioning service"
  | "another organization"
  | "site administrator"
  | "receiver"
  | "secrets service"
  | "step-up methods"
  | "directory engine"
  | "directory"
  | "own passwords"
  | "scheduler engine"
  | "scheduler"
  | "scheduler with ACLs";

/**
 * Where a case runs: the emulator, or real servers. A case asks it for what its resource needs, and learns nothing of
 * how that is made; so each case runs in every world. All that was made ends with the world.
 */
export interface World {
  readonly dialect: Dialect;
  /** How long what a service issues in it is to live. */
  readonly lifetime: string;
  /** A name that nothing else has, not even in an earlier run. */
  freshName(name: string): string;
  /** Its surroundings for a resource of one service. */
  surroundings(
    service: ServiceName,
    objects: (inspection: Inspection) => readonly object[],
  ): WorldSurroundings;
  readonly provisioning: ProvisioningWorld;
  readonly secrets: SecretsWorld;
  readonly scheduler: SchedulerWorld;
  /** Takes away all that was made. */
  close(): Promise<void>;
}

/** The surroundings of a case that runs in any world. */
export interface WorldSurroundings extends Surroundings {
  readonly world: World;
}

/** A workspace or a project, by its id. */
export type Id = string;

/** The provisioning service: an owner's view. */
export interface ProvisioningWorld {
  /** The names of organizations to work in, as many as there are up to `count`. */
  organizations(count: number): Promise<readonly string[]>;
  /** New organizations for a site administrator. */
  newOrganizations(count: number): Promise<readonly string[]>;
  addWorkspaces(organization: string, count: number): Promise<readonly Id[]>;
  addProjects(organization: string, count: number): Promise<readonly Id[]>;
  defaultProject(organization: string): Promise<Id>;
  /** Where a workspace is. */
  projectOf(workspaceId: Id): Promise<Id>;
  /** Whether there is something at a path of the service's interface, such as `projects/prj-1`. */
  has(path: string): Promise<boolean>;
  /** Changes attributes of what is at a path. */
  change(path: string, type: string, attributes: Values): Promise<void>;
  remove(path: string): Promise<void>;
  /** Something that answers notifications well. */
  receiver(): Promise<{ readonly address: string; readonly requests: readonly Notification[] }>;
  organization(name: string): Promise<OrganizationState>;
  changeOrganization(name: string, change: Partial<OrganizationState>): Promise<void>;
}

/** What a receiver got. */
export interface Notification {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Of an organization, what cases look at. */
export interface OrganizationState {
  readonly isDisabled: boolean;
  readonly accessBetaTools: boolean;
  readonly workspaceLimit: number | null;
  readonly iacBuildWorkerApplyTimeout: string | null;
  readonly moduleConsumers: readonly string[];
}

/** The secrets service: an operator's view. */
export interface SecretsWorld {
  readonly api: SecretsApi;
  /** The id of a new entity. */
  addEntity(): Promise<Id>;
  /** The id of a new TOTP method. */
  addTotpMethod(): Promise<Id>;
  /** The accessor of a new way to log in. */
  addLogin(): Promise<string>;
  /** Mounts an engine twice. */
  mount(engine: EngineType): Promise<EngineMounts>;
  readonly directory: Directory;
}

export type EngineType = "directory" | "scheduler";

/** The paths at which an engine is mounted. */
export interface EngineMounts {
  readonly mount: string;
  readonly otherMount: string;
  /** The arguments by which a program means `mount`: none where that is the usual one. */
  readonly given: Values;
}

/** The directory behind the directory engine. */
export interface Directory {
  readonly url: string;
  /** The entry below which everything is made. */
  base(): Promise<string>;
  /** Adds an entry below the base, named by `cn`, and tells its name. Without a password nobody can bind as it. */
  add(name: string, password?: string): Promise<string>;
  /** An entry that may change those below the base. */
  administrator(): Promise<{ readonly dn: string; readonly password: string }>;
  /** Whether one can bind so. */
  accepts(dn: string, password: string): Promise<boolean>;
  /** The names of the entries right below one. */
  below(dn: string): Promise<readonly string[]>;
}

/** The scheduler: an operator's view. */
export interface SchedulerWorld {
  readonly address: string;
  /** A token that may do everything. */
  readonly token: string;
  /** Whether a token that was issued is valid. */
  knowsToken(accessorId: Id): Promise<boolean>;
  /** Has two things happen and says how one follows them: by a key of its own each, and the first by `filter` too. */
  happen(): Promise<{
    readonly topic: string;
    readonly type: string;
    readonly filter: string;
    readonly keys: readonly [string, string];
  }>;
}
