import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const { directory } = trivium.secrets;
const config = new pulumi.Config();
const directoryUrl = config.require("directoryUrl");
const baseDn = config.require("baseDn");
const services = `ou=services,${baseDn}`;

const engine = new directory.Config("directory", {
  binddn: `cn=admin,${baseDn}`,
  bindpass: config.requireSecret("bindPassword"),
  url: directoryUrl,
  userdn: services,
});

// After this, only the secrets service knows its bind password.
const rotation = new directory.RootRotation(
  "directory",
  { triggers: { rotation: config.require("rotation") } },
  { dependsOn: engine },
);

// The password of an existing account is rotated now and every day.
const payments = new directory.StaticRole(
  "payments",
  { roleName: "payments", username: "svc-payments", rotationPeriod: "24h" },
  { dependsOn: rotation },
);
const credentials = directory.getStaticCredentialsOutput({ roleName: payments.roleName });

// Creates accounts on demand and deletes them after an hour.
const account = `dn: cn={{.Username}},${services}`;
const operators = new directory.DynamicRole(
  "operators",
  {
    roleName: "operators",
    creationLdif: [
      account,
      "changetype: add",
      "objectClass: person",
      "cn: {{.Username}}",
      "sn: {{.Username}}",
      "userPassword: {{.Password}}",
    ].join("\n"),
    deletionLdif: `${account}\nchangetype: delete`,
    rollbackLdif: `${account}\nchangetype: delete`,
    usernameTemplate: "ops_{{random 8 | lowercase}}",
    defaultTtl: "1h",
    maxTtl: "8h",
  },
  { dependsOn: rotation },
);

// Accounts to check out. Each gets a new password when it is checked in.
const library = new directory.LibrarySet(
  "reports",
  { name: "reports", serviceAccountNames: ["svc-report-1", "svc-report-2"], ttl: 0, maxTtl: 0 },
  { dependsOn: rotation },
);
const checkout = new directory.LibraryCheckout("reports", { setName: library.name, waitFor: "5m" });

/** A job that reads the directory with an account. */
class ReportJob extends pulumi.ComponentResource {
  /** The environment variables of the job. */
  readonly environment: pulumi.Output<Record<string, string>>;

  constructor(
    name: string,
    args: { readonly username: pulumi.Input<string>; readonly password: pulumi.Input<string> },
    options?: pulumi.ComponentResourceOptions,
  ) {
    super("example:directory:ReportJob", name, {}, options);
    this.environment = pulumi.all([args.username, args.password]).apply(([username, password]) => {
      const environment: Record<string, string> = {
        LDAP_URL: directoryUrl,
        LDAP_USER: username,
        LDAP_PASSWORD: password,
      };
      return environment;
    });
    this.registerOutputs({ environment: this.environment });
  }
}

const job = new ReportJob("reports", { username: checkout.serviceAccountName, password: checkout.password });

export const paymentsPassword = credentials.password;
export const operatorsRole = operators.id;
export const reportAccount = checkout.serviceAccountName;
export const reportEnvironment = job.environment;
