import * as trivium from "pulumi-trivium";

const { provisioning, scheduler } = trivium;
const { directory, identity, mfa, scheduler: issuer } = trivium.secrets;

/** Recordings are kept for years, and so is what was issued in them. */
const aCentury = "876000h";

/**
 * Declares one resource of every class, with as many arguments as go together. A recording keeps a copy of this file,
 * which must go on to work: it imports nothing but the library.
 *
 * @param world what the set-up has made, by name
 */
export function declareAll(world: Readonly<Record<string, string>>): void {
  const known = (name: string): string => {
    const value = world[name];
    if (value === undefined) {
      throw new Error(`The set-up has made no ${name}.`);
    }
    return value;
  };
  declareProvisioning(known);
  declareIdentityAndMfa(known);
  declareDirectory();
  declareIssuer();
  new scheduler.EventGate("gate", {
    topics: ["Deployment:web", "Job"],
    match: { type: "DeploymentStatusUpdate" },
    timeout: "1m",
    index: 1,
    triggers: { version: 1 },
  });
}

type Known = (name: string) => string;

function declareProvisioning(known: Known): void {
  const organization = "acme";
  const project = new provisioning.Project("project", { organization, name: "payments", adopt: true });
  new provisioning.ProjectWorkspaces("workspaces", {
    projectId: project.id,
    workspaceIds: [known("firstWorkspace"), known("secondWorkspace")],
    fallbackProjectId: known("defaultProject"),
  });
  const workspaceId = known("firstWorkspace");
  new provisioning.NotificationConfiguration("hook", {
    workspaceId,
    name: "deployments",
    destinationType: "generic",
    enabled: false,
    url: "https://hooks.acme.example/canary-upgrade-path-19c4",
    token: "canary-upgrade-signing-key-f02b",
    triggers: ["run:errored", "run:created"],
    verification: { timeout: "1m" },
  });
  new provisioning.NotificationConfiguration("mail", {
    workspaceId,
    name: "mails",
    destinationType: "email",
    enabled: false,
    userIds: [known("user")],
    triggers: ["run:completed"],
  });
  new provisioning.AdminOrganization("organization", {
    name: organization,
    workspaceLimit: 20,
    accessBetaTools: true,
    onDestroy: "restore",
  });
  new provisioning.ModuleConsumers("consumers", { organization: "platform", consumers: [organization] });
}

function declareIdentityAndMfa(known: Known): void {
  const mountAccessor = known("accessor");
  const entityId = known("entity");
  new identity.EntityAlias("alias", {
    name: "alice",
    canonicalId: entityId,
    mountAccessor,
    customMetadata: { team: "payments" },
  });
  const method = new mfa.TotpMethod("method", {
    issuer: "Acme",
    period: "30s",
    digits: 6,
    algorithm: "SHA256",
    qrSize: 0,
  });
  new mfa.TotpSecret("secret", { methodId: method.id, entityId, triggers: { round: 1 } });
  new mfa.PushMethod("push", {
    name: "phones",
    mountAccessor,
    usernameFormat: "{{entity.name}}",
    secretKey: "canary-upgrade-secret-key-93ab",
    integrationKey: "canary-upgrade-integration-key-5d0e",
    apiHostname: "api.acme.example",
    pushInfo: "from=acme",
  });
}

function declareDirectory(): void {
  const base = "ou=services,dc=acme,dc=example";
  const { mount } = new directory.Config("directory", {
    mount: "teams/ldap",
    binddn: "cn=binds,dc=acme,dc=example",
    bindpass: "canary-upgrade-bind-password-64cd",
    url: "ldaps://ldap.acme.example",
    userdn: base,
    requestTimeout: "90s",
  });
  const rotation = new directory.RootRotation("root", { mount, triggers: { quarter: 1 } });
  const after = { dependsOn: [rotation] };
  const { roleName } = new directory.StaticRole(
    "static",
    { mount, roleName: "ledger", username: "svc-ledger", rotationPeriod: "24h" },
    after,
  );
  new directory.StaticRoleRotation("rotation", { mount, roleName, triggers: { incident: "1" } });
  const dn = `dn: cn={{.Username}},${base}`;
  const role = new directory.DynamicRole(
    "dynamic",
    {
      mount,
      roleName: "reports",
      creationLdif: [dn, "changetype: add", "objectClass: person", "userPassword: {{.Password}}"].join("\n"),
      deletionLdif: [dn, "changetype: delete"].join("\n"),
      usernameTemplate: "v_{{random 20}}",
      defaultTtl: aCentury,
      maxTtl: aCentury,
    },
    after,
  );
  new directory.DynamicCredential("credential", { mount, roleName: role.roleName, renewBefore: "5m" });
  const library = new directory.LibrarySet(
    "library",
    { mount, name: "operators", serviceAccountNames: ["svc-operator"], ttl: aCentury, maxTtl: aCentury },
    after,
  );
  new directory.LibraryCheckout("checkout", { mount, setName: library.name, ttl: aCentury, waitFor: "1m" });
}

function declareIssuer(): void {
  const access = new issuer.Access("access", {
    mount: "teams/scheduler",
    address: "https://scheduler.acme.example",
    token: "canary-upgrade-management-token-8a71",
    maxTokenNameLength: 100,
  });
  const { mount } = access;
  const lease = new issuer.Lease("lease", { mount, ttl: aCentury, maxTtl: aCentury });
  const { name: roleName } = new issuer.Role("role", { mount, name: "deploy", policies: ["job-submit"] });
  new issuer.Token("token", { mount, roleName, renewBefore: "5m" }, { dependsOn: [access, lease] });
}
