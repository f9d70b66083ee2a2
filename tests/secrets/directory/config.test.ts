import assert from "node:assert/strict";
import { configDefinition, configurationBodies, getConfig } from "../../../sdk/secrets/directory/config";
import { rootRotationDefinition, rotateRootPassword } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { certificates } from "../../support/certificates";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { stepAt } from "./emulated-directory";
import type { Dialect } from "../../../sdk/base/settings";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { type Alteration, serviceWith } from "../altered-responses";
import { ServiceError } from "../../../sdk/base/errors";
import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";

const path = "/v1/ldap/config";
const documented = [
  "binddn",
  "case_sensitive_names",
  "certificate",
  "insecure_tls",
  "length",
  "schema",
  "starttls",
  "tls_max_version",
  "tls_min_version",
  "url",
];

/** A service that tells of a configuration only what its documents promise. */
const documentedConfiguration: Alteration = ({ method, url }, { status, body }) =>
  method === "GET" && url.endsWith("/config") && body?.data
    ? {
        status,
        body: {
          data: Object.fromEntries(Object.entries(body.data).filter(([name]) => documented.includes(name))),
        },
      }
    : { status, body };
const admin = "cn=admin,dc=acme,dc=example";
const base: Properties = { binddn: admin, bindpass: "bind-password" };

describe("secrets.directory.Config", () => {
  const emulator = useEmulator();

  beforeEach(() => {
    emulator.secrets.addDirectoryEntry({ dn: admin, password: "bind-password" });
  });

  const manage = async (args: Properties = base): Promise<Managed> => {
    const managed = new Managed(configDefinition, emulator);
    await managed.up(args);
    return managed;
  };
  const configurations = () => emulator.inspect().secrets.directoryConfigs;
  const written = () => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  const lastWritten = () => written().at(-1) as Readonly<Record<string, unknown>>;

  describe("made", () => {
    it("sends only the program's arguments, and returns the service's defaults", async () => {
      const managed = await manage();
      assert.equal(managed.id, "ldap");
      assert.deepEqual(written(), [{ binddn: admin, bindpass: "bind-password" }]);
      const { __managed, __at, ...outputs } = managed.outputs;
      assert.deepEqual(outputs, {
        ...base,
        mount: "ldap",
        url: "ldap://127.0.0.1",
        schema: "open",
        length: 64,
        starttls: false,
        insecureTls: false,
        certificate: "",
        caseSensitiveNames: false,
        tlsMinVersion: "tls12",
        tlsMaxVersion: "tls12",
      });
      assert.equal(await managed.up(base), "same");
    });

    it("has outputs of their types although it could not be read back", async () => {
      emulator.faults.add({ method: "GET", path, skip: 1, status: 502 });
      await assert.rejects(manage({ ...base, requestTimeout: "1h" }), (error: unknown) => {
        assert.equal((error as { readonly properties: Properties }).properties.requestTimeout, 3600);
        return true;
      });
    });
  });

  describe("changed", () => {
    it("never sends bindpass with another argument", async () => {
      const managed = await manage();
      const args = { ...base, url: "ldaps://ldap.example" };
      assert.equal(await managed.up(args), "updated");
      assert.ok(!("bindpass" in lastWritten()));
      assert.equal(lastWritten().url, "ldaps://ldap.example");
      assert.equal(lastWritten().binddn, admin);
    });

    it("never sends the password that a rotation has made void, whatever else changes", async () => {
      const managed = await manage();
      const rotation = new Managed(rootRotationDefinition, emulator);
      await rotation.up({});
      const rotated = configurations()[0]?.bindpass;
      assert.notEqual(rotated, "bind-password");
      emulator.journal.clear();
      const { authority, client } = certificates();
      const changes: Properties[] = [
        { url: "ldap://ldap.example" },
        { passwordPolicy: "strong" },
        { passwordPolicy: null, length: 20 },
        { schema: "ad" },
        { userdn: "ou=users" },
        { userattr: "uid" },
        { upndomain: "acme.example" },
        { requestTimeout: "20s" },
        { connectionTimeout: 10 },
        { starttls: true },
        { insecureTls: true },
        { certificate: authority.certificate },
        { clientTlsCert: client.certificate, clientTlsKey: client.key },
        { skipStaticRoleImportRotation: true },
        { binddn: "cn=other,dc=acme,dc=example" },
      ];
      let args = base;
      for (const change of changes) {
        args = { ...args, ...change };
        assert.equal(await managed.up(args), "updated", JSON.stringify(Object.keys(change)));
        await managed.refresh();
      }
      assert.equal(await managed.up(base), "updated", "all of them removed");
      // One more where a length replaces a policy: no request names both.
      assert.equal(written().length, changes.length + 2);
      assert.ok(!JSON.stringify(emulator.journal.requests()).includes("bind-password"));
      assert.equal(configurations()[0]?.bindpass, rotated);
      await managed.up({ ...base, bindpass: "set-by-hand" });
      assert.equal(configurations()[0]?.bindpass, "set-by-hand");
    });

    it("sends with every change what would fall back to its default without", async () => {
      const managed = await manage({ ...base, length: 20, userdn: "ou=users" });
      await managed.up({ ...base, length: 20, userdn: "ou=users", starttls: true });
      assert.equal(configurations()[0]?.length, 20);
    });

    it("leaves alone what the program never named", async () => {
      const managed = await manage();
      emulator.secrets.changeDirectoryConfig({ length: 33, upndomain: "acme.example" });
      await managed.up({ ...base, starttls: true });
      const [configuration] = configurations();
      assert.deepEqual([configuration?.length, configuration?.upndomain], [33, "acme.example"]);
    });

    it("goes from a length to a policy and back", async () => {
      const managed = await manage({ ...base, length: 20 });
      const kept = () => configurations().map(({ length, passwordPolicy }) => [length, passwordPolicy]);
      await managed.up({ ...base, passwordPolicy: "strong" });
      assert.deepEqual(kept(), [[0, "strong"]]);
      await managed.up({ ...base, length: 24 });
      assert.deepEqual(kept(), [[24, ""]]);
      await managed.up(base);
      assert.deepEqual(kept(), [[64, ""]]);
      const together = written().filter(
        (body) => "length" in Object(body) && "password_policy" in Object(body),
      );
      assert.deepEqual(together, []);
      assert.equal(await managed.up(base), "same");
      await managed.refresh();
      assert.equal(await managed.up(base), "same");
    });

    it("lets a policy win over a length that the program never named", async () => {
      const managed = await manage();
      emulator.secrets.changeDirectoryConfig({ length: 33 });
      await managed.refresh();
      await managed.up({ ...base, passwordPolicy: "strong" });
      assert.deepEqual(
        configurations().map(({ length, passwordPolicy }) => [length, passwordPolicy]),
        [[0, "strong"]],
      );
    });

    it("clears to the documented defaults what leaves the program", async () => {
      const { authority, client } = certificates();
      const managed = await manage({
        ...base,
        url: "ldaps://ldap.example",
        schema: "ad",
        userdn: "ou=users",
        userattr: "uid",
        upndomain: "acme.example",
        requestTimeout: 10,
        connectionTimeout: 10,
        starttls: true,
        insecureTls: true,
        certificate: authority.certificate,
        clientTlsCert: client.certificate,
        clientTlsKey: client.key,
        skipStaticRoleImportRotation: true,
      });
      assert.equal(await managed.up(base), "updated");
      const [{ bindpass, mount, passwordPolicy, length, lastBindPasswordRotation, ...configuration } = {}] =
        configurations();
      assert.deepEqual(configuration, {
        binddn: admin,
        url: "ldap://127.0.0.1",
        schema: "open",
        userdn: "",
        userattr: "cn",
        upndomain: "",
        requestTimeout: 90,
        connectionTimeout: 30,
        starttls: false,
        insecureTls: false,
        certificate: "",
        clientTlsCert: "",
        clientTlsKey: "",
        skipStaticRoleImportRotation: false,
      });
      assert.equal(await managed.up(base), "same");
      const { outputs } = managed;
      await managed.refresh();
      assert.deepEqual(managed.outputs, outputs, "what was shown is what the service has");
      assert.equal(await managed.up(base), "same");
    });
  });

  describe("adopted", () => {
    beforeEach(async () => {
      await manage({ ...base, userdn: "ou=users" });
      emulator.journal.clear();
    });

    it("is not sent bindpass, as the one that is there may have been rotated", async () => {
      const args = { ...base, bindpass: "long-dead", url: "ldap://other.example", adopt: true };
      const managed = await manage(args);
      assert.equal(managed.id, "ldap");
      assert.ok(!("bindpass" in lastWritten()));
      assert.equal(lastWritten().url, "ldap://other.example");
      const [configuration] = configurations();
      assert.deepEqual([configuration?.bindpass, configuration?.userdn], ["bind-password", "ou=users"]);
      assert.equal(await managed.up(args), "same");
      await managed.up({ ...args, bindpass: "new-one" });
      assert.equal(configurations()[0]?.bindpass, "new-one");
    });

    it("is not written at all when it is as the program says", async () => {
      await manage({ ...base, bindpass: "long-dead", adopt: true });
      assert.deepEqual(written(), []);
    });
  });

  describe("gone", () => {
    it("says that the password may have been rotated, when that is detected and when it is created again", async () => {
      const announced: string[] = [];
      const step = stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`));
      assert.equal(await configDefinition.read(step, "ldap", { binddn: admin }), undefined);
      assert.match(announced.join(), /^warning: .* no longer exists\..* was rotated/);
      announced.length = 0;
      await configDefinition.create(step, { ...base, mount: "ldap" } as never);
      assert.match(announced.join(), /^information: .*password of cn=admin.* was rotated/);
      assert.ok(!announced.join().includes("bind-password"));
    });

    for (const [what, had] of [
      ["roles that were there before", true],
      ["an engine that was never configured", false],
    ] as const) {
      it(`${had ? "says so" : "says nothing"} in another process, by ${what}`, async () => {
        // A connection remembers what was gone on a mount, and all tests share it.
        const mount = had ? "former" : "fresh";
        emulator.secrets.addMount({ type: "directory", path: mount });
        if (had) {
          emulator.secrets.addDirectoryEntry({ dn: "cn=payments,dc=example", password: "x" });
          await manage({ ...base, mount });
          const role = new Managed(staticRoleDefinition, emulator);
          await role.up({
            mount,
            roleName: "payments",
            username: "payments",
            dn: "cn=payments,dc=example",
            rotationPeriod: "1h",
            skipImportRotation: true,
          });
          emulator.secrets.removeDirectoryConfig(mount);
        }
        const announced: string[] = [];
        const step = stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`));
        await configDefinition.create(step, { ...base, mount } as never);
        if (had) {
          assert.match(announced.join(), /^information: .* is created again .* was rotated/);
        } else {
          assert.deepEqual(announced, []);
        }
      });
    }
  });
});

describe("the body that writes a configuration", () => {
  const given =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name);
  const only = <Body>(bodies: readonly Body[]): Body => {
    assert.equal(bodies.length, 1);
    return bodies[0] ?? assert.fail();
  };
  const bodyOf = (values: Readonly<Record<string, unknown>>, ...names: string[]) =>
    only(configurationBodies({ values, isGiven: given(...names), hasPolicy: false }, "documented"));

  it("holds what there is to say, and nothing that the service does not know", () => {
    const values = { binddn: "cn=a", url: "", starttls: false, mount: "ldap", caseSensitiveNames: true };
    assert.deepEqual(bodyOf(values), { binddn: "cn=a", url: "", starttls: false });
    assert.deepEqual(bodyOf({ userdn: null, length: undefined }), {});
  });

  it("names the kind of directory as the service does", () => {
    const schemas = ["open", "ad", "racf", undefined];
    const sent = (dialect: Dialect) =>
      schemas.map(
        (schema) =>
          only(configurationBodies({ values: { schema }, isGiven: given(), hasPolicy: false }, dialect))
            .schema,
      );
    assert.deepEqual(sent("documented"), ["open", "ad", "racf", undefined]);
    assert.deepEqual(sent("hashicorp"), ["openldap", "ad", "racf", undefined]);
  });

  it("brings the search attribute back to what the kind of directory has", () => {
    const attributes = ["open", "ad", "racf", undefined].map(
      (schema) => bodyOf({ schema, userattr: null }).userattr,
    );
    assert.deepEqual(attributes, ["cn", "userPrincipalName", "racfid", "cn"]);
  });

  const lengths: readonly [string, Readonly<Record<string, unknown>>, string[], object[]][] = [
    ["a length alone", { length: 20, passwordPolicy: "" }, ["length"], [{ length: 20 }]],
    ["a policy alone", { passwordPolicy: "p" }, ["passwordPolicy"], [{ password_policy: "p" }]],
    ["the usual length for one that is cleared", { length: null }, ["length"], [{ length: 64 }]],
    [
      "a policy that the program names",
      { length: 20, passwordPolicy: "p" },
      ["passwordPolicy"],
      [{ password_policy: "p" }],
    ],
    [
      "a policy with a length that was cleared",
      { length: null, passwordPolicy: "p" },
      ["length", "passwordPolicy"],
      [{ password_policy: "p" }],
    ],
    [
      "a policy where the program names neither",
      { length: 20, passwordPolicy: "p" },
      [],
      [{ password_policy: "p" }],
    ],
    ["no length that is only the usual one", { length: 64 }, [], [{}]],
    ["another length that is there", { length: 20 }, [], [{ length: 20 }]],
  ];
  for (const [name, values, names, bodies] of lengths) {
    it(`says ${name}, and never both`, () => {
      const wanted = { values, isGiven: given(...names), hasPolicy: false };
      assert.deepEqual(configurationBodies(wanted, "documented"), bodies);
    });
  }

  it("takes a policy away in a request of its own before a length replaces it", () => {
    for (const passwordPolicy of ["p", ""]) {
      const wanted = { values: { length: 20, passwordPolicy }, isGiven: given("length"), hasPolicy: true };
      assert.deepEqual(configurationBodies(wanted, "documented"), [{ password_policy: "" }, { length: 20 }]);
    }
    const cleared = {
      values: { length: 64, passwordPolicy: "" },
      isGiven: given("passwordPolicy"),
      hasPolicy: true,
    };
    assert.deepEqual(configurationBodies(cleared, "documented"), [{ password_policy: "" }]);
  });

  it("names a length in the hashicorp dialect only without a policy, which stays where it is left out", () => {
    const bodies = (values: object, ...names: string[]) =>
      configurationBodies({ values: { ...values }, isGiven: given(...names), hasPolicy: true }, "hashicorp");
    assert.deepEqual(bodies({ length: 20, passwordPolicy: "p" }, "length"), [
      { length: 20, password_policy: "" },
    ]);
    assert.deepEqual(bodies({ length: 20, passwordPolicy: "" }, "length"), [
      { length: 20, password_policy: "" },
    ]);
    assert.deepEqual(bodies({ length: 20, passwordPolicy: "p" }), [{ password_policy: "p" }]);
    assert.deepEqual(bodies({ length: null, passwordPolicy: "p" }), [{ password_policy: "p" }]);
    assert.deepEqual(bodies({ length: null }), [{}]);
    assert.deepEqual(bodies({ length: null, passwordPolicy: "" }), [{ password_policy: "" }]);
    assert.deepEqual(bodies({ length: 20 }), [{ length: 20 }]);
  });
});

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

  const urls = "url should be a URL such as ldaps://ldap.example.com, or several, separated by commas";
  const pem = "certificate must be a PEM certificate";
  const together = "clientTlsCert and clientTlsKey must be given together";
  const refused: readonly [string, Properties, string][] = [
    [
      "a length with a policy",
      { length: 20, passwordPolicy: "strong" },
      "length must not be given together with passwordPolicy, which sets the length",
    ],
    ["a path instead of PEM", { certificate: "/etc/ssl/ca.pem" }, pem],
    ["a key instead of a certificate", { certificate: client.key }, pem],
    ["PEM with its line ends spelt out", { certificate: client.certificate.replaceAll("\n", "\\n") }, pem],
    ["PEM without its end", { certificate: client.certificate.slice(0, -30) }, pem],
    ["PEM with something missing", { certificate: client.certificate.replace("MII", "MI") }, pem],
  ];
  for (const [name, args, problem] of refused) {
    it(`refuses ${name}`, () => {
      assert.deepEqual(problems(args), [problem]);
    });
  }

  const doubtful: readonly [string, Properties, string][] = [
    ["a server without a scheme", { url: "ldap.example" }, urls],
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

describe("secrets.directory.getConfig", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);

  it("reads everything but secrets, from any mount", async () => {
    emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
    await new Managed(configDefinition, emulator).up({
      binddn: "cn=admin",
      bindpass: "canary-bind",
      mount: "teams/ldap",
      length: 20,
    });
    const configuration = await getConfig({ mount: "/teams/ldap" });
    assert.deepEqual(configuration, {
      mount: "teams/ldap",
      binddn: "cn=admin",
      url: "ldap://127.0.0.1",
      schema: "open",
      userdn: null,
      userattr: null,
      upndomain: null,
      requestTimeout: null,
      connectionTimeout: null,
      length: 20,
      passwordPolicy: null,
      starttls: false,
      insecureTls: false,
      certificate: "",
      skipStaticRoleImportRotation: null,
      caseSensitiveNames: false,
      tlsMinVersion: "tls12",
      tlsMaxVersion: "tls12",
    });
  });

  it("says so when there is none", async () => {
    const error = await failure(getConfig());
    assert.equal(error.message, "The mount ldap has no directory configuration.");
  });
});

describe("the URLs of directory servers", () => {
  const { url } = configDefinition.arguments;
  const canonical = url?.canonical ?? assert.fail();

  const lists: readonly [string, boolean][] = [
    ["ldap://ldap.example", true],
    ["LDAPS://ldap.example:636/", true],
    ["ldap://a.example , ldaps://b.example", true],
    ["ldap://[fe80::1]:389", true],
    ["", false],
    [",", false],
    ["ldap://a.example,", false],
    ["ldap://", false],
    ["ldap:///dc=acme", false],
    ["ldapi://socket", false],
    ["http://ldap.example", false],
    ["ldap.example", false],
    ["ldap://a.example ldap://b.example", false],
    ["ldap://a.example:port", false],
    ["ldap://a.example?base", false],
  ];
  for (const [list, expected] of lists) {
    it(`${expected ? "can" : "cannot"} be ${JSON.stringify(list)}`, () => {
      assert.equal(url?.warning?.(list, "documented") === undefined, expected);
    });
  }

  it("are the same in any case and with any white space between them, in the same order", () => {
    assert.equal(canonical("LDAP://A.example ,\tldap://b.EXAMPLE"), "ldap://a.example,ldap://b.example");
    assert.notEqual(canonical("ldap://a,ldap://b"), canonical("ldap://b,ldap://a"));
    assert.deepEqual([canonical(""), canonical(null), canonical(5)], [null, null, 5]);
  });
});

describe("secrets.directory.Config shows no change", () => {
  const base: Properties = { binddn: "cn=admin,dc=acme,dc=example", bindpass: "bind-password" };

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
    it(`for ${name}`, async () => {
      const settings = await serviceWith(emulator, documentedConfiguration);
      const managed = await manage({ ...base, ...all[0] }, settings);
      for (const args of [...all, ...all.toReversed()]) {
        assert.equal(await managed.up({ ...base, ...args }), "same");
        await managed.refresh();
        assert.equal(await managed.up({ ...base, ...args }), "same");
      }
      assert.equal(writes(), 1);
    });
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
const binddn = "cn=admin,dc=acme,dc=example";
const bindpass = "canary-bind-password";
const userdn = "ou=users,dc=acme,dc=example";
const noOthers = {
  isElsewhere: () => false,
  move: () => undefined,
  refuse: () => undefined,
};
const lack = { status: 400, body: { errors: ["missing required field: bindpass"] } };

describe("a change of a secrets.directory.Config", () => {
  const emulator = useEmulator();
  let announced: string[];

  beforeEach(async () => {
    announced = [];
    emulator.secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
    await configDefinition.create(step(), { mount: "ldap", binddn, bindpass });
    emulator.journal.clear();
  });

  const step = () => ({
    ...stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`)),
    managed: new Set(["binddn", "bindpass", "userdn"]),
  });
  const written = () => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  /** Sends another search base, or another password. */
  const change = (
    desired: object = { binddn, bindpass, userdn },
    changed: readonly string[] = ["userdn"],
    more: Partial<Step<SecretsClient>> = {},
  ) =>
    configDefinition.update(
      { ...step(), ...more },
      "ldap",
      { mount: "ldap", ...desired } as never,
      new Set(changed),
      {
        mount: "ldap",
        binddn,
        bindpass,
      },
    );

  it("is retried with bindpass if the service refuses it without, and a warning says what that means", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, times: 1, ...lack });
    await change();
    assert.deepEqual(written(), [
      { binddn, userdn },
      { binddn, userdn, bindpass },
    ]);
    const [warning = "", ...others] = announced;
    assert.deepEqual(others, []);
    assert.match(
      warning,
      /^warning: .* of ldap, .*If the password of cn=admin.* was rotated in the meantime \(RootRotation\)/,
    );
    assert.ok(!warning.includes(bindpass));
  });

  it("fails when it is refused with bindpass as well, and warns of nothing", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, times: 2, ...lack });
    const error = await failure(change());
    assert.match(error.message, /400.*missing required field: bindpass/);
    assert.deepEqual([written().length, announced], [2, []]);
  });

  // The document shows no words and no status for it.
  for (const refusal of [
    { status: 400, body: { errors: ["bad request"] } },
    { status: 422, body: { errors: [] } },
    { status: 400 },
  ]) {
    it(`is retried once with bindpass whatever a ${refusal.status} says: ${JSON.stringify(refusal.body)}`, async () => {
      emulator.faults.add({ service: "secrets", method: "POST", path, times: 1, ...refusal });
      await change();
      assert.deepEqual(written(), [
        { binddn, userdn },
        { binddn, userdn, bindpass },
      ]);
    });
  }

  it("is never sent with an outdated password: not after a rotation in this process", async () => {
    const { client } = step();
    await rotateRootPassword(client, "ldap");
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    const error = await failure(change(undefined, undefined, { client }));
    assert.ok(ServiceError.isInstance(error));
    assert.match(error.message, /400.*missing required field: bindpass.*was rotated \(RootRotation\)/);
    assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
  });

  it("is never sent with an outdated password: not if state has a RootRotation of the mount", async () => {
    const others = { ...noOthers, inherited: { memory: {}, managed: [] } };
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    assert.match((await failure(change(undefined, undefined, { others }))).message, /was rotated/);
    assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
  });

  const refusals = [
    ["a want of rights", { status: 403, body: { errors: ["permission denied: bindpass"] } }],
    ["a failure", { status: 501, body: { errors: ["bindpass"] } }],
  ] as const;
  for (const [what, refusal] of refusals) {
    it(`is not repeated where the service refuses it with ${what}`, async () => {
      emulator.faults.add({ service: "secrets", method: "POST", path, ...refusal });
      const error = await failure(change());
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, refusal.status);
      assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
    });
  }

  it("is not repeated when it has held bindpass", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    await failure(change({ binddn, bindpass: "canary-other-password" }, ["bindpass"]));
    assert.deepEqual([written().length, announced], [1, []]);
  });
});
