import { certificates } from "../../support/certificates";
import { bindName, canaries, ldif, mountAccessor, type Scene } from "./scene";

/** Arguments as a program gives them. */
export type Values = Readonly<Record<string, unknown>>;

/** What has to be known of a resource to put it before a hostile service or to give it hostile arguments. */
export interface ResourceCase {
  /** What its scene has beyond the usual. */
  readonly extras?: readonly "directory"[];
  /** Arguments with which it is created: as many as go together. */
  readonly valid: (scene: Scene) => Values;
  /** What an update changes; none where every change replaces or makes no request. */
  readonly change?: (scene: Scene) => Values;
  /** It speaks no requests and answers: its service is a stream. */
  readonly stream?: true;
}

const { client } = certificates();

/** One case for each type of resource; a type without one fails the suite. */
export const resourceCases: Readonly<Record<string, ResourceCase>> = {
  "provisioning:Project": {
    valid: ({ organization }) => ({ organization, name: "payments" }),
    change: () => ({ name: "payments-production" }),
  },
  "provisioning:ProjectWorkspaces": {
    valid: ({ project, otherProject, workspace }) => ({
      projectId: project,
      workspaceIds: [workspace],
      fallbackProjectId: otherProject,
    }),
    change: ({ otherWorkspace }) => ({ workspaceIds: [otherWorkspace] }),
  },
  "provisioning:NotificationConfiguration": {
    valid: ({ workspace }) => ({
      workspaceId: workspace,
      name: "deployments",
      destinationType: "generic",
      enabled: false,
      url: `https://hooks.acme.example/${canaries.notificationUrl}`,
      token: canaries.signingKey,
      triggers: ["run:errored", "run:created"],
    }),
    change: () => ({ name: "releases" }),
  },
  "provisioning:AdminOrganization": {
    valid: ({ organization }) => ({
      name: organization,
      isDisabled: true,
      accessBetaTools: false,
      iacBuildWorkerApplyTimeout: "1.5h",
      workspaceLimit: 20,
      onDestroy: "restore",
    }),
    change: () => ({ workspaceLimit: 30 }),
  },
  "provisioning:ModuleConsumers": {
    valid: ({ consumer, otherConsumer }) => ({ organization: consumer, consumers: [otherConsumer] }),
    change: ({ organization }) => ({ consumers: [organization] }),
  },
  "scheduler:EventGate": {
    stream: true,
    valid: () => ({
      topics: ["Deployment:web"],
      match: { topic: "Deployment", type: "DeploymentStatusUpdate", key: "one", namespace: "default" },
      timeout: "10m",
      namespace: "default",
      index: 0,
      triggers: { release: 1 },
    }),
  },
  "secrets/directory:Config": {
    extras: ["directory"],
    valid: () => ({
      mount: "ldap",
      adopt: true,
      binddn: bindName,
      bindpass: canaries.bindPassword,
      url: "ldaps://ldap.acme.example",
      passwordPolicy: "",
      schema: "open",
      userdn: "ou=services,dc=acme,dc=example",
      userattr: "cn",
      upndomain: "acme.example",
      requestTimeout: "1m",
      connectionTimeout: 20,
      starttls: false,
      insecureTls: false,
      certificate: client.certificate,
      clientTlsCert: client.certificate,
      clientTlsKey: client.key,
      skipStaticRoleImportRotation: true,
    }),
    change: () => ({ requestTimeout: "2m" }),
  },
  "secrets/directory:DynamicCredential": {
    extras: ["directory"],
    valid: () => ({ mount: "ldap", roleName: "reports", renewBefore: "5m" }),
  },
  "secrets/directory:DynamicRole": {
    extras: ["directory"],
    valid: () => ({
      mount: "ldap",
      roleName: "operators",
      creationLdif: ldif.creation,
      deletionLdif: ldif.deletion,
      rollbackLdif: ldif.deletion,
      usernameTemplate: "ops_{{random 8}}",
      defaultTtl: "1h",
      maxTtl: "2h",
      adopt: false,
    }),
    change: () => ({ defaultTtl: "30m" }),
  },
  "secrets/directory:LibraryCheckout": {
    extras: ["directory"],
    valid: () => ({ mount: "ldap", setName: "lent", ttl: "1h", force: true }),
  },
  "secrets/directory:LibrarySet": {
    extras: ["directory"],
    valid: () => ({
      mount: "ldap",
      name: "operators",
      serviceAccountNames: ["svc-1", "svc-4"],
      ttl: "8h",
      maxTtl: "2d",
      disableCheckInEnforcement: true,
      adopt: false,
    }),
    change: () => ({ serviceAccountNames: ["svc-1"] }),
  },
  "secrets/directory:RootRotation": {
    extras: ["directory"],
    valid: () => ({ mount: "ldap", triggers: { quarter: "1" } }),
    change: () => ({ triggers: { quarter: "2" } }),
  },
  "secrets/directory:StaticRole": {
    extras: ["directory"],
    valid: () => ({
      mount: "ldap",
      roleName: "payments",
      username: "svc-1",
      rotationPeriod: "1h",
      skipImportRotation: true,
      adopt: false,
    }),
    change: () => ({ rotationPeriod: "2h" }),
  },
  "secrets/directory:StaticRoleRotation": {
    extras: ["directory"],
    valid: () => ({ mount: "ldap", roleName: "search", triggers: { incident: 1 } }),
    change: () => ({ triggers: { incident: 2 } }),
  },
  "secrets/identity:EntityAlias": {
    valid: ({ otherEntity }) => ({
      name: "alice",
      canonicalId: otherEntity,
      mountAccessor,
      customMetadata: { team: "payments" },
      adopt: false,
    }),
    change: () => ({ customMetadata: { team: "search" } }),
  },
  "secrets/mfa:PushMethod": {
    valid: () => ({
      name: "phone",
      mountAccessor,
      usernameFormat: "{{alias.name}}@example.com",
      secretKey: canaries.pushKey,
      integrationKey: canaries.signingKey,
      apiHostname: "api-1234.example.com",
      pushInfo: "from=portal",
      adopt: false,
    }),
    change: () => ({ pushInfo: "from=console" }),
  },
  "secrets/mfa:TotpMethod": {
    valid: () => ({
      issuer: "Acme",
      period: "1m",
      keySize: 25,
      qrSize: 300,
      algorithm: "SHA256",
      digits: 8,
      skew: 0,
      maxValidationAttempts: 3,
    }),
    change: () => ({ issuer: "Acme Corporation" }),
  },
  "secrets/mfa:TotpSecret": {
    valid: ({ freshMethod, entity }) => ({
      methodId: freshMethod,
      entityId: entity,
      triggers: { round: 1 },
      adopt: false,
    }),
  },
  "secrets/scheduler:Access": {
    valid: () => ({
      mount: "scheduler",
      address: "https://10.0.0.4:4646",
      token: canaries.otherPassword,
      maxTokenNameLength: 64,
      caCert: client.certificate,
      clientCert: client.certificate,
      clientKey: client.key,
      bootstrap: false,
    }),
    change: () => ({ address: "https://10.0.0.5:4646" }),
  },
  "secrets/scheduler:Lease": {
    valid: () => ({ mount: "scheduler", ttl: "1h", maxTtl: 86_400, adopt: true }),
    change: () => ({ ttl: "90m" }),
  },
  "secrets/scheduler:Role": {
    valid: () => ({
      mount: "scheduler",
      name: "deploy",
      policies: ["job-submit", "node-read"],
      global: true,
      type: "client",
      adopt: false,
    }),
    change: () => ({ policies: ["node-read"] }),
  },
  "secrets/scheduler:Token": {
    valid: () => ({ mount: "scheduler", roleName: "operate", renewBefore: "5m" }),
  },
};
