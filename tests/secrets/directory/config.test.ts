import assert from "node:assert/strict";
import type { JsonValue } from "../../../sdk/base/json";
import { canonicalForm } from "../../../sdk/resource/fields/field";
import { z } from "zod";
import { ServiceError } from "../../../sdk/base/errors";
import type { Dialect } from "../../../sdk/base/settings";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { configDefinition, configurationBodies, getConfig } from "../../../sdk/secrets/directory/config";
import { rootRotationDefinition, rotateRootPassword } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { certificates } from "../../support/certificates";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { type Alteration, serviceWith } from "../altered-responses";
import { stepAt } from "../emulated-client";

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

/** A service that returns only what the documents promise. */
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
const bindpass = "canary-bind-password";
const base = { binddn: admin, bindpass };
const { authority, otherAuthority, client } = certificates();

describe("secrets.directory.Config", () => {
  const emulator = useEmulator();
  let announced: string[];

  useEnvironment(() => emulator.environment);
  afterEach(stopServers);
  beforeEach(() => {
    announced = [];
    emulator.secrets.addDirectoryEntry({ dn: admin, password: bindpass });
  });

  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(configDefinition, emulator, args, settings);
  const step = () => stepAt(emulator, announced);
  const configuration = () => emulator.inspect().secrets.directoryConfigs[0] ?? assert.fail();
  const written = () =>
    emulator.journal
      .requests({ method: "POST", path })
      .map(({ body }) => body as Readonly<Record<string, unknown>>);

  it("a configuration sends only the program's arguments, and returns the service's defaults", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap");
    assert.deepEqual(written(), [base]);
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
  });

  it("a configuration never sends the password that a rotation has made void, whatever else changes", async () => {
    const managed = await manage();
    await new FakeEngine(rootRotationDefinition, emulator).up({});
    const rotated = configuration().bindpass;
    assert.notEqual(rotated, bindpass);
    emulator.journal.clear();
    const changes: Properties[] = [
      { url: "ldap://ldap.example" },
      { passwordPolicy: "strong" },
      { passwordPolicy: null, length: 20 },
      { clientTlsCert: client.certificate, clientTlsKey: client.key },
      { binddn: "cn=other,dc=acme,dc=example" },
    ];
    let args: Properties = base;
    for (const change of changes) {
      args = { ...args, ...change };
      assert.equal(await managed.up(args), "updated", JSON.stringify(Object.keys(change)));
      await managed.refresh();
    }
    assert.equal(await managed.up(base), "updated", "all of them removed");
    // One more where a length replaces a policy: no request names both.
    assert.equal(written().length, changes.length + 2);
    assert.ok(!JSON.stringify(emulator.journal.requests()).includes(bindpass));
    assert.equal(configuration().bindpass, rotated);
    await managed.up({ ...base, bindpass: "set-by-hand" });
    assert.equal(configuration().bindpass, "set-by-hand");
  });

  it("a configuration leaves alone what the program never named", async () => {
    const managed = await manage();
    emulator.secrets.changeDirectoryConfig({ length: 33, upndomain: "acme.example" });
    await managed.up({ ...base, starttls: true });
    const { length, upndomain } = configuration();
    assert.deepEqual([length, upndomain], [33, "acme.example"]);
  });

  it("a configuration is adopted without bindpass, as the one that is there may have been rotated", async () => {
    await manage({ ...base, userdn: "ou=users" });
    emulator.journal.clear();
    await manage({ ...base, bindpass: "long-dead", adopt: true });
    assert.deepEqual(written(), [], "it is as the program says");
    const args = { ...base, bindpass: "long-dead", url: "ldap://other.example", adopt: true };
    const managed = await manage(args);
    const found = written().map(({ url, ...body }) => [url, "bindpass" in body]);
    assert.deepEqual(found, [["ldap://other.example", false]]);
    assert.deepEqual([configuration().bindpass, configuration().userdn], [bindpass, "ou=users"]);
    assert.equal(await managed.up(args), "same");
    await managed.up({ ...args, bindpass: "new-one" });
    assert.equal(configuration().bindpass, "new-one");
  });

  it("the advice says that the password may have been rotated, when it is gone and when it is created again", async () => {
    assert.equal(await configDefinition.read(step(), "ldap", { binddn: admin }), undefined);
    await configDefinition.create(step(), { ...base, mount: "ldap" });
    const [gone = "", again = "", ...others] = announced;
    assert.match(gone, /^warning: .* no longer exists\..* was rotated/);
    assert.match(again, /^information: .* is created again .*password of cn=admin.* was rotated/);
    assert.ok(!announced.join().includes(bindpass));
    assert.deepEqual(others, []);
  });

  for (const had of [true, false]) {
    it(`the advice about a rotated password comes in another process ${had ? "because of its roles" : "only if there are roles"}`, async () => {
      // A connection remembers what was gone on a mount, and all tests share it.
      const mount = had ? "former" : "new";
      emulator.secrets.addMount({ type: "directory", path: mount });
      if (had) {
        emulator.secrets.addDirectoryEntry({ dn: "cn=payments,dc=example", password: "x" });
        await manage({ ...base, mount });
        await new FakeEngine(staticRoleDefinition, emulator).up({
          mount,
          roleName: "payments",
          username: "payments",
          dn: "cn=payments,dc=example",
          rotationPeriod: "1h",
          skipImportRotation: true,
        });
        emulator.secrets.removeDirectoryConfig(mount);
      }
      await configDefinition.create(step(), { ...base, mount });
      assert.match(announced.join(), had ? /^information: .* is created again .* was rotated/ : /^$/);
    });
  }

  it("a configuration shows no change for what a documented read does not return", async () => {
    const settings = await serviceWith(emulator, documentedConfiguration);
    const args = { ...base, userdn: "ou=users,dc=acme,dc=example", userattr: "uid", requestTimeout: "45s" };
    const managed = await manage(args, settings);
    emulator.secrets.changeDirectoryConfig({ userdn: "ou=elsewhere", requestTimeout: 10 });
    await managed.refresh();
    assert.equal(await managed.up(args), "same");
    assert.equal(managed.outputs.requestTimeout, 45, "seconds, also of what was only sent");
  });

  describe("that the service does not update without bindpass", () => {
    const userdn = "ou=users,dc=acme,dc=example";
    const without = { binddn: admin, userdn };
    const lack = { body: { errors: ["missing required field: bindpass"] } };
    const refuse = (fault: object, times = 1): void => {
      emulator.faults.add({ service: "secrets", method: "POST", path, times, status: 400, ...fault });
    };
    const change = (desired: object = { ...base, userdn }, changed = "userdn", more: object = {}) => {
      const managed = new Set(["binddn", "bindpass", "userdn"]);
      const known = { mount: "ldap", ...base };
      const next = { mount: "ldap", ...desired } as never;
      return configDefinition.update(
        { ...step(), managed, ...more },
        "ldap",
        next,
        new Set([changed]),
        known,
      );
    };

    beforeEach(async () => {
      await configDefinition.create(step(), { mount: "ldap", ...base });
      emulator.journal.clear();
      announced = [];
    });

    // The document shows no words and no status for it.
    const refusals = [
      lack,
      { status: 400, body: { errors: ["bad request"] } },
      { status: 422, body: { errors: [] } },
      { status: 500, body: { errors: ["internal"] } },
      { status: 400 },
    ];
    for (const refusal of refusals) {
      it(`a service that wants bindpass is never sent it unasked, and the error says both ways: ${JSON.stringify(refusal)}`, async () => {
        refuse(refusal);
        const { message } = await failure(change());
        assert.match(message, /If the service requires bindpass: .*correct it; .*`resendBindpass: true`/);
        assert.ok(!message.includes(bindpass));
        assert.deepEqual([written(), announced], [[without], []]);
      });

      it(`a service that wants bindpass is sent it after the refusal where the program allows that: ${JSON.stringify(refusal)}`, async () => {
        refuse(refusal);
        await change({ ...base, userdn, resendBindpass: true });
        assert.deepEqual([written(), announced], [[without, { ...without, bindpass }], []]);
      });
    }

    it("a service that wants bindpass is allowed that by an argument that makes no request itself", async () => {
      const managed = await manage({ ...base, adopt: true });
      emulator.journal.clear();
      assert.equal(await managed.up({ ...base, resendBindpass: true }), "updated");
      assert.deepEqual(written(), []);
      refuse(lack);
      await managed.up({ ...base, userdn, resendBindpass: true });
      assert.equal(written().length, 2);
    });

    const rotated: readonly [where: string, more: () => Promise<object>][] = [
      [
        "in this process",
        async () => {
          const { client: own } = step();
          await rotateRootPassword(own, { mount: "ldap" });
          return { client: own };
        },
      ],
      [
        "by a RootRotation of the mount in state",
        () => Promise.resolve({ others: { inherited: { privateState: {}, managed: [] } } }),
      ],
    ];
    for (const [where, more] of rotated) {
      it(`a service that wants bindpass is never sent an outdated password, rotated ${where}`, async () => {
        const given = await more();
        refuse(lack);
        const error = await failure(change({ ...base, userdn, resendBindpass: true }, undefined, given));
        assert.ok(ServiceError.isInstance(error));
        assert.match(error.message, /400.*missing required field: bindpass.*was rotated \(RootRotation\)/);
        assert.deepEqual([written(), announced], [[without], []]);
      });
    }

    const others: readonly [string, object, RegExp, object?, string?][] = [
      ["permissions are missing", { status: 403, body: { errors: ["permission denied: bindpass"] } }, /403/],
      ["it had bindpass", lack, /400/, { ...base, bindpass: "canary-other-password" }, "bindpass"],
    ];
    for (const [what, refusal, message, ...changed] of others) {
      it(`a configuration is not written again, without that advice, when ${what}`, async () => {
        refuse(refusal);
        assert.match((await failure(change(...changed))).message, message);
        assert.deepEqual([written().length, announced], [1, []]);
      });
    }
  });

  it("a configuration can be read without secrets, from any mount, with nothing for what the service does not return", async () => {
    emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
    await manage({ ...base, mount: "teams/ldap", length: 20 });
    const actual = await getConfig({ mount: "/teams/ldap" });
    assert.deepEqual(actual, {
      mount: "teams/ldap",
      binddn: admin,
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
    const { message } = await failure(getConfig());
    assert.equal(message, "The directory configuration of the mount ldap does not exist.");
  });
});

describe("the body that writes a configuration", () => {
  const bodies = (
    values: Readonly<Record<string, unknown>>,
    dialect: Dialect = "documented",
    names: readonly string[] = [],
    hasPolicy = false,
  ) => configurationBodies({ values, givesLength: names.includes("length"), hasPolicy }, dialect);

  it("the body of a configuration has the search attribute of the schema where it is cleared, and the schema's word in each dialect", () => {
    const expected = [
      ["open", "cn", "openldap"],
      ["ad", "userPrincipalName", "ad"],
      ["racf", "racfid", "racf"],
      [undefined, "cn", undefined],
    ] as const;
    for (const [schema, userattr, word] of expected) {
      assert.deepEqual(bodies({ schema, userattr: null }), [{ ...(schema && { schema }), userattr }]);
      assert.deepEqual(bodies({ schema }, "hashicorp"), [word === undefined ? {} : { schema: word }]);
    }
  });

  const policy = { password_policy: "p" };
  const none = { password_policy: "" };
  const rules: readonly [
    name: string,
    values: object,
    names: string[],
    documented: object[],
    hashicorp: object[],
  ][] = [
    [
      "a length alone",
      { length: 20, passwordPolicy: "" },
      ["length"],
      [{ length: 20 }],
      [{ length: 20, ...none }],
    ],
    ["a policy alone", { passwordPolicy: "p" }, ["passwordPolicy"], [policy], [policy]],
    ["the default for a cleared length", { length: null }, ["length"], [{ length: 64 }], [{}]],
    [
      "the policy that the program names",
      { length: 20, passwordPolicy: "p" },
      ["passwordPolicy"],
      [policy],
      [policy],
    ],
    [
      "a policy beside a cleared length",
      { length: null, passwordPolicy: "p" },
      ["length", "passwordPolicy"],
      [policy],
      [policy],
    ],
    ["a policy where the program names neither", { length: 20, passwordPolicy: "p" }, [], [policy], [policy]],
    ["no length that is only the default", { length: 64 }, [], [{}], [{ length: 64 }]],
    ["another length that is there", { length: 20 }, [], [{ length: 20 }], [{ length: 20 }]],
  ];
  for (const [name, values, names, ...expected] of rules) {
    it(`the body of a configuration says ${name}, and never both`, () => {
      const dialects = ["documented", "hashicorp"] as const;
      assert.deepEqual(
        dialects.map((dialect) => bodies({ ...values }, dialect, names)),
        expected,
      );
    });
  }

  it("the body of a configuration takes a policy away in a request of its own before a length replaces it", () => {
    for (const passwordPolicy of ["p", ""]) {
      const values = { length: 20, passwordPolicy };
      assert.deepEqual(bodies(values, "documented", ["length"], true), [none, { length: 20 }]);
      assert.deepEqual(bodies(values, "hashicorp", ["length"], true), [{ length: 20, ...none }]);
    }
    const cleared = { length: 64, passwordPolicy: "" };
    assert.deepEqual(bodies(cleared, "documented", ["passwordPolicy"], true), [none]);
    assert.deepEqual(bodies({ length: null, passwordPolicy: "" }, "hashicorp", [], true), [none]);
  });
});

describe("the arguments of secrets.directory.Config, in a preview", () => {
  const judge = (
    args: Properties,
    dialect: Dialect = "documented",
  ): readonly [string[], readonly string[]] => {
    const { failures, warnings } = checkArguments(configDefinition, z, dialect, { ...base, ...args });
    return [failures.map(({ property, reason }) => `${property} ${reason}`), warnings];
  };

  const accepted: readonly [string, Properties][] = [
    [
      "several authorities",
      { certificate: `# ours\n${authority.certificate}\n${otherAuthority.certificate}` },
    ],
    ["a certificate with its key", { clientTlsCert: client.certificate, clientTlsKey: client.key }],
    ["a length, and a policy that is cleared", { length: 64, passwordPolicy: null }],
    [
      "nothing where nothing is needed",
      { certificate: null, clientTlsCert: "", clientTlsKey: null, url: null },
    ],
  ];
  for (const [name, args] of accepted) {
    it(`a preview of a configuration accepts ${name}`, () => assert.deepEqual(judge(args), [[], []]));
  }

  const refused: readonly [string, Properties, string][] = [
    [
      "a length with a policy",
      { length: 20, passwordPolicy: "strong" },
      "length must not be given together with passwordPolicy, which sets the length",
    ],
    ["a key instead of a certificate", { certificate: client.key }, "certificate must be a PEM certificate"],
    [
      "no PEM, without repeating a secret",
      { clientTlsKey: "canary" },
      "clientTlsKey must be a PEM private key",
    ],
  ];
  for (const [name, args, problem] of refused) {
    it(`a preview of a configuration refuses ${name}`, () => assert.deepEqual(judge(args)[0], [problem]));
  }

  const together = "clientTlsCert and clientTlsKey must be given together";
  const { certificate: clientTlsCert, key: clientTlsKey } = client;
  const doubtful: readonly [name: string, args: Properties, warning: string, refusedByProducts?: true][] = [
    ["a length of nothing", { length: 0 }, "length is less than 1, which is unlikely to work"],
    [
      "a certificate instead of a key",
      { clientTlsCert, clientTlsKey: clientTlsCert },
      "clientTlsKey should be a private key without a password",
    ],
    ["a certificate without key", { clientTlsCert }, `clientTlsKey is missing: ${together}`, true],
    ["a key without certificate", { clientTlsKey }, `clientTlsCert is missing: ${together}`, true],
    [
      "the key of another certificate",
      { clientTlsCert, clientTlsKey: authority.key },
      "clientTlsKey is not the key of clientTlsCert",
      true,
    ],
  ];
  for (const [name, args, warning, isRefused = false] of doubtful) {
    it(`a preview of a configuration warns of ${name}${isRefused ? ", which the products refuse" : ""}`, () => {
      assert.deepEqual(judge(args), [[], [warning]]);
      const [failures, warnings] = judge(args, "hashicorp");
      assert.deepEqual([failures.length, warnings.length], isRefused ? [1, 0] : [0, 1]);
    });
  }

  const urls: readonly [valid: boolean, ...lists: string[]][] = [
    [
      true,
      "ldap://ldap.example",
      "LDAPS://ldap.example:636/",
      "ldap://a.example , ldaps://b.example",
      "ldap://[fe80::1]:389",
    ],
    [
      false,
      "",
      ",",
      "ldap://a.example,",
      "ldap://",
      "ldap:///dc=acme",
      "ldapi://socket",
      "http://ldap.example",
      "ldap.example",
    ],
    [false, "ldap://a.example ldap://b.example", "ldap://a.example:port", "ldap://a.example?base"],
  ];
  for (const [isValid, ...lists] of urls) {
    for (const url of lists) {
      it(`a preview of a configuration ${isValid ? "accepts" : "warns of"} the URLs ${JSON.stringify(url)}`, () => {
        const warning =
          "url should be a URL such as ldaps://ldap.example.com, or several, separated by commas";
        assert.deepEqual(judge({ url }), [[], isValid ? [] : [warning]]);
      });
    }
  }

  it("a preview of a configuration compares URLs without case and white space, in their order", () => {
    const { url, userattr, userdn } = configDefinition.arguments;
    const canonical = (value: JsonValue): JsonValue => canonicalForm(url ?? assert.fail(), value);
    assert.equal(canonical("LDAP://A.example ,\tldap://b.EXAMPLE"), "ldap://a.example,ldap://b.example");
    assert.notEqual(canonical("ldap://a,ldap://b"), canonical("ldap://b,ldap://a"));
    assert.deepEqual([canonical(""), canonical(null), canonical(5)], [null, null, 5]);
    assert.deepEqual(
      [canonicalForm(userattr ?? {}, "sAMAccountName"), canonicalForm(userdn ?? {}, "")],
      ["samaccountname", null],
    );
  });
});

describe("the configuration of a directory engine of an older product", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  afterEach(stopServers);

  it("does not say of what its service ignores that the service has it", async () => {
    const ignored = ["rotationPeriod", "rotateOnRead", "credentialType"] as const;
    const older = await serviceWith(emulator, ({ method }, { status, body }) => {
      const { rotation_period, rotate_on_read, credential_type, ...data } = body?.data ?? {};
      return method === "GET" && status === 200 ? { status, body: { data } } : { status, body };
    });
    const settings = { ...older, "trivium:secretsDialect": "hashicorp" };
    const args = { ...base, rotationPeriod: "720h", rotateOnRead: true, credentialType: "phrase" };
    const managed = await FakeEngine.create(configDefinition, emulator, args, settings);
    const outputs = () => ignored.map((name) => managed.outputs[name]);
    assert.deepEqual(outputs(), [null, null, null]);
    assert.equal(await managed.up(args), "same");
    const later = { ...args, rotationPeriod: "800h", userdn: "ou=users,dc=acme,dc=example" };
    assert.equal(await managed.up(later), "updated");
    assert.deepEqual(outputs(), [null, null, null]);
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up(later), "same");
  });
});
