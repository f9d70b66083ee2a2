import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { directoryEngine, otherMount, secretsToken, surroundingsOf } from "./surroundings";

const dn = "cn={{.Username}},ou=services,dc=acme,dc=example";
const creationLdif = `dn: ${dn}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletionLdif = `dn: ${dn}\nchangetype: delete\n`;
const encoded = (text: string): string => Buffer.from(text).toString("base64");

let emulator: Emulator;

describeLifecycle({
  className: "secrets.directory.DynamicRole",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:DynamicRole",
  async prepare() {
    emulator = await directoryEngine();
    return surroundingsOf(emulator, () => emulator.inspect().secrets.directoryDynamicRoles);
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.DynamicRole(
      name,
      args as unknown as trivium.secrets.directory.DynamicRoleArgs,
      options,
    ),
  valid: () => ({
    roleName: "operators",
    creationLdif: encoded(creationLdif),
    deletionLdif,
    usernameTemplate: "ops_{{random 8}}",
    defaultTtl: "1h",
  }),
  spellings: { roleName: "Operators", creationLdif, deletionLdif: encoded(deletionLdif), defaultTtl: "60m" },
  changes: [
    { argument: "creationLdif", to: `${creationLdif}mail: {{.Username}}@acme.example\n` },
    { argument: "deletionLdif", to: `${deletionLdif}\n${deletionLdif}` },
    { argument: "rollbackLdif", to: encoded(deletionLdif) },
    { argument: "usernameTemplate", to: "ops_{{random 8 | lowercase}}" },
    { argument: "defaultTtl", to: "30m" },
    { argument: "maxTtl", to: 28_800 },
    { argument: "roleName", to: "Admins", replaces: true },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: ["rollbackLdif", "usernameTemplate", "maxTtl"],
  drift: {
    argument: "defaultTtl",
    cause: () => emulator.secrets.changeDirectoryDynamicRole("admins", { defaultTtl: 60 }, otherMount),
  },
  get: (name, id) => trivium.secrets.directory.DynamicRole.get(name, id),
  adopt: true,
  vanish: () => emulator.secrets.removeDirectoryDynamicRole("admins", otherMount),
  canaries: [secretsToken],
});
