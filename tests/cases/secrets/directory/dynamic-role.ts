import { defineCase } from "../../support/case";
import { countAt, directoryEngineIn, enterprise, inAnotherCase, pathIn } from "../../support/engines";

const pathOf = pathIn("role");
const dn = "cn={{.Username}},ou=services,dc=acme,dc=example";
const creationLdif = `dn: ${dn}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletionLdif = `dn: ${dn}\nchangetype: delete\n`;
const encoded = (text: string): string => Buffer.from(text).toString("base64");

export const dynamicRole = defineCase({
  type: "secrets/directory:DynamicRole",
  prepare: (services) =>
    directoryEngineIn(services, (inspection) => inspection.secrets.directoryDynamicRoles),
  live: { needs: ["directory engine"], count: countAt(pathOf) },
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
    { argument: "creationLdif", to: `${creationLdif}mail: {{.Username}}@acme.example\n` },
    { argument: "deletionLdif", to: `${deletionLdif}\n${deletionLdif}` },
    { argument: "rollbackLdif", to: encoded(deletionLdif) },
    { argument: "usernameTemplate", to: "ops_{{random 8 | lowercase}}" },
    { argument: "defaultTtl", to: "30m" },
    { argument: "maxTtl", to: 28_800 },
    { argument: "roleName", to: "Admins", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["rollbackLdif", "usernameTemplate", "defaultTtl", "maxTtl"],
  drift: {
    argument: "defaultTtl",
    cause: ({ services }, id) =>
      services.secrets.api.change(pathOf(id), ["creation_ldif", "deletion_ldif"], { default_ttl: 60 }),
  },
  hashicorp: {
    changes: [{ argument: "passwordPolicy", to: "strong", needs: enterprise }],
    cleared: ["passwordPolicy"],
  },
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  // In base64 a template takes twice the space in state.
  whenRecorded: { creationLdif },
  canaries: [],
});
