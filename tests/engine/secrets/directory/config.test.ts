import * as trivium from "pulumi-trivium";
import { certificates } from "../../../support/certificates";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt } from "../counting";
import { bindName, bindPassword, directoryEngineIn } from "./surroundings";

const pathOf = (mount: string): string => `${mount}/config`;
const otherPassword = "canary-other-password-0b1e";
const { authority, client, server } = certificates();
const middleOf = (pem: string): string => pem.split("\n")[1] ?? pem;

describeLifecycle({
  className: "secrets.directory.Config",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:Config",
  prepare: (world) => directoryEngineIn(world, (inspection) => inspection.secrets.directoryConfigs),
  live: {
    needs: ["directory engine"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.directory.Config(
      name,
      args as unknown as trivium.secrets.directory.ConfigArgs,
      options,
    ),
  valid: ({ given }) => ({
    ...given,
    binddn: bindName(),
    bindpass: bindPassword,
    url: "LDAPS://ldap.acme.example",
    requestTimeout: "1h",
    certificate: authority.certificate,
    userdn: "ou=users,dc=acme,dc=example",
  }),
  spellings: {
    url: "ldaps://LDAP.acme.example",
    requestTimeout: "60m",
    certificate: authority.certificate.replaceAll("\n", "\r\n"),
  },
  changes: [
    { argument: "bindpass", to: otherPassword },
    { argument: "binddn", to: "cn=other,dc=acme,dc=example" },
    { argument: "url", to: "ldaps://one.acme.example,ldaps://two.acme.example" },
    { argument: "passwordPolicy", to: "strong" },
    { argument: "length", to: 20, also: { passwordPolicy: null } },
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
    { argument: "clientTlsKey", to: authority.key, also: { clientTlsCert: authority.certificate } },
    { argument: "skipStaticRoleImportRotation", to: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["url", "userattr", "connectionTimeout", "starttls", "certificate", "length"],
  drift: {
    argument: "insecureTls",
    // A write without a length takes that away.
    cause: ({ world }, id) => world.secrets.api.change(pathOf(id), ["length"], { insecure_tls: false }),
  },
  get: (name, id, options) => trivium.secrets.directory.Config.get(name, id, options),
  // Without a policy an answer does not name one.
  writeOnly: ["bindpass", "clientTlsCert", "clientTlsKey", "passwordPolicy"],
  untoldByDocuments: ["requestTimeout", "skipStaticRoleImportRotation", "upndomain", "userdn"],
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [bindPassword, otherPassword, middleOf(client.key), middleOf(authority.key)],
});
