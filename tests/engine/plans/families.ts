import * as trivium from "pulumi-trivium";
import type { Family } from "../support/families";

const { directory, mfa, scheduler } = trivium.secrets;

const below = "ou=services,dc=acme,dc=example";
const creationLdif = `dn: cn={{.Username}},${below}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}`;
const deletionLdif = `dn: cn={{.Username}},${below}\nchangetype: delete`;

/** Every class that the examples, and the guide of the emulator, make others of. */
export const families: readonly Family[] = [
  {
    type: "provisioning:Project",
    children({ outputs: { id }, name, options }) {
      new trivium.provisioning.ProjectWorkspaces(name("empty"), { projectId: id, workspaceIds: [] }, options);
    },
  },
  {
    type: "secrets/identity:EntityAlias",
    follows: ["canonicalId"],
    children({ outputs: { canonicalId }, name, options }) {
      const method = new mfa.TotpMethod(name("method"), { issuer: "Acme", qrSize: 0 }, options);
      new mfa.TotpSecret(name("secret"), { methodId: method.id, entityId: canonicalId }, options);
    },
  },
  {
    type: "secrets/mfa:TotpMethod",
    prepare: async (world) => ({ entityId: await world.secrets.addEntity() }),
    args: () => ({ algorithm: undefined, digits: undefined, qrSize: 0 }),
    follows: ["period", "algorithm", "digits"],
    without: ["digits", "qrSize"],
    children({ outputs: { id, algorithm, digits, period }, prepared: { entityId = "" }, name, options }) {
      const triggers = { algorithm, digits, period };
      new mfa.TotpSecret(name("secret"), { methodId: id, entityId, triggers }, options);
    },
  },
  {
    type: "secrets/directory:Config",
    async prepare(world) {
      const { dn: binddn, password: bindpass } = await world.secrets.directory.administrator();
      await world.secrets.directory.add("svc-ledger");
      await world.secrets.directory.add("svc-operator");
      return { binddn, bindpass, userdn: await world.secrets.directory.base() };
    },
    args: (prepared) => prepared,
    children({ outputs: { mount }, name, options }) {
      const root = new directory.RootRotation(name("root"), { mount }, options);
      const after = { ...options, dependsOn: root };
      const role = new directory.StaticRole(
        name("ledger"),
        { mount, roleName: "ledger", username: "svc-ledger", rotationPeriod: "24h" },
        after,
      );
      new directory.StaticRoleRotation(name("rotation"), { mount, roleName: role.roleName }, options);
      const reports = new directory.DynamicRole(
        name("reports"),
        { mount, roleName: "reports", creationLdif, deletionLdif },
        after,
      );
      new directory.DynamicCredential(name("credential"), { mount, roleName: reports.roleName }, options);
      const set = new directory.LibrarySet(
        name("operators"),
        { mount, name: "operators", serviceAccountNames: ["svc-operator"] },
        after,
      );
      new directory.LibraryCheckout(name("operator"), { mount, setName: set.name }, options);
    },
  },
  {
    type: "secrets/directory:StaticRole",
    children({ outputs: { mount, roleName }, name, options }) {
      new directory.StaticRoleRotation(name("rotation"), { mount, roleName }, options);
    },
  },
  {
    type: "secrets/directory:DynamicRole",
    async prepare({ secrets: { api, directory: entries } }) {
      const { dn: binddn, password: bindpass } = await entries.administrator();
      await entries.add("somebody");
      await api.write("ldap/config", { binddn, bindpass, url: entries.url, userdn: await entries.base() });
      return {};
    },
    children({ outputs: { mount, roleName }, name, options }) {
      new directory.DynamicCredential(name("credential"), { mount, roleName }, options);
    },
  },
  {
    type: "secrets/directory:LibrarySet",
    children({ outputs: { mount, name: setName }, name, options }) {
      new directory.LibraryCheckout(name("checkout"), { mount, setName }, options);
    },
  },
  {
    type: "secrets/scheduler:Access",
    children({ outputs: { mount }, name, options }) {
      new scheduler.Lease(name("hour"), { mount, ttl: "1h" }, options);
      new scheduler.Role(name("reader"), { mount, name: "reader", type: "management" }, options);
    },
  },
  {
    type: "secrets/scheduler:Role",
    prepare: ({ scheduler: { address, token } }) => Promise.resolve({ address, token }),
    children({ outputs: { mount, name: roleName }, prepared: { address, token }, name, options }) {
      const access = new scheduler.Access(name("access"), { mount, address, token }, options);
      new scheduler.Token(name("token"), { mount, roleName }, { ...options, dependsOn: access });
    },
  },
];
