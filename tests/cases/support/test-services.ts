import type * as trivium from "pulumi-trivium";
import type { Emulator, Inspection } from "pulumi-trivium/testing";
import type { Dialect, Values } from "./case";
import type { provisioningOf, schedulerOf, secretsOf } from "./emulated-services";

export type ServiceName = "provisioning" | "secrets" | "scheduler";

/** What a real server might lack; a step or a case that needs it is then skipped. */
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

/** The same of the emulator, which has it at once, or of a real server. */
export type Served<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result extends Promise<unknown> ? Result : Result | Promise<Result>
    : Part[Name];
};

export type TestProvisioning = Served<ReturnType<typeof provisioningOf>>;
export type TestSecrets = Served<ReturnType<typeof secretsOf>>;
export type Directory = TestSecrets["directory"];
export type TestScheduler = Served<ReturnType<typeof schedulerOf>>;

/** The attributes that cases check. */
export interface OrganizationState {
  readonly isDisabled: boolean;
  readonly accessBetaTools: boolean;
  readonly workspaceLimit: number | null;
  readonly iacBuildWorkerApplyTimeout: string | null;
  readonly moduleConsumers: readonly string[];
  readonly providerConsumers: readonly string[];
}

export type EngineType = "directory" | "scheduler";

export interface EngineMounts {
  readonly mount: string;
  readonly otherMount: string;
  /** Arguments for `mount`; empty for the default mount. */
  readonly given: Values;
}

/** Two events with keys of their own, of which `filter` selects the first too. */
export interface Happening {
  readonly topic: string;
  readonly type: string;
  readonly filter: string;
  readonly keys: readonly [string, string];
}
