import { defineCase, type Values } from "../../support/case";
import { directoryIn, inAnotherCase } from "../../support/engines";

export function roleBelow(place: string, lifetime: string): Values {
  const dn = `dn: cn={{.Username}},${place}`;
  const entry = [
    "objectClass: person",
    "cn: {{.Username}}",
    "sn: {{.Username}}",
    "userPassword: {{.Password}}",
  ];
  return {
    creation_ldif: [dn, "changetype: add", ...entry].join("\n"),
    deletion_ldif: [dn, "changetype: delete"].join("\n"),
    username_template: "v_{{random 20}}",
    default_ttl: lifetime,
  };
}

export const dynamicCredential = defineCase({
  type: "secrets/directory:DynamicCredential",
  async prepare(services) {
    const engine = await directoryIn(services, [], ({ directoryIssuedAccounts }) => directoryIssuedAccounts);
    const issued = await services.secrets.directory.add("issued");
    for (const path of [
      `${engine.mount}/role/reports`,
      `${engine.mount}/role/audits`,
      `${engine.otherMount}/role/audits`,
    ]) {
      await services.secrets.api.write(path, roleBelow(issued, services.lifetime));
    }
    return { ...engine, issued };
  },
  needs: ["directory engine", "directory"],
  count: async ({ services, issued }) => (await services.secrets.directory.below(issued)).length,
  valid: ({ given }) => ({ ...given, roleName: "reports", renewBefore: "5m" }),
  spellings: ({ services }) => ({ roleName: inAnotherCase(services, "reports"), renewBefore: 300 }),
  changes: [{ renewBefore: "10m" }, { roleName: "audits" }, { mount: ({ otherMount }) => otherMount }],
  // The documents have no request that revokes a credential.
  leftByDeletion: {
    documented: /remains valid until \S+, because the documented API has no request/,
  },
  leftByLostResponse: {
    find: ({ secrets }) => secrets.leases.filter(({ id }) => id.includes("/creds/")),
    named: /might still have generated a credential/,
  },
});
