import * as library from "../../../sdk";
import { collectDefinitions } from "../../../sdk/resource/definition";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";

/** What may be shown nowhere, and be written into no file in clear. */
export const canaries = {
  secretsToken: "canary-secrets-token-8d2f61",
  url: "https://hooks.example.com/canary-url-3f1a",
  signingKey: "canary-signing-key-9c40",
  secretKey: "canary-secret-key-1b7e",
  integrationKey: "canary-integration-key-1d55",
  bindPassword: "canary-bind-password-77ce",
  managementToken: "canary-management-token-51c0",
} as const;

/** Services that hold something of every class that can be imported, as other hands than Pulumi's have made it. */
export interface World {
  readonly emulator: Emulator;
  /** The id of the workspace that has notification configurations. */
  readonly workspaceId: string;
  /** The options of the command that import everything. */
  readonly options: readonly string[];
  close(): Promise<void>;
}

const bindName = "cn=binder,dc=acme,dc=example";
const teamMount = "teams/eu/ldap";

/** What a deletion template says, with what must be kept as it is: `${`, a backslash and a backquote. */
const deletionLdif = [
  "dn: cn={{.Username}},ou=services,dc=acme,dc=example",
  "changetype: modify",
  "replace: description",
  "description: a ` and ${x} and \\",
  "-",
].join("\n");

/** Makes services with objects. */
export async function makeWorld(): Promise<World> {
  const emulator = await startEmulator({ tokens: { secrets: canaries.secretsToken } });
  const { provisioning, secrets } = emulator;
  for (const name of ["acme", "payments", "search"]) {
    provisioning.addOrganization({ name });
  }
  const workspaceId = provisioning.addWorkspace({ organization: "acme" }).id;
  secrets.addMount({ type: "directory", path: teamMount });
  secrets.addDirectoryEntry({ dn: bindName, password: canaries.bindPassword });
  for (const name of ["svc-1", "svc-2", "svc-3", "svc-4"]) {
    secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=acme,dc=example` });
  }
  const entity = secrets.addEntity({}).id;
  const make = (type: string, args: Properties): Promise<unknown> => {
    const definition = collectDefinitions(library).get(type);
    return new Managed(definition, emulator).up(args);
  };

  await make("provisioning:Project", { organization: "acme", name: "payments production" });
  await make("provisioning:AdminOrganization", {
    name: "acme",
    workspaceLimit: 200,
    iacBuildWorkerPlanTimeout: "90m",
  });
  await make("provisioning:ModuleConsumers", { organization: "acme", consumers: ["search", "payments"] });
  const notification = {
    workspaceId,
    name: "deployments",
    url: canaries.url,
    triggers: ["run:completed", "run:errored", "run:needs_attention", "assessment:drifted"],
  };
  await make("provisioning:NotificationConfiguration", {
    ...notification,
    destinationType: "generic",
    token: canaries.signingKey,
  });
  await make("provisioning:NotificationConfiguration", { ...notification, destinationType: "chat-a" });

  await make("secrets/identity:EntityAlias", {
    name: "alice@example.com",
    canonicalId: entity,
    mountAccessor: "auth_userpass_00000001",
    customMetadata: { team: "payments", "cost center": 'the "7"' },
  });
  await make("secrets/mfa:TotpMethod", { issuer: "Acme", digits: 8, period: "1m" });
  await make("secrets/mfa:TotpMethod", { issuer: "Größe 支付" });
  await make("secrets/mfa:PushMethod", {
    name: "phone",
    mountAccessor: "auth_userpass_00000001",
    usernameFormat: "{{alias.name}}@example.com",
    secretKey: canaries.secretKey,
    integrationKey: canaries.integrationKey,
    apiHostname: "api-1234.example.com",
  });

  for (const mount of ["ldap", teamMount]) {
    await make("secrets/directory:Config", {
      mount,
      binddn: bindName,
      bindpass: canaries.bindPassword,
      url: "ldaps://ldap.acme.example",
      userdn: "ou=services,dc=acme,dc=example",
    });
  }
  await make("secrets/directory:StaticRole", {
    roleName: "payments",
    username: "svc-1",
    dn: "cn=svc-1,ou=services,dc=acme,dc=example",
    rotationPeriod: "36h",
  });
  await make("secrets/directory:StaticRole", {
    mount: teamMount,
    roleName: "payments",
    username: "svc-2",
    rotationPeriod: 90,
  });
  await make("secrets/directory:DynamicRole", {
    roleName: "operators",
    creationLdif: [
      "dn: cn={{.Username}},ou=services,dc=acme,dc=example",
      "changetype: add",
      "objectClass: person",
      "userPassword: {{.Password}}",
    ].join("\n"),
    deletionLdif,
    defaultTtl: "1h",
  });
  await make("secrets/directory:LibrarySet", {
    name: "night-shift",
    serviceAccountNames: ["svc-3", "svc-4"],
    ttl: "8h",
  });

  await make("secrets/scheduler:Access", {
    address: emulator.scheduler.address,
    token: canaries.managementToken,
  });
  await make("secrets/scheduler:Lease", { ttl: "1h", maxTtl: "24h" });
  await make("secrets/scheduler:Role", { name: "deploy", policies: ["job-submit", "node-read"] });
  await make("secrets/scheduler:Role", { name: "operate", type: "management" });
  emulator.journal.clear();

  return {
    emulator,
    workspaceId,
    options: [
      ...["--organization", "acme", "--admin-organization", "acme", "--workspace", workspaceId],
      ...["--directory", "ldap", "--directory", teamMount, "--scheduler", "scheduler"],
      ...["--entity-aliases", "--mfa"],
      ...["--resource", "PushMethod=phone", "--resource", "secrets.directory.DynamicRole=ldap/operators"],
    ],
    close: () => emulator.close(),
  };
}
