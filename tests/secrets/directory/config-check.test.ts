import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/check";
import type { Dialect } from "../../../sdk/base/settings";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { certificates } from "../../support/certificates";
import type { Properties } from "../../support/provider-process";

const base: Properties = { binddn: "cn=admin,dc=acme,dc=example", bindpass: "bind-password" };

describe("the arguments of secrets.directory.Config, in a preview", () => {
  const judge = (args: Properties, dialect: Dialect = "documented") =>
    checkArguments(configDefinition, z, dialect, { ...base, ...args });
  const problems = (args: Properties): string[] =>
    checkArguments(configDefinition, z, "documented", { ...base, ...args }).failures.map(
      ({ property, reason }) => `${property} ${reason}`,
    );
  const { authority, otherAuthority, client } = certificates();

  const accepted: readonly [string, Properties][] = [
    ["one server", { url: "ldap://ldap.example:389" }],
    ["several servers", { url: "ldaps://a.example, LDAP://[::1]:389,ldap://10.0.0.1/" }],
    [
      "several authorities",
      { certificate: `# ours\n${authority.certificate}\n${otherAuthority.certificate}` },
    ],
    ["a certificate with its key", { clientTlsCert: client.certificate, clientTlsKey: client.key }],
    ["a length", { length: 64 }],
    ["a length, and a policy that is cleared", { length: 64, passwordPolicy: null }],
    [
      "nothing where nothing is needed",
      { certificate: null, clientTlsCert: "", clientTlsKey: null, url: null },
    ],
  ];
  for (const [name, args] of accepted) {
    it(`accepts ${name}`, () => {
      assert.deepEqual(problems(args), []);
    });
  }

  const urls = "url should be a URL such as ldaps://ldap.example.com, or several with commas between";
  const pem = "certificate must be a certificate in PEM";
  const together = "clientTlsCert and clientTlsKey belong together";
  const refused: readonly [string, Properties, string][] = [
    [
      "a length with a policy",
      { length: 20, passwordPolicy: "strong" },
      "length must not be given together with passwordPolicy, which decides the length itself",
    ],
    ["a path instead of PEM", { certificate: "/etc/ssl/ca.pem" }, pem],
    ["a key instead of a certificate", { certificate: client.key }, pem],
    ["PEM with its line ends spelt out", { certificate: client.certificate.replaceAll("\n", "\\n") }, pem],
    ["PEM without its end", { certificate: client.certificate.slice(0, -30) }, pem],
    ["PEM with something missing", { certificate: client.certificate.replace("MII", "MI") }, pem],
    ["an unknown schema", { schema: "openldap" }, 'schema must be one of "open", "ad", "racf"'],
    ["half a second", { requestTimeout: "500ms" }, "requestTimeout must be whole seconds"],
    ["no binddn", { binddn: null }, "binddn must be text, not null"],
    ["no bindpass", { bindpass: null }, "bindpass must be text, not null"],
    [
      "a mount that leads elsewhere",
      { mount: "../sys" },
      "mount must be the path of a mount, such as teams/ldap",
    ],
  ];
  for (const [name, args, problem] of refused) {
    it(`refuses ${name}`, () => {
      assert.deepEqual(problems(args), [problem]);
    });
  }

  const doubtful: readonly [string, Properties, string][] = [
    ["a server without a scheme", { url: "ldap.example" }, urls],
    ["a server of another kind", { url: "https://ldap.example" }, urls],
    ["a gap in the list of servers", { url: "ldap://a.example,,ldap://b.example" }, urls],
    ["no server", { url: "" }, urls],
    ["a port that is none", { url: "ldap://a.example:99999" }, urls],
    ["a base in the address of a server", { url: "ldap://ldap.example/dc=acme" }, urls],
    ["a length of nothing", { length: 0 }, "length is less than 1, which is unlikely to work"],
  ];
  for (const [name, args, warning] of doubtful) {
    it(`warns of ${name}`, () => {
      assert.deepEqual(judge(args), { failures: [], warnings: [warning] });
    });
  }

  const pairs: readonly [string, Properties, string][] = [
    [
      "a certificate without key",
      { clientTlsCert: client.certificate },
      `clientTlsKey is missing: ${together}`,
    ],
    ["a key without certificate", { clientTlsKey: client.key }, `clientTlsCert is missing: ${together}`],
    [
      "the key of another certificate",
      { clientTlsCert: client.certificate, clientTlsKey: authority.key },
      "clientTlsKey is not the key of clientTlsCert",
    ],
  ];
  for (const [name, args, warning] of pairs) {
    it(`warns of ${name}, which the products refuse`, () => {
      assert.deepEqual(judge(args), { failures: [], warnings: [warning] });
      const { failures, warnings } = judge(args, "hashicorp");
      assert.deepEqual([failures.length, warnings], [1, []]);
    });
  }

  it("warns of a certificate instead of a key", () => {
    const { failures, warnings } = judge({
      clientTlsCert: client.certificate,
      clientTlsKey: client.certificate,
    });
    assert.deepEqual([failures, warnings], [[], ["clientTlsKey should be a private key without a password"]]);
  });

  it("never repeats a secret in what it refuses", () => {
    const [problem = ""] = problems({ clientTlsKey: "canary-client-key" });
    assert.match(problem, /^clientTlsKey must be/);
    assert.ok(!problem.includes("canary"));
  });
});
