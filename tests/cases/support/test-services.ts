import type * as trivium from "pulumi-trivium";
import type { Emulator, Inspection } from "pulumi-trivium/testing";
import type { ProvisioningApi, SecretsApi } from "../../engine/support/api";
import type { Dialect, Values } from "./case";

export type ServiceName = "provisioning" | "secrets" | "scheduler";

/** What a real server may lack: a step or a case that needs it is skipped there. */
export type Need =
  | "provisioning service"
  | "another organization"
  | "site administrator"
  | "receiver"
  | "secrets service"
  | "step-up methods"
  | "directory engine"
  | "Vault Enterprise"
  | "directory"
  | "own passwords"
  | "scheduler engine"
  | "scheduler"
  | "scheduler with ACLs";

/** The emulator or real servers. Cases only use this interface, so that each runs with both. */
export interface TestServices {
  readonly dialect: Dialect;
  /** Lifetime of what a service issues. */
  readonly lifetime: string;
  /** Unique, even among earlier runs. */
  freshName(name: string): string;
  context(service: ServiceName, objects: (inspection: Inspection) => readonly object[]): CaseContext;
  readonly provisioning: TestProvisioning;
  readonly secrets: TestSecrets;
  readonly scheduler: TestScheduler;
  /** Deletes everything that was created. */
  close(): Promise<void>;
}

export interface CaseContext {
  readonly services: TestServices;
  /** Without the dialect, which is added. */
  readonly connection: trivium.ProviderArgs;
  /** Absent when a real server is used. */
  readonly emulator?: Emulator;
  /** The objects of this kind as the service holds them; absent for a real server. */
  readonly objects?: () => readonly Values[];
  /** Requests so far; absent for a real server. */
  readonly requests?: () => number;
  readonly close: () => Promise<void>;
}

export type Id = string;

/** The emulator has it at once. */
type Soon<Value> = Promise<Value> | Value;

export interface TestProvisioning {
  readonly api: ProvisioningApi;
  /** Existing organizations, at most `count`. */
  organizations(count: number): Soon<readonly string[]>;
  newOrganizations(count: number): Soon<readonly string[]>;
  addWorkspaces(organization: string, count: number): Soon<readonly Id[]>;
  addProjects(organization: string, count: number): Soon<readonly Id[]>;
  addTeams(organization: string, count: number): Soon<readonly Id[]>;
  defaultProject(organization: string): Soon<Id>;
  projectOf(workspaceId: Id): Soon<Id>;
  /** @returns the address of a receiver that accepts all notifications */
  receiver(): Soon<string>;
  organization(name: string): Promise<OrganizationState>;
  changeOrganization(name: string, change: Partial<OrganizationState>): Soon<void>;
}

/** The attributes that cases check. */
export interface OrganizationState {
  readonly isDisabled: boolean;
  readonly accessBetaTools: boolean;
  readonly workspaceLimit: number | null;
  readonly iacBuildWorkerApplyTimeout: string | null;
  readonly moduleConsumers: readonly string[];
  readonly providerConsumers: readonly string[];
}

export interface TestSecrets {
  readonly api: SecretsApi;
  addEntity(): Soon<Id>;
  addTotpMethod(): Soon<Id>;
  addLogin(): Soon<string>;
  /** Mounts an engine twice. */
  mount(engine: EngineType): Soon<EngineMounts>;
  readonly directory: Directory;
}

export type EngineType = "directory" | "scheduler";

export interface EngineMounts {
  readonly mount: string;
  readonly otherMount: string;
  /** Arguments for `mount`; empty for the default mount. */
  readonly given: Values;
}

export interface Directory {
  readonly url: string;
  base(): Soon<string>;
  /** @returns the DN; without a password nobody can bind as it */
  add(name: string, password?: string): Soon<string>;
  /** An entry that may change those below the base. */
  administrator(): Soon<{ readonly dn: string; readonly password: string }>;
  accepts(dn: string, password: string): Promise<boolean>;
  /** Only direct children. */
  below(dn: string): Soon<readonly string[]>;
}

export interface TestScheduler {
  readonly address: string;
  readonly token: string;
  knowsToken(accessorId: Id): Promise<boolean>;
  /** Emits two events with keys of their own, the first also selectable by `filter`. */
  happen(): Soon<{
    readonly topic: string;
    readonly type: string;
    readonly filter: string;
    readonly keys: readonly [string, string];
  }>;
}
