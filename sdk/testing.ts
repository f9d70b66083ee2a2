/**
 * The emulator of all three services on this machine, for testing programs without a server: the provisioning service
 * (HCP Terraform and Terraform Enterprise), the secrets service (Vault and OpenBao) and the scheduler (Nomad).
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
import { allowDefaultImport } from "./base/default-import";
import "./base/node-version";
export { startEmulator } from "./testing/emulator";
export type { Emulator, EmulatorOptions, Inspection } from "./testing/emulator";
export type { ProvisioningEmulator, SchedulerEmulator, SecretsEmulator } from "./testing/emulator";
export type { EmulatorSeed } from "./testing/seed";
export type { ProvisioningInspection, ProvisioningSetup } from "./testing/provisioning/service";
export type { SecretsSetup } from "./testing/secrets/service";
export type * from "./testing/types";
export type * from "./testing/provisioning/types";
export type * from "./testing/scheduler/types";
export type * from "./testing/secrets/types";
export type { Duration } from "./testing/duration";
export type { TokenOptions } from "./testing/schemas";
export type { OrganizationAttributes, NewOrganization, NewWorkspace } from "./testing/provisioning/seeds";
export type { NewUser, NewTeam, ProjectSettings, NewProject } from "./testing/provisioning/seeds";
export type { ProvisioningRights, ProvisioningAccess } from "./testing/provisioning/seeds";
export type { ProvisioningTokenOptions } from "./testing/provisioning/seeds";
export type { NewPolicy, AclTokenType, NewSchedulerLogin, EmittedEvent } from "./testing/scheduler/seeds";
export type { SchedulerRights, SchedulerAccess, SchedulerTokenOptions } from "./testing/scheduler/seeds";
export type { DirectoryEntrySettings, NewDirectoryEntry, NewEntity } from "./testing/secrets/seeds";
export type { NewEnforcement, TotpAlgorithm, TotpParameters } from "./testing/secrets/seeds";
export type { TotpMethodSettings, NewTotpMethod, NewMount } from "./testing/secrets/seeds";
export type { NewPasswordPolicy, SecretsAccess, SecretsTokenOptions } from "./testing/secrets/seeds";
export type { NewLogin } from "./testing/secrets/seeds";
export type { AutomatedRotation, DynamicRoleRecord, LibrarySetRecord } from "./testing/secrets/objects";
export type { PushMethodSettings, SchedulerAccessRecord } from "./testing/secrets/objects";
export type { SchedulerLeaseRecord, SchedulerRoleRecord } from "./testing/secrets/objects";

allowDefaultImport(module.exports as object);
