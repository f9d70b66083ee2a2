import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { ServiceError } from "../../../sdk/base/errors";
import type { JsonValue } from "../../../sdk/base/json";
import type { Dialect } from "../../../sdk/base/settings";
import { canonicalForm } from "../../../sdk/resource/fields/field";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { configDefinition, configurationBodies, getConfig } from "../../../sdk/secrets/directory/config";
import { rootRotationDefinition, rotateRootPassword } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { failure } from "../../http/calls";
import { certificates } from "../../support/certificates";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { ask, bodiesSentTo, hashicorp, stepAt, useSecrets } from "../emulated-client";

const path = "/v1/ldap/config";
const admin = "cn=admin,dc=acme,dc=example";
const bindpass = "canary-bind-password";
const base = { binddn: admin, bindpass };
const userdn = "ou=users,dc=acme,dc=example";
const { authority, otherAuthority, client } = certificates();
const dialects = ["documented", "hashicorp"] as const;
/** What a documented service has of a configuration that names none of it. */
const defaults = {
  url: "ldap://127.0.0.1",
  schema: "open",
  tlsMinVersion: "tls12",
  tlsMaxVersion: "tls12",
  starttls: false,
  insecureTls: false,
  certificate: "",
  caseSensitiveNames: false,
};

describe("secrets.directory.Config", () => {
  const emulator = useSecrets();
  const announced: string[] = [];
  beforeEach(() => {
    announced.length = 0;
    emulator.secrets.addDirectoryEntry({ dn: admin, password: bindpass });
  });

  const manage = (args: Properties = base) => FakeEngine.create(configDefinition, emulator, args);
  const step = () => stepAt(emulator, announced);
  const configuration = () => emulator.inspect().secrets.directoryConfigs[0] ?? assert.fail();
  const written = () =>
    emulator.journal.requests({ method: "POST", path }).map(({ body }) => body as Properties);

  it("a configuration sends only the program's arguments, and returns the service's defaults", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap");
    assert.deepEqual(written(), [base]);
    const { __managed, __at, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...base, ...defaults, mount: "ldap", length: 64 });
    emulator.secrets.changeDirectoryConfig({ length: 33, upndomain: "acme.example" });
    await managed.up({ ...base, starttls: true });
    const { length, upndomain } = configuration();
    assert.deepEqual([length, upndomain], [33, "acme.example"], "what the program never named is left alone");
  });

  it("a configuration never sends a password that a rotation has made obsolete, whatever else changes", async () => {
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

  it("a configuration is adopted without bindpass, because the existing password might have been rotated", async () => {
    await manage({ ...base, userdn });
    emulator.journal.clear();
    await manage({ ...base, bindpass: "long-dead", adopt: true });
    assert.deepEqual(written(), [], "it is as the program says");
    const args = { ...base, bindpass: "long-dead", url: "ldap://other.example", adopt: true };
    const managed = await manage(args);
    const found = written().map(({ url, ...body }) => [url, "bindpass" in body]);
    assert.deepEqual(found, [["ldap://other.example", false]]);
    assert.deepEqual([configuration().bindpass, configuration().userdn], [bindpass, userdn]);
    assert.equal(await managed.up(args), "same");
    await managed.up({ ...args, bindpass: "new-one" });
    assert.equal(configuration().bindpass, "new-one");
  });

  it("the advice says that the password might have been rotated, when a configuration is missing and when it is created again", async () => {
    assert.equal(await configDefinition.read(step(), "ldap", { binddn: admin }), undefined);
    await configDefinition.create(step(), { ...base, mount: "ldap" });
    const [gone = "", again = "", ...others] = announced;
    assert.match(gone, /^warning: .* no longer exists\..* was rotated/);
    assert.match(again, /^information: .* is created again .*password of cn=admin.* was rotated/);
    assert.ok(!announced.join().includes(bindpass));
    assert.deepEqual(others, []);
  });

  for (const had of [true, false]) {
    it(`the advice about a rotated password is shown in another process ${had ? "because of its roles" : "only if there are roles"}`, async () => {
      // A connection remembers what was gone on a mount, and all tests share it.
      const mount = had ? "former" : "new";
      emulator.secrets.addMount({ type: "directory", path: mount });
      if (had) {
        await manage({ ...base, mount });
        const role = { mount, roleName: "bind", username: "admin", dn: admin, rotationPeriod: "1h" };
        await FakeEngine.create(staticRoleDefinition, emulator, { ...role, skipImportRotation: true });
        emulator.secrets.removeDirectoryConfig(mount);
      }
      await configDefinition.create(step(), { ...base, mount });
      assert.match(announced.join(), had ? /^information: .* is created again .* was rotated/ : /^$/);
    });
  }

  const lack = { body: { errors: ["missing required field: bindpass"] } };
  const refuse = (fault: object): void => {
    emulator.faults.add({ method: "POST", path, status: 400, ...fault });
  };

  // The document shows no words and no status for it.
  for (const refusal of [
    lack,
    { status: 422, body: { errors: [] } },
    { status: 500, body: { errors: ["internal"] } },
  ]) {
    it(`a configuration whose service requires bindpass sends it only if the program allows that, and the error names both solutions: ${JSON.stringify(refusal)}`, async () => {
      const managed = await manage();
      refuse(refusal);
      const ways = /^(?!.*canary).*The service might require bindpass.*correct it; .*`resendBindpass: true`/s;
      await assert.rejects(managed.up({ ...base, userdn }), { message: ways });
      refuse(refusal);
      await managed.up({ ...base, userdn, resendBindpass: true });
      const sent = written().map((body) => body.bindpass);
      assert.deepEqual(sent, [bindpass, undefined, undefined, bindpass]);
    });
  }

  const isRotated = /400.*missing required field: bindpass.*was rotated \(RootRotation\)/;
  const inState = { others: { inherited: { privateState: {}, managed: [] } } };
  const rotate = async () => {
    const { client: own } = step();
    await rotateRootPassword(own, { mount: "ldap" });
    return { client: own };
  };
  const denied = { status: 403, body: { errors: ["permission denied: bindpass"] } };
  const change = { bindpass: "canary-other-password" };
  for (const [what, refusal, message, desired = {}, more] of [
    ["its password was rotated in this process", lack, isRotated, { resendBindpass: true }, rotate],
    ["a RootRotation of its mount is in state", lack, isRotated, { resendBindpass: true }, () => inState],
    ["permissions are missing", denied, /403(?!.*resendBindpass)/],
    ["it had bindpass", lack, /400(?!.*resendBindpass)/, change],
  ] as readonly (readonly [string, object, RegExp, object?, (() => object | Promise<object>)?])[]) {
    it(`a configuration is not written again with bindpass when ${what}`, async () => {
      // Also forgets that a test before has rotated it.
      await configDefinition.create(stepAt(emulator), { mount: "ldap", ...base });
      const at = { ...step(), managed: new Set(["binddn", "bindpass", "userdn"]), ...(await more?.()) };
      refuse(refusal);
      const next = { mount: "ldap", ...base, userdn, ...desired };
      const changed = new Set([desired === change ? "bindpass" : "userdn"]);
      const error = await failure(
        configDefinition.update?.(at, "ldap", next, changed, { mount: "ldap", ...base }) ?? assert.fail(),
      );
      assert.match(error.message, message);
      assert.ok(ServiceError.isInstance(error));
      assert.deepEqual([written().length, announced], [2, []]);
    });
  }

  it("a configuration can be read without secrets, from any mount, with empty values for what the service does not return", async () => {
    emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
    await manage({ ...base, mount: "teams/ldap", length: 20 });
    const unread = {
      userdn: null,
      userattr: null,
      upndomain: null,
      requestTimeout: null,
      connectionTimeout: null,
      passwordPolicy: null,
      skipStaticRoleImportRotation: null,
    };
    const known = { mount: "teams/ldap", binddn: admin, ...defaults, length: 20 };
    assert.deepEqual(await getConfig({ mount: "/teams/ldap" }), { ...known, ...unread });
    const { message } = await failure(getConfig());
    assert.equal(message, "The directory configuration of the mount ldap does not exist.");
  });
});

describe("the body that writes a configuration", () => {
  const bodies = (values: object, dialect: Dialect = "documented", givesLength = false, hasPolicy = false) =>
    configurationBodies({ values: { ...values }, givesLength, hasPolicy }, dialect);

  for (const [schema, userattr, word] of [
    ["open", "cn", "openldap"],
    ["ad", "userPrincipalName", "ad"],
    ["racf", "racfid", "racf"],
    [undefined, "cn", undefined],
  ] as const) {
    it(`the body of a configuration contains the search attribute of the schema ${schema} if it is cleared, and the schema's name in each dialect`, () => {
      assert.deepEqual(bodies({ schema, userattr: null }), [{ ...(schema && { schema }), userattr }]);
      assert.deepEqual(bodies({ schema }, "hashicorp"), [word === undefined ? {} : { schema: word }]);
    });
  }

  const policy = { password_policy: "p" };
  const none = { password_policy: "" };
  const both = { length: 20, passwordPolicy: "p" };
  for (const [name, values, givesLength, ...expected] of [
    ["a length alone", { length: 20, passwordPolicy: "" }, true, { length: 20 }, { length: 20, ...none }],
    ["a policy alone", { passwordPolicy: "p" }, false, policy, policy],
    ["the default for a cleared length", { length: null }, true, { length: 64 }, {}],
    ["a policy if the program does not set a length", both, false, policy, policy],
    ["a policy together with a cleared length", { length: null, passwordPolicy: "p" }, true, policy, policy],
    ["no length that is only the default", { length: 64 }, false, {}, { length: 64 }],
    ["a different existing length", { length: 20 }, false, { length: 20 }, { length: 20 }],
  ] as const) {
    it(`the body of a configuration contains ${name}, and never both`, () => {
      const sent = dialects.flatMap((dialect) => bodies(values, dialect, givesLength));
      assert.deepEqual(sent, expected);
    });
  }

  it("the body of a configuration removes a policy in a separate request before a length replaces it", () => {
    for (const passwordPolicy of ["p", ""]) {
      const values = { length: 20, passwordPolicy };
      assert.deepEqual(bodies(values, "documented", true, true), [none, { length: 20 }]);
      assert.deepEqual(bodies(values, "hashicorp", true, true), [{ length: 20, ...none }]);
    }
    assert.deepEqual(bodies({ length: 64, passwordPolicy: "" }, "documented", false, true), [none]);
    assert.deepEqual(bodies({ length: null, passwordPolicy: "" }, "hashicorp", false, true), [none]);
  });
});

describe("the arguments of secrets.directory.Config, in a preview", () => {
  const judge = (args: Properties, dialect: Dialect = "documented") => {
    const { failures, warnings } = checkArguments(definitionIn(configDefinition, dialect), z, {
      ...base,
      ...args,
    });
    return [failures.map(({ property, reason }) => `${property} ${reason}`), warnings] as const;
  };

  const two = `# ours\n${authority.certificate}\n${otherAuthority.certificate}`;
  const { certificate: clientTlsCert, key: clientTlsKey } = client;
  const noKey = { clientTlsCert, clientTlsKey: clientTlsCert };
  const notPem = "clientTlsKey must be a PEM private key";
  const foreignKey = { clientTlsCert, clientTlsKey: authority.key };
  const nothing = { certificate: null, clientTlsCert: "", clientTlsKey: null, url: null };
  const together = "clientTlsCert and clientTlsKey must be set together";
  const length = "length must not be set together with passwordPolicy, which sets the length";
  const badUrl = "url should be a URL such as ldaps://ldap.example.com, or several, separated by commas";
  const invalid = ["", ",", "ldap://a.example,", "ldap://", "ldap:///dc=acme", "ldapi://socket"];
  type Verdict = "accepts" | "refuses" | "warns of" | "warns, and products refuse";
  const rows: readonly (readonly [Verdict, string, Properties, problem?: string])[] = [
    ["accepts", "several authorities", { certificate: two }],
    ["accepts", "a certificate with its key", { clientTlsCert, clientTlsKey }],
    ["accepts", "a length, and a policy that is cleared", { length: 64, passwordPolicy: null }],
    ["accepts", "nothing if nothing is needed", nothing],
    ["refuses", "a length with a policy", { length: 20, passwordPolicy: "strong" }, length],
    ["refuses", "a key as certificate", { certificate: client.key }, "certificate must be a PEM certificate"],
    ["refuses", "a secret without PEM", { clientTlsCert, clientTlsKey: "canary" }, notPem],
    ["warns of", "an empty length", { length: 0 }, "length is less than 1, which is unlikely to work"],
    ["warns of", "no key", noKey, "clientTlsKey should be a private key without a password"],
    ["warns, and products refuse", "no key", { clientTlsCert }, `clientTlsKey is missing: ${together}`],
    ["warns, and products refuse", "a key alone", { clientTlsKey }, `clientTlsCert is missing: ${together}`],
    ["warns, and products refuse", "another key", foreignKey, "clientTlsKey is not the key of clientTlsCert"],
    ...["ldap://ldap.example", "LDAPS://ldap.example:636/", "ldap://a.example , ldaps://b.example"].map(
      (url) => ["accepts", `the URL ${url}`, { url }] as const,
    ),
    ["accepts", "an IPv6 address", { url: "ldap://[fe80::1]:389" }],
    ...[...invalid, "http://ldap.example", "ldap.example", "ldap://a.example?base"].map(
      (url) => ["warns of", `the URL ${JSON.stringify(url)}`, { url }, badUrl] as const,
    ),
    ["warns of", "URLs without a comma", { url: "ldap://a.example ldap://b.example" }, badUrl],
    ["warns of", "a port in words", { url: "ldap://a.example:port" }, badUrl],
  ];
  it("a preview of a configuration reports both an invalid key and a missing certificate", () => {
    assert.deepEqual(judge({ clientTlsKey: "canary" }), [
      [notPem],
      [`clientTlsCert is missing: ${together}`],
    ]);
  });

  it("a preview of a configuration warns about an attribute that the products' engine does not recognize in this spelling", () => {
    assert.match(
      judge({ userattr: "CN" }, "hashicorp")[1].join(),
      /^userattr is not an attribute that the engine can search by/,
    );
    assert.deepEqual(judge({ userattr: "sAMAccountName" }, "hashicorp")[1], []);
    assert.deepEqual(judge({ userattr: "CN" })[1], []);
  });

  for (const [verdict, name, args, problem] of rows) {
    it(`a preview of a configuration ${verdict} ${name}`, () => {
      const problems = problem === undefined ? [] : [problem];
      assert.deepEqual(judge(args), verdict === "refuses" ? [problems, []] : [[], problems]);
      const counts = judge(args, "hashicorp").map(({ length: count }) => count);
      assert.deepEqual(counts, verdict.startsWith("warns of") ? [0, 1] : [problems.length, 0]);
    });
  }

  it("a preview of a configuration compares URLs in order, ignoring case and white space", () => {
    const { url, userattr, userdn: place } = definitionIn(configDefinition, "documented").arguments;
    const canonical = (value: JsonValue): JsonValue => canonicalForm(url ?? assert.fail(), value);
    assert.equal(canonical("LDAP://A.example ,\tldap://b.EXAMPLE"), "ldap://a.example,ldap://b.example");
    assert.notEqual(canonical("ldap://a,ldap://b"), canonical("ldap://b,ldap://a"));
    assert.deepEqual([canonical(""), canonical(null), canonical(5)], [null, null, 5]);
    const others = [canonicalForm(userattr ?? {}, "sAMAccountName"), canonicalForm(place ?? {}, "")];
    assert.deepEqual(others, ["samaccountname", null]);
  });
});

describe("a directory configuration in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  beforeEach(() => void emulator.secrets.addDirectoryEntry({ dn: admin, password: bindpass }));

  const manage = (more: Properties = {}, settings = {}) =>
    FakeEngine.create(configDefinition, emulator, { ...base, ...more }, settings);
  const stored = () => ask(emulator, "GET", "ldap/config");
  const lastBody = () => bodiesSentTo(emulator, "ldap/config").at(-1) as Properties;

  // Both engines store the attribute as it is written, and only know it in their own spelling: ldap-engines.json.
  it("a userattr that only differs in case is a change in the hashicorp dialect, so that the advice about it can be followed", async () => {
    const managed = await manage({ userattr: "CN" });
    const rotate = () => FakeEngine.create(rootRotationDefinition, emulator, {}, hashicorp);
    await assert.rejects(rotate(), {
      message: /unsupported userattr "CN".*Set the configuration's userattr/,
    });
    assert.equal(await managed.up({ ...base, userattr: "cn" }), "updated");
    assert.equal(emulator.inspect().secrets.directoryConfigs[0]?.userattr, "cn");
    await rotate();
    emulator.secrets.changeDirectoryConfig({ userattr: "Cn" });
    await managed.refresh();
    assert.equal(managed.inputs.userattr, "Cn");
  });

  it("a configuration in the hashicorp dialect has the documented name of its schema, and the product's name on the wire", async () => {
    const args = { ...base, schema: "openldap" };
    const config = await manage(args);
    assert.equal((await stored()).schema, "openldap");
    assert.equal(await config.refresh(), true);
    assert.deepEqual([config.outputs.schema, (await getConfig()).schema], ["open", "open"]);
    assert.equal(await config.up(args), "same");
    assert.equal(await config.up({ ...base, schema: "open" }), "same");
  });

  it("a configuration in the hashicorp dialect restores the length of passwords after other writes have reset it", async () => {
    const config = await manage({ length: 32 });
    await ask(emulator, "POST", "ldap/config", { request_timeout: 20 });
    await config.refresh();
    assert.equal(config.inputs.length, null);
    assert.equal(await config.up({ ...base, length: 32 }), "updated");
    assert.equal((await stored()).length, 32);
  });

  it("a configuration in the hashicorp dialect keeps the credential type that another client has set, which a write without it would reset", async () => {
    const chosen = reading((data) => ({ ...data, credential_type: "phrase" }));
    await manage();
    await manage({ adopt: true, requestTimeout: 30 }, await serviceWith(emulator, chosen));
    assert.equal(lastBody().credential_type, "phrase");
  });

  it("the configuration of an older product does not output arguments that its service ignores", async () => {
    const older = reading(({ rotation_period, rotate_on_read, credential_type, ...data }) => data);
    const args = { ...base, rotationPeriod: "720h", rotateOnRead: true, credentialType: "phrase" };
    const managed = await manage(args, await serviceWith(emulator, older));
    const outputs = () =>
      ["rotationPeriod", "rotateOnRead", "credentialType"].map((name) => managed.outputs[name]);
    assert.deepEqual(outputs(), [null, null, null]);
    assert.equal(await managed.up(args), "same");
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up(args), "same");
  });

  const other = { ...base, mount: "other" };
  const rotatedAt = "2026-01-01T00:00:00.123456789Z";
  const rotations: readonly (readonly [who: string, rotate: () => unknown, refreshes?: true])[] = [
    ["an operator", () => ask(emulator, "POST", "ldap/rotate-root")],
    ["an operator, before a refresh", () => ask(emulator, "POST", "ldap/rotate-root"), true],
    // Vault's LDAP engine 0.18 returns a rotation by its schedule in the same member: path_config.go, path_rotate.go.
    [
      "a schedule",
      () => {
        emulator.secrets.changeDirectoryConfig({ lastBindPasswordRotation: rotatedAt });
      },
    ],
  ];
  for (const [who, rotate, refreshes] of rotations) {
    it(`a configuration whose password was rotated by ${who} is not replaced or written with the obsolete one`, async () => {
      emulator.secrets.addMount({ type: "directory", path: "other" });
      const config = await manage();
      await rotate();
      await (refreshes && config.refresh());
      const message = /The service rotated the password of binddn at 20.*only copy.*Set a new password/s;
      await assert.rejects(config.up(other), { message });
      assert.equal(emulator.inspect().secrets.directoryConfigs.length, 1);
      assert.equal(emulator.journal.count({ method: "DELETE" }), 0);
      assert.deepEqual(bodiesSentTo(emulator, "other/config"), []);
      emulator.faults.add({
        method: "POST",
        path,
        status: 400,
        body: { errors: ["missing required field: bindpass"] },
      });
      const resending = config.up({ ...base, userdn, resendBindpass: true });
      await assert.rejects(resending, { message: /password of ldap was rotated \(20.*Set a new password/s });
      // A password that the program sends after the rotation is the present one.
      const next = { ...base, bindpass: "canary-next-password" };
      assert.equal(await config.up(next), "updated");
      assert.equal(await config.up({ ...next, mount: "other" }), "replaced");
    });
  }

  it("a configuration can always be destroyed, but is replaced only if its password was not rotated", async () => {
    emulator.secrets.addMount({ type: "directory", path: "other" });
    const config = await manage();
    assert.equal(await config.up(other), "replaced");
    await ask(emulator, "POST", "other/rotate-root");
    await config.refresh();
    await config.destroy();
    assert.deepEqual(emulator.inspect().secrets.directoryConfigs, []);
  });

  it("a configuration that manages itself can set binddn, and is adopted with it", async () => {
    // Vault's provider requires binddn in each configuration: ldap.SecretBackend of @pulumi/vault 7.8.0.
    const args = { binddn: admin, selfManaged: true };
    const config = await FakeEngine.create(configDefinition, emulator, args);
    assert.deepEqual([config.outputs.binddn, config.outputs.selfManaged], [admin, true]);
    const adopted = await FakeEngine.create(configDefinition, emulator, { ...args, adopt: true });
    assert.equal(await adopted.up({ ...args, adopt: true }), "same");
    assert.deepEqual(await config.problems({ ...args, bindpass }), [
      "bindpass must not be set together with selfManaged",
    ]);
  });

  it("a preview rejects a lowest TLS version above the default highest one", async () => {
    const config = new FakeEngine(configDefinition, emulator);
    const problem = ["tlsMaxVersion must not be lower than tlsMinVersion; its default is tls12"];
    assert.deepEqual(await config.problems({ ...base, tlsMinVersion: "tls13" }), problem);
    const others: readonly Properties[] = [{ tlsMaxVersion: "tls13" }, { adopt: true }];
    for (const rest of others) {
      assert.deepEqual(await config.problems({ ...base, tlsMinVersion: "tls13", ...rest }), []);
    }
  });

  it("a configuration replaces a period that another client has set with its schedule, and vice versa", async () => {
    // Vault's SDK 0.24.0, helper/automatedrotationutil/fields.go: only one request refuses both, and each is kept if omitted.
    const schedule = { ...base, rotationSchedule: "0 3 * * SAT", rotationPolicy: "patient" };
    const config = await manage(schedule);
    await ask(emulator, "POST", "ldap/config", { rotation_period: 60 });
    await config.refresh();
    assert.equal(await config.up({ ...schedule, rotationWindow: "2h" }), "updated");
    const { rotation_period, rotation_policy } = await stored();
    assert.deepEqual([rotation_period ?? 0, rotation_policy], [0, "patient"]);
    await ask(emulator, "POST", "ldap/config", { rotation_schedule: "0 4 * * *" });
    await config.refresh();
    assert.equal(await config.up({ ...base, rotationPeriod: "720h" }), "updated");
    assert.equal((await stored()).rotation_schedule, "");
  });
});
