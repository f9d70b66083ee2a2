/**
 * The emulator: all three services on this machine, for testing a program without any of them.
 *
 * It requires the package `find-my-way`: `npm install --save-dev find-my-way@9`. TOTP secrets with a barcode
 * also require `qrcode`: `npm install --save-dev qrcode@1`.
 *
 * @example
 * import assert from "node:assert/strict";
 * import { after, before, beforeEach, test } from "node:test";
 * import { LocalWorkspace } from "@pulumi/pulumi/automation";
 * import { startEmulator, type Emulator } from "pulumi-trivium/testing";
 *
 * let emulator: Emulator;
 * before(async () => {
 *   emulator = await startEmulator({ seed: { organizations: [{ name: "acme" }] } });
 * });
 * beforeEach(() => emulator.reset());
 * after(async () => emulator.close());
 *
 * test("the platform's projects come up although the service fails once", async () => {
 *   const unavailable = { status: 503, headers: { "Retry-After": "1" } };
 *   const fault = emulator.faults.add({ service: "provisioning", method: "POST", ...unavailable });
 *   const stack = await LocalWorkspace.createOrSelectStack(
 *     { stackName: "test", workDir: "." },
 *     { envVars: { ...emulator.environment, PULUMI_CONFIG_PASSPHRASE: "test" } },
 *   );
 *   await stack.up();
 *   assert.equal(fault.hits, 1);
 *   assert.ok(emulator.inspect().provisioning.projects.some(({ name }) => name === "web"));
 * });
 *
 * @module
 */
export { startEmulator } from "./testing/emulator";
export type {
  Emulator,
  EmulatorOptions,
  Inspection,
  ProvisioningEmulator,
  SchedulerEmulator,
  SecretsEmulator,
} from "./testing/emulator";
export type { EmulatorDialect, ServiceName } from "./testing/dialect";
export type { Duration } from "./testing/duration";
export type {
  DelayFault,
  DropFault,
  Fault,
  FaultFrequency,
  FaultHandle,
  FaultMoment,
  Faults,
  LatencyFault,
  RefuseFault,
  StatusFault,
  TruncateFault,
} from "./testing/faults";
export type { EmulatorSeed } from "./testing/seed";
export type { Journal, JournalFilter, Statistics } from "./testing/journal";
export type { RunDescription } from "./testing/provisioning/notification-body";
export type {
  NewNotification,
  NewNotificationConfiguration,
  NotificationConfigurationChange,
  NotificationConfigurationsInspection,
  NotificationConfigurationsSetup,
} from "./testing/provisioning/notification-configurations";
export type { NotificationDelivery } from "./testing/provisioning/notification-delivery";
export type {
  NewOrganization,
  NewUser,
  NewWorkspace,
  OrganizationsInspection,
  OrganizationsSetup,
} from "./testing/provisioning/organizations";
export type { NewProject, ProjectsInspection, ProjectsSetup } from "./testing/provisioning/projects";
export type {
  DeliveryResponse,
  NotificationConfigurationRecord,
  NotificationConfigurationSettings,
  NotificationDestinationType,
  OrganizationAttributes,
  OrganizationRecord,
  ProjectRecord,
  UserRecord,
  WorkspaceRecord,
} from "./testing/provisioning/records";
export type {
  ProvisioningAccess,
  ProvisioningRights,
  ProvisioningTokenOptions,
} from "./testing/provisioning/rights";
export type {
  ProvisioningEmulatorOptions,
  ProvisioningInspection,
  ProvisioningSetup,
} from "./testing/provisioning/service";
export type { RecordedRequest, RequestFilter } from "./testing/recorded-request";
export type { ServiceEmulator } from "./testing/running-service";
export type { EmulatorTls } from "./testing/server";
export type {
  AclInspection,
  AclSetup,
  AclTokenRecord,
  AclTokenType,
  NewPolicy,
  NewSchedulerLogin,
  PolicyRecord,
} from "./testing/scheduler/acl";
export type { EmittedEvent, WireEvent, WireFrame } from "./testing/scheduler/event";
export type { EventStreamInspection, SchedulerEvents } from "./testing/scheduler/event-stream";
export type { SchedulerAccess, SchedulerTokenOptions } from "./testing/scheduler/rights";
export type { SchedulerEmulatorOptions, SchedulerInspection } from "./testing/scheduler/service";
export type { Subscription, TopicFilter } from "./testing/scheduler/subscription";
export type {
  DirectoryConfigInspection,
  DirectoryConfigRecord,
  DirectoryConfigSetup,
  DirectorySchema,
} from "./testing/secrets/directory/config";
export type {
  DirectoryDynamicRolesInspection,
  DirectoryDynamicRolesSetup,
  DynamicRoleRecord,
  IssuedAccountRecord,
} from "./testing/secrets/directory/dynamic-roles";
export type {
  DirectoryEntriesInspection,
  DirectoryEntriesSetup,
  DirectoryEntrySettings,
  NewDirectoryEntry,
} from "./testing/secrets/directory/entries";
export type { DirectoryEntryRecord } from "./testing/secrets/directory/ldap/directory";
export type {
  CheckOutRecord,
  DirectoryLibraryInspection,
  DirectoryLibrarySetup,
  LibraryAccountRecord,
  LibrarySetRecord,
} from "./testing/secrets/directory/library-sets";
export type {
  DirectoryStaticRolesInspection,
  DirectoryStaticRolesSetup,
  StaticRoleRecord,
} from "./testing/secrets/directory/static-roles";
export type { EntityRecord, NewEntity } from "./testing/secrets/entities";
export type { FoundationInspection, FoundationSetup } from "./testing/secrets/foundation";
export type {
  EntityAliasChange,
  EntityAliasesInspection,
  EntityAliasesSetup,
  EntityAliasRecord,
  NewEntityAlias,
} from "./testing/secrets/identity/entity-aliases";
export type { LeaseRecord } from "./testing/secrets/leases";
export type {
  NewPushMethod,
  PushMethodRecord,
  PushMethodSettings,
  PushMethodsInspection,
  PushMethodsSetup,
} from "./testing/secrets/mfa/push-methods";
export type {
  EnforcementRecord,
  NewEnforcement,
  NewTotpMethod,
  TotpAlgorithm,
  TotpMethodRecord,
  TotpMethodSettings,
  TotpMethodsInspection,
  TotpMethodsSetup,
  TotpParameters,
} from "./testing/secrets/mfa/totp-methods";
export type {
  TotpSecretRecord,
  TotpSecretsInspection,
  TotpSecretsSetup,
} from "./testing/secrets/mfa/totp-secrets";
export type { LoginSetup, NewLogin } from "./testing/secrets/logins";
export type { MountPath, MountRecord, NewMount } from "./testing/secrets/mounts";
export type { NewPasswordPolicy, PasswordPolicyRecord } from "./testing/secrets/password-policies";
export type { SecretsAccess, SecretsTokenOptions } from "./testing/secrets/rights";
export type {
  SchedulerAccessInspection,
  SchedulerAccessRecord,
  SchedulerAccessSetup,
  SchedulerReads,
} from "./testing/secrets/scheduler/access";
export type { SecretsEmulatorOptions } from "./testing/secrets/scheduler/engine";
export type {
  SchedulerLeaseInspection,
  SchedulerLeaseRecord,
  SchedulerLeaseSetup,
} from "./testing/secrets/scheduler/lease";
export type {
  NewSchedulerRole,
  SchedulerRoleRecord,
  SchedulerRolesInspection,
  SchedulerRolesSetup,
} from "./testing/secrets/scheduler/roles";
export type { SecretsInspection, SecretsSetup } from "./testing/secrets/service";
export type { TokenControl, TokenOptions } from "./testing/tokens";
