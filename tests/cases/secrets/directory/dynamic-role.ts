import { defineCase } from "../../support/case";
import { engineIn, inAnotherCase, objectsAt, pathIn } from "../../support/engines";

const dn = "cn={{.Username}},ou=services,dc=acme,dc=example";
const creationLdif = `dn: ${dn}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletionLdif = `dn: ${dn}\nchangetype: delete\n`;
const encoded = (text: string): string => Buffer.from(text).toString("base64");

export const dynamicRole = defineCase({
  type: "secrets/directory:DynamicRole",
  prepare: (services) =>
    engineIn(services, "directory", ({ directoryDynamicRoles }) => directoryDynamicRoles),
  needs: ["directory engine"],
  ...objectsAt(pathIn("role"), ["creation_ldif", "deletion_ldif"]),
  valid: ({ given }) => ({
    ...given,
    roleName: "operators",
    creationLdif: encoded(creationLdif),
    deletionLdif,
    usernameTemplate: "ops_{{random 8}}",
    defaultTtl: "1h",
  }),
  spellings: ({ services }) => ({
    roleName: inAnotherCase(services, "operators"),
    creationLdif,
    deletionLdif: encoded(deletionLdif),
    defaultTtl: "60m",
  }),
  changes: [
    { creationLdif: `${creationLdif}mail: {{.Username}}@acme.example\n` },
    { deletionLdif: `${deletionLdif}\n${deletionLdif}` },
    { rollbackLdif: encoded(deletionLdif) },
    { usernameTemplate: "ops_{{random 8 | lowercase}}" },
    { defaultTtl: "30m" },
    { maxTtl: 28_800 },
    { roleName: "Admins" },
    { mount: ({ otherMount }) => otherMount },
  ],
  drifts: { defaultTtl: { default_ttl: 60 } },
  hashicorp: { changes: [{ passwordPolicy: "strong" }] },
});
