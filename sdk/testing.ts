/**
 * The emulator: all three services on this machine, for testing a program without any of them.
 *
 * It needs the package `find-my-way` beside this one: `npm install --save-dev find-my-way@9`.
 *
 * @example
 * import assert from "node:assert/strict";
 * import { LocalWorkspace } from "@pulumi/pulumi/automation";
 * import { startEmulator, type Emulator } from "pulumi-trivium/testing";
 *
 * describe("the platform's projects", () => {
 *   let emulator: Emulator;
 *   before(async () => {
 *     emulator = await startEmulator();
 *   });
 *   beforeEach(() => {
 *     emulator.reset();
 *     emulator.provisioning.addOrganization({ name: "acme" });
 *   });
 *   after(async () => emulator.close());
 *
 *   it("come up although the service fails once", async () => {
 *     const fault = emulator.faults.add({ service: "provisioning", method: "POST", status: 503 });
 *     const stack = await LocalWorkspace.createOrSelectStack(
 *       { stackName: "test", workDir: "." },
 *       { envVars: { ...emulator.environment, PULUMI_CONFIG_PASSPHRASE: "test" } },
 *     );
 *     await stack.up();
 *     assert.equal(fault.hits, 1);
 *     assert.ok(emulator.inspect().provisioning.projects.some(({ name }) => name === "web"));
 *   });
 * });
 *
 * @module
 */
export { startEmulator } from "./testing/emulator";
export type {
  Emulator,
  Inspection,
  ProvisioningEmulator,
  SchedulerEmulator,
  SecretsEmulator,
} from "./testing/emulator";
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
export type { Journal, JournalFilter, Statistics } from "./testing/journal";
export type { EmulatorOptions, EmulatorTls } from "./testing/options";
export type {
  DeliveryResponse,
  NotificationConfigurationRecord,
  NotificationConfigurationSettings,
  NotificationDestinationType,
} from "./testing/provisioning/notification-configuration-record";
export type { NotificationConfigurationsInspection } from "./testing/provisioning/notification-configurations";
export type {
  NewNotification,
  NewNotificationConfiguration,
  NotificationConfigurationChange,
  NotificationConfigurationsSetup,
} from "./testing/provisioning/notification-configurations-setup";
export type { RunDescription } from "./testing/provisioning/notification-body";
export type { NotificationDelivery } from "./testing/provisioning/notification-delivery";
export type { OrganizationAttributes, OrganizationRecord } from "./testing/provisioning/organization-record";
export type {
  NewOrganization,
  NewUser,
  NewWorkspace,
  OrganizationsInspection,
  OrganizationsSetup,
} from "./testing/provisioning/organizations";
export type { ProjectsInspection, ProjectsSetup } from "./testing/provisioning/projects";
export type { ProjectRecord, UserRecord, WorkspaceRecord } from "./testing/provisioning/records";
export type {
  ProvisioningAccess,
  ProvisioningRights,
  ProvisioningTokenOptions,
} from "./testing/provisioning/rights";
export type { ProvisioningInspection, ProvisioningSetup } from "./testing/provisioning/service";
export type { RecordedRequest } from "./testing/recorded-request";
export type { RequestFilter } from "./testing/request-filter";
export type { ServiceEmulator } from "./testing/running-service";
export type { EmittedEvent, WireEvent, WireFrame } from "./testing/scheduler/event";
export type { EventStreamInspection, SchedulerEvents } from "./testing/scheduler/event-stream";
export type { SchedulerAccess, SchedulerTokenOptions } from "./testing/scheduler/rights";
export type { SchedulerInspection } from "./testing/scheduler/service";
export type { Subscription, TopicFilter } from "./testing/scheduler/subscription";
export type { ServiceName } from "./testing/service-name";
export type { TokenControl, TokenOptions } from "./testing/tokens";
