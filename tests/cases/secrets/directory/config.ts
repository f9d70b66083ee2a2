import { certificates } from "../../../support/certificates";
import { bindPassword, defineCase } from "../../support/case";
import { automatedChanges, automatedDrifts, engineIn, objectsAt } from "../../support/engines";

const otherPassword = "canary-other-password-0b1e";
const { authority, client, server } = certificates();
const middleOf = (pem: string): string => pem.split("\n")[1] ?? pem;

export const config = defineCase({
  type: "secrets/directory:Config",
  prepare: (services) => engineIn(services, "directory", ({ directoryConfigs }) => directoryConfigs),
  needs: ["directory engine"],
  // A write without a length removes it.
  ...objectsAt((mount) => `${mount}/config`, ["length"]),
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
    { bindpass: otherPassword },
    { binddn: "cn=other,dc=acme,dc=example" },
    { url: "ldaps://one.acme.example,ldaps://two.acme.example" },
    { passwordPolicy: "strong" },
    { schema: "ad" },
    { userdn: "ou=services,dc=acme,dc=example" },
    { userattr: "sAMAccountName" },
    { upndomain: "acme.example" },
    { requestTimeout: 45 },
    { connectionTimeout: "20s" },
    { starttls: true },
    { insecureTls: true },
    { certificate: server.certificate },
    { clientTlsCert: client.certificate, clientTlsKey: client.key },
    { length: 20, passwordPolicy: null },
    { clientTlsKey: authority.key, clientTlsCert: authority.certificate },
    { skipStaticRoleImportRotation: true },
    { mount: ({ otherMount }) => otherMount },
  ],
  alsoCreatedWith: [{ length: 20, passwordPolicy: undefined, resendBindpass: true }],
  notCleared: ["passwordPolicy", "resendBindpass", "rotationPeriod", "rotationSchedule", "rotationWindow"],
  drifts: { insecureTls: { insecure_tls: false } },
  hashicorp: {
    changes: [
      { tlsMaxVersion: "tls13" },
      { tlsMinVersion: "tls11" },
      { credentialType: "phrase" },
      { rotationPeriod: "720h" },
      { rotationSchedule: "0 3 * * SAT", rotationPeriod: null, rotationWindow: "2h" },
      ...automatedChanges,
      { autoUnlock: true, schema: "ad" },
      { rotationPolicy: "patient" },
      { selfManaged: true, bindpass: undefined },
    ],
    alsoCreatedWith: [
      { rotationSchedule: "0 3 * * SAT", rotationPeriod: undefined, rotationWindow: "2h" },
      { selfManaged: true, binddn: undefined, bindpass: undefined },
    ],
    drifts: {
      ...automatedDrifts,
      tlsMaxVersion: { tls_max_version: "tls12" },
      tlsMinVersion: { tls_min_version: "tls12" },
      rotationPeriod: { rotation_period: 3_600 },
    },
  },
  canaries: [otherPassword, middleOf(client.key), middleOf(authority.key)],
});
