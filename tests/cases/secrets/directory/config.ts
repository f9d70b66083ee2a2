import { certificates } from "../../../support/certificates";
import { defineCase } from "../../support/case";
import {
  automatedChanges,
  automatedCleared,
  automatedDrifts,
  bindPassword,
  enterprise,
  countAt,
  directoryEngineIn,
} from "../../support/engines";

const pathOf = (mount: string): string => `${mount}/config`;
const otherPassword = "canary-other-password-0b1e";
const { authority, client, server } = certificates();
const middleOf = (pem: string): string => pem.split("\n")[1] ?? pem;

/** OpenBao ignores the arguments of other products. */

export const config = defineCase({
  type: "secrets/directory:Config",
  prepare: (services) => directoryEngineIn(services, (inspection) => inspection.secrets.directoryConfigs),
  live: { needs: ["directory engine"], count: countAt(pathOf) },
  valid: ({ given }) => ({
    ...given,
    binddn: "cn=binds for ldap,dc=acme,dc=example",
    bindpass: bindPassword,
    url: "LDAPS://ldap.acme.example",
    requestTimeout: "1h",
    certificate: authority.certificate,
    userdn: "ou=users,dc=acme,dc=example",
  }),
  spellings: () => ({
    url: "ldaps://LDAP.acme.example",
    requestTimeout: "60m",
    certificate: authority.certificate.replaceAll("\n", "\r\n"),
  }),
  changes: [
    { argument: "bindpass", to: otherPassword },
    { argument: "binddn", to: "cn=other,dc=acme,dc=example" },
    { argument: "url", to: "ldaps://one.acme.example,ldaps://two.acme.example" },
    { argument: "passwordPolicy", to: "strong" },
    { argument: "schema", to: "ad" },
    { argument: "userdn", to: "ou=services,dc=acme,dc=example" },
    { argument: "userattr", to: "sAMAccountName" },
    { argument: "upndomain", to: "acme.example" },
    { argument: "requestTimeout", to: 45 },
    { argument: "connectionTimeout", to: "20s" },
    { argument: "starttls", to: true },
    { argument: "insecureTls", to: true },
    { argument: "certificate", to: server.certificate },
    { argument: "clientTlsCert", to: client.certificate, also: { clientTlsKey: client.key } },
    { argument: "length", to: 20, also: { passwordPolicy: null } },
    { argument: "clientTlsKey", to: authority.key, also: { clientTlsCert: authority.certificate } },
    { argument: "skipStaticRoleImportRotation", to: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: [
    ...[
      "url",
      "userdn",
      "userattr",
      "upndomain",
      "requestTimeout",
      "connectionTimeout",
      "starttls",
      "insecureTls",
    ],
    ...["certificate", "clientTlsCert", "clientTlsKey", "length", "skipStaticRoleImportRotation", "schema"],
  ],
  drift: {
    argument: "insecureTls",
    // A write without a length removes it.
    cause: ({ services }, id) => services.secrets.api.change(pathOf(id), ["length"], { insecure_tls: false }),
  },
  hashicorp: {
    changes: [
      { argument: "tlsMaxVersion", to: "tls13" },
      { argument: "tlsMinVersion", to: "tls11" },
      { argument: "credentialType", to: "phrase", needs: enterprise },
      { argument: "rotationPeriod", to: "720h", needs: enterprise },
      {
        argument: "rotationSchedule",
        to: "0 3 * * SAT",
        also: { rotationPeriod: null, rotationWindow: "2h" },
        needs: enterprise,
      },
      ...automatedChanges,
      { argument: "autoUnlock", to: true, also: { schema: "ad" }, needs: enterprise },
      {
        argument: "selfManaged",
        to: true,
        also: { binddn: undefined, bindpass: undefined },
        replaces: true,
        keepsId: true,
        needs: enterprise,
      },
    ],
    cleared: [...automatedCleared, "tlsMaxVersion", "tlsMinVersion", "credentialType"],
    drifts: automatedDrifts(
      ({ services }, id, values) => services.secrets.api.change(pathOf(id), ["length"], values),
      {
        tlsMaxVersion: { tls_max_version: "tls12" },
        tlsMinVersion: { tls_min_version: "tls12" },
        rotationPeriod: { rotation_period: 3_600 },
      },
    ),
  },
  // Without a policy, a response does not name one.
  untold: ["passwordPolicy"],
  untoldByDocuments: ["requestTimeout", "skipStaticRoleImportRotation", "upndomain", "userdn"],
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword, otherPassword, middleOf(client.key), middleOf(authority.key)],
});
