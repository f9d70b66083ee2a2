import assert from "node:assert/strict";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { stopServers } from "../../http/server";
import { certificates } from "../../support/certificates";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-answers";
import { documentedConfiguration } from "./documented-reads";

const base: Properties = { binddn: "cn=admin,dc=acme,dc=example", bindpass: "bind-password" };

describe("secrets.directory.Config shows no change", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const manage = async (args: Properties, settings: Readonly<Record<string, string>>): Promise<Managed> => {
    const managed = new Managed(configDefinition, emulator, settings);
    await managed.up(args);
    return managed;
  };
  const writes = () => emulator.journal.count({ method: "POST" });

  const { authority } = certificates();
  const crlf = authority.certificate.replaceAll("\n", "\r\n");
  const spellings: readonly [string, ...Properties[]][] = [
    ["an hour", { requestTimeout: "1h" }, { requestTimeout: 3600 }, { requestTimeout: "60m" }],
    ["half a minute", { connectionTimeout: 30 }, { connectionTimeout: "30" }, { connectionTimeout: "0.5m" }],
    ["a URL in capitals", { url: "LDAPS://LDAP.Example" }, { url: "ldaps://ldap.example" }],
    [
      "space in a list of URLs",
      { url: "ldap://a.example,ldap://b.example" },
      { url: "ldap://A.example, ldap://b.example" },
    ],
    ["PEM with other line ends", { certificate: authority.certificate }, { certificate: crlf }],
    ["an attribute in capitals", { userattr: "sAMAccountName" }, { userattr: "SAMACCOUNTNAME" }],
    ["nothing as empty text and as null", { userdn: "", upndomain: "" }, { userdn: null, upndomain: null }],
  ];
  for (const [name, ...all] of spellings) {
    for (const reads of ["as documented", "as real servers do"]) {
      it(`for ${name}, read ${reads}`, async () => {
        const settings =
          reads === "as documented" ? await serviceWith(emulator, documentedConfiguration) : {};
        const managed = await manage({ ...base, ...all[0] }, settings);
        for (const args of [...all, ...all.toReversed()]) {
          assert.equal(await managed.up({ ...base, ...args }), "same");
          await managed.refresh();
          assert.equal(await managed.up({ ...base, ...args }), "same");
        }
        assert.equal(writes(), 1);
      });
    }
  }

  it("for what a documented read does not return", async () => {
    const settings = await serviceWith(emulator, documentedConfiguration);
    const args = { ...base, userdn: "ou=users,dc=acme,dc=example", userattr: "uid", requestTimeout: "45s" };
    const managed = await manage(args, settings);
    emulator.secrets.changeDirectoryConfig({ userdn: "ou=elsewhere", requestTimeout: 10 });
    await managed.refresh();
    assert.equal(await managed.up(args), "same");
    assert.equal(managed.outputs.requestTimeout, 45, "seconds, also of what was only sent");
  });
});
