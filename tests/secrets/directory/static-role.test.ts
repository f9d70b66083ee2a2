import assert from "node:assert/strict";
import { z } from "zod";
import { processRedactor } from "../../../sdk/base/redactor";
import { definitionIn } from "../../../sdk/resource/definition";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { directory } from "../../../sdk/secrets";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { call } from "../../testing/call";
import { bodiesSentTo, textOf, useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

const { getStaticCredentials, getStaticRole, listStaticRoles, rotateStaticRole } = directory;
const path = "/v1/ldap/static-role/payments";
const base: Properties = { roleName: "payments", username: "svc-1", rotationPeriod: "1h" };
const dnOf = (name: string): string => `cn=${name},ou=services,dc=acme,dc=example`;

describe("secrets.directory.StaticRole", () => {
  const emulator = useSecrets();
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1", "svc-2"]);
    emulator.journal.clear();
  });

  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(staticRoleDefinition, emulator, args, settings);
  const roles = () => emulator.inspect().secrets.directoryStaticRoles;
  const written = () => emulator.journal.requests({ method: "POST" }).map(({ body }) => body);

  it("the creation of a static role sends the arguments, and returns the service's values", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap/payments");
    assert.deepEqual(written(), [{ username: "svc-1", rotation_period: "3600s" }]);
    const { __managed, __at, lastRotation, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...base, mount: "ldap", dn: "", rotationPeriod: 3600 });
    assert.equal(lastRotation, roles()[0]?.lastRotation);
    assert.notEqual(lastRotation, null, "creation rotates the password");
  });

  for (const skipImportRotation of [true, false]) {
    it(`the creation of a static role sends skipImportRotation: ${skipImportRotation} once and never again`, async () => {
      emulator.secrets.changeDirectoryConfig({ skipStaticRoleImportRotation: !skipImportRotation });
      const args = { ...base, skipImportRotation };
      const managed = await manage(args);
      assert.equal((written()[0] as Properties).skip_import_rotation, skipImportRotation);
      assert.equal(managed.outputs.lastRotation === null, skipImportRotation);
      const later = { ...base, rotationPeriod: "2h" };
      assert.equal(await managed.up({ ...later, skipImportRotation }), "updated");
      assert.equal(await managed.up({ ...later, skipImportRotation: !skipImportRotation }), "same");
      assert.equal(await managed.up(later), "same");
      await managed.refresh();
      assert.equal(await managed.up(later), "same");
      assert.deepEqual(written().slice(1), [{ username: "svc-1", rotation_period: "7200s" }]);
    });
  }

  it("a static role is updated with its distinguished name as stored in the service, because its form cannot be changed", async () => {
    const dn = dnOf("svc-1");
    const managed = await manage({ ...base, dn });
    const spelled = { ...base, dn: "CN=svc-1, OU=services,DC=acme,DC=example", rotationPeriod: "2h" };
    assert.equal(await managed.up(spelled), "updated");
    assert.deepEqual(written().at(-1), { username: "svc-1", dn, rotation_period: "7200s" });
    assert.equal(await managed.up(spelled), "same");
  });

  it("a static role's rotation time can be a number, and a duration can have a unit that only the service recognizes", async () => {
    const numbers = reading((data) => ({
      ...data,
      last_svc_rotation: 1_700_000_000,
      rotation_period: 604_800,
    }));
    const args = { ...base, rotationPeriod: "1w" };
    const settings = await serviceWith(emulator, numbers);
    const sent = { method: "POST", path, status: 204, times: 9 };
    await manage({ ...base, rotationPeriod: "1h" });
    emulator.faults.add(sent);
    const managed = await manage({ ...args, adopt: true }, settings);
    assert.equal(managed.outputs.lastRotation, "1700000000");
    assert.deepEqual(written().at(-1), { username: "svc-1", rotation_period: "1w" });
    assert.equal(await managed.up({ ...args, adopt: true }), "same");
    for (const rotationPeriod of ["soon", "-1h", "1 2", "w"]) {
      assert.deepEqual(await managed.problems({ ...base, rotationPeriod }), [
        'rotationPeriod must be a duration such as 30, "30s" or "1h30m"',
      ]);
    }
  });

  it("a static role is adopted without a rotation, but not if it manages another entry", async () => {
    await manage();
    const [before] = roles();
    await manage({ ...base, rotationPeriod: "3h", adopt: true });
    assert.deepEqual(roles(), [{ ...before, rotationPeriod: 10_800 }]);
    emulator.journal.clear();
    const message = /manages svc-1 and cannot be changed to manage another entry\. Nothing was changed\./;
    for (const other of [{ username: "svc-2" }, { dn: dnOf("svc-2") }] as Properties[]) {
      await assert.rejects(manage({ ...base, ...other, adopt: true }), { message });
    }
    assert.deepEqual(written(), []);
  });

  it("a static role whose username changes is replaced, and the old one is deleted first, because both have the same name", async () => {
    const managed = await manage();
    emulator.journal.clear();
    assert.equal(await managed.up({ ...base, username: "svc-2" }), "replaced");
    const requests = emulator.journal.requests().map((each) => `${each.method} ${each.path}`);
    assert.deepEqual(requests, [`DELETE ${path}`, `GET ${path}`, `POST ${path}`, `GET ${path}`]);
  });

  it("a static role whose dn is added or removed is replaced, but not one whose dn was never set", async () => {
    const managed = await manage({ ...base, dn: "" });
    assert.equal(await managed.up(base), "same");
    await managed.refresh();
    assert.equal(await managed.up(base), "same");
    assert.equal(await managed.up({ ...base, username: "someone", dn: dnOf("svc-2") }), "replaced");
    assert.equal(roles()[0]?.dn, dnOf("svc-2"));
    assert.equal(await managed.up(base), "replaced");
    assert.equal(roles()[0]?.dn, "");
  });

  it("a static role keeps its dn if the service does not return it", async () => {
    const withoutDn = reading(({ dn: _dn, ...data }) => data);
    const settings = await serviceWith(emulator, withoutDn);
    const args = { ...base, dn: dnOf("svc-1") };
    const managed = await manage(args, settings);
    await managed.refresh();
    assert.equal(await managed.up(args), "same");
    assert.equal((await manage({ ...args, adopt: true }, settings)).id, "ldap/payments");
  });

  const missing =
    /^Could not create the static role "payments" of the mount ldap: .*The mount ldap has no directory configuration. Create it first, and add it to the dependencies \(secrets\.directory\.Config, dependsOn\)\.$/s;
  const rejected = /Code 49.*The directory rejects the engine's bind password\. If the password was rotated/s;
  const unconfigure = () => emulator.secrets.removeDirectoryConfig();
  const drop = () => emulator.faults.add({ method: "POST", path, drop: "before" });
  const cutWithout = (): void => {
    unconfigure();
    drop();
  };
  const changePassword = () =>
    emulator.secrets.changeDirectoryEntry("cn=admin,dc=acme,dc=example", { password: "by-hand" });
  const failures: readonly [because: string, cause: () => unknown, message: RegExp, username?: string][] = [
    ["a cut connection, and no configuration", cutWithout, missing],
    ["no configuration, as the service reports", unconfigure, missing],
    ["a connection that was cut for another reason", drop, /^(?!.*no directory configuration)/],
    ["a bind password that the directory rejects", changePassword, rejected],
    ["an entry that does not exist", () => undefined, /500: expected one matching entry, .* 0/s, "nobody"],
  ];
  for (const [because, cause, message, username = "svc-1"] of failures) {
    it(`the error says why a static role cannot be created: ${because}`, async () => {
      cause();
      await assert.rejects(manage({ ...base, username }, { "trivium:secretsMaxRetries": "5" }), { message });
      assert.equal(written().length, 1);
      assert.deepEqual(roles(), []);
    });
  }

  const least = "rotationPeriod must be 5 seconds or more";
  for (const [rotationPeriod, ...problems] of [
    [5],
    ["4s", least],
    ["4999ms", least],
    [5.5, "rotationPeriod must be a whole number of seconds, or have a unit"],
    ["weekly", 'rotationPeriod must be a duration such as 30, "30s" or "1h30m"'],
  ] as const) {
    it(`a static role ${problems.length > 0 ? "refuses" : "accepts"} a period of ${rotationPeriod} in a preview`, async () => {
      const managed = new FakeEngine(staticRoleDefinition, emulator);
      assert.deepEqual(await managed.problems({ ...base, rotationPeriod }), problems);
    });
  }

  it("a rotation of a static role rotates the password once, and is removed with its role", async () => {
    await manage({ ...base, skipImportRotation: true });
    emulator.journal.clear();
    const rotation = await FakeEngine.create(staticRoleRotationDefinition, emulator, {
      roleName: "payments",
    });
    assert.equal(typeof roles()[0]?.password, "string");
    assert.ok(!Number.isNaN(Date.parse(rotation.outputs.rotatedAt as string)));
    assert.equal(await rotation.up({ roleName: "payments" }), "same");
    assert.equal(emulator.journal.count(), 1);
    emulator.secrets.removeDirectoryStaticRole("payments");
    assert.equal(await rotation.refresh(), false);
  });

  describe("in functions", () => {
    const roleName = "Payments";
    const addRole = (skipImportRotation = true) => manage({ ...base, roleName, skipImportRotation });
    const lastRotation = () => roles()[0]?.lastRotation;
    const entryPassword = () =>
      emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn === dnOf("svc-1"))?.password;
    const returning = (data: object) => emulator.faults.add({ method: "GET", status: 200, body: { data } });

    it("getStaticRole reads a role under its name as written", async () => {
      await addRole();
      const role = { mount: "ldap", roleName, username: "svc-1", rotationPeriod: 3600, lastRotation: null };
      assert.deepEqual(await getStaticRole({ roleName }), { ...role, dn: "" });
      await rotateStaticRole({ roleName });
      assert.equal(typeof lastRotation(), "string");
      assert.deepEqual(await getStaticRole({ roleName }), { ...role, dn: "", lastRotation: lastRotation() });
      for (const time of ["0001-01-01T00:00:00Z", "", null, undefined]) {
        returning({ username: "svc-1", rotation_period: "1h", last_svc_rotation: time });
        assert.deepEqual(await getStaticRole({ roleName }), { ...role, dn: null });
      }
    });

    it("functions for static roles return nothing if there is nothing", async () => {
      assert.deepEqual(await listStaticRoles(), { names: [] });
      assert.equal(emulator.journal.requests()[0]?.target, "/v1/ldap/static-role");
      const missingRole = 'The static role "none" of the mount ldap does not exist.';
      assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missingRole);
      const refusal = /rotate the password of the static role "none" of .* role doesn't exist: none/;
      assert.match((await failure(rotateStaticRole({ roleName: "none" }))).message, refusal);
      emulator.faults.add({ method: "GET", status: 404, body: { errors: [] } });
      assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missingRole);
    });

    it("getStaticCredentials returns the entry's current and last password, and keeps them out of messages", async () => {
      await addRole(false);
      const { password: first = "", ...others } = await getStaticCredentials({ roleName });
      const expected = { username: "svc-1", dn: "", rotationPeriod: 3600, ttl: 3600, lastPassword: "" };
      assert.deepEqual(others, { ...expected, lastRotation: lastRotation() });
      assert.equal(first, entryPassword());
      assert.equal(processRedactor.redact(first), "[secret]");
      await rotateStaticRole({ roleName });
      const { password, lastPassword } = await getStaticCredentials({ roleName });
      assert.deepEqual([password, lastPassword], [entryPassword(), first]);
    });

    it("getStaticCredentials returns everything except the password before the first rotation", async () => {
      await addRole();
      const times = { lastRotation: null, rotationPeriod: 3600, ttl: 0 };
      const unknown = { username: "svc-1", dn: "", password: undefined, lastPassword: "", ...times };
      assert.deepEqual(await getStaticCredentials({ roleName }), unknown);
      // The document does not say what a response contains instead of a password that cannot be returned.
      for (const password of ["", null]) {
        returning({ username: "svc-1", dn: "", rotation_period: 3600, ttl: 0, last_password: "", password });
        assert.deepEqual(await getStaticCredentials({ roleName }), unknown);
      }
    });

    it("getStaticCredentials does not change another rejection", async () => {
      process.env.SECRETS_TOKEN = emulator.secrets.addToken({ access: "none" });
      assert.match((await failure(getStaticCredentials({ roleName: "payments" }))).message, /403/);
    });
  });
});

describe("static roles that manage themselves", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  const dn = dnOf("svc-1");
  const password = "canary-own-password";
  const role: Properties = { ...base, dn, password };
  const bind = { binddn: dnOf("admin"), bindpass: "bind-password" };
  const entryPassword = () =>
    emulator.inspect().secrets.directoryEntries.find((entry) => entry.dn === dn)?.password;

  beforeEach(async () => {
    emulator.secrets.addDirectoryEntry({ dn, password });
    await FakeEngine.create(configDefinition, emulator, { selfManaged: true });
  });

  it("static roles that manage themselves send their password at creation and when the program changes it, but not to adopt", async () => {
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, role);
    const rotated = entryPassword();
    assert.notEqual(rotated, password);
    assert.equal(managed.outputs.password, password);
    assert.equal(await managed.up({ ...role, rotationPeriod: "2h" }), "updated");
    assert.equal(await managed.refresh(), true);
    const adopting = { ...role, rotationPeriod: "3h", adopt: true };
    assert.equal((await FakeEngine.create(staticRoleDefinition, emulator, adopting)).id, managed.id);
    assert.equal(entryPassword(), rotated);
    const { password: _own, ...rest }: Properties = { ...role, rotationPeriod: "2h" };
    const next = { ...rest, password: "canary-next-password" };
    for (const args of [next, rest]) {
      assert.equal(await managed.up(args), "updated");
      assert.equal(await managed.up(args), "same");
    }
    const bodies = bodiesSentTo(emulator, "ldap/static-role/payments") as Properties[];
    const sent = bodies.map((body) => body.password);
    assert.deepEqual(sent, [password, undefined, undefined, next.password, undefined]);
  });

  it("static roles that manage themselves require a password, and their configuration requires neither an account nor a password", async () => {
    const { password: _none, ...without } = role;
    const message = /password is required for self-managed static roles/;
    await assert.rejects(FakeEngine.create(staticRoleDefinition, emulator, without), { message });
    const problems = (args: Properties) => new FakeEngine(configDefinition, emulator).problems(args);
    assert.deepEqual(await problems({ ...bind, selfManaged: true }), [
      "bindpass must not be set together with selfManaged",
    ]);
    const found = await problems({ binddn: bind.binddn, selfManaged: false });
    assert.deepEqual(found, ["bindpass is required without selfManaged"]);
  });

  it("a configuration with selfManaged cannot be adopted by a program without selfManaged", async () => {
    const args = { ...bind, adopt: true, selfManaged: false };
    const message =
      /selfManaged of the directory configuration.* is true and cannot be changed\. Nothing was/;
    await assert.rejects(FakeEngine.create(configDefinition, emulator, args), { message });
  });

  it("a static role that manages itself is not replaced with an obsolete password of the same entry", async () => {
    emulator.secrets.addMount({ type: "directory", path: "other" });
    await FakeEngine.create(configDefinition, emulator, { mount: "other", selfManaged: true });
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, role);
    const rotated = entryPassword();
    const message = /The service rotated the password of svc-1 at 20.*only copy.*Set a new password/s;
    const changes: readonly Properties[] = [{ mount: "other" }, { roleName: "other" }];
    for (const change of changes) {
      await assert.rejects(managed.up({ ...role, ...change }), { message });
    }
    assert.deepEqual([emulator.journal.count({ method: "DELETE" }), entryPassword()], [0, rotated]);
    assert.equal(await managed.up({ ...role, password: textOf(rotated), mount: "other" }), "replaced");
  });

  it("a static role can have a period of 0 with a schedule, and a period that Vault Enterprise rejects causes a warning", async () => {
    const problems = (args: Properties) => new FakeEngine(staticRoleDefinition, emulator).problems(args);
    const rotationSchedule = "0 3 * * SAT";
    assert.deepEqual(await problems({ ...role, rotationPeriod: 0, rotationSchedule }), []);
    assert.deepEqual(await problems({ ...role, rotationPeriod: 0 }), [
      "rotationPeriod must be 5 seconds or more without rotationSchedule",
    ]);
    assert.deepEqual(await problems({ ...role, rotationPeriod: 4 }), [
      "rotationPeriod must be 5 seconds or more",
    ]);
    assert.deepEqual(await problems({ ...role, rotationPeriod: 7 }), []);
    const warnings = (rotationPeriod: number) =>
      checkArguments(definitionIn(staticRoleDefinition, "hashicorp"), z, { ...role, rotationPeriod })
        .warnings;
    assert.deepEqual(warnings(7), ["rotationPeriod is less than 10 seconds, which Vault Enterprise rejects"]);
    assert.deepEqual(warnings(10), []);
  });

  // Vault 2.x, api-docs/secret/ldap: a role of a self-managed engine needs `dn`; terraform-provider-vault 5.11 sets it in each of its tests.
  it("a static role that manages itself requires a distinguished name: the service rejects it without one, and the preview warns", async () => {
    const { dn: _none, ...without } = role;
    const message = /dn is required for self-managed static roles/;
    await assert.rejects(FakeEngine.create(staticRoleDefinition, emulator, without), { message });
    const warnings = (args: Properties) =>
      checkArguments(definitionIn(staticRoleDefinition, "hashicorp"), z, args).warnings;
    assert.deepEqual(warnings(without), ["dn is required if the configuration sets selfManaged"]);
    assert.deepEqual(warnings(role), []);
  });

  // resource_ldap_secret_backend.go of terraform-provider-vault 5.11: "self_managed can only work on create".
  it("the emulator ignores a different self_managed for an existing configuration", async () => {
    const body = { self_managed: false, binddn: "cn=x", bindpass: "" };
    const { status } = await call(emulator, "secrets", "POST", "/v1/ldap/config", { body });
    assert.equal(status, 204);
    assert.equal(emulator.inspect().secrets.directoryConfigs[0]?.selfManaged, true);
  });
});

describe("secrets.directory.StaticRole on a mount that unlocks accounts and rotates on read", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  const ofMount = { rotateOnRead: true, rotateOnReadCooldown: 5, autoUnlock: true };

  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    emulator.secrets.changeDirectoryConfig(ofMount);
  });

  // resource_ldap_secret_backend_static_role.go of terraform-provider-vault 5.11: computed, and sent only if it has changed.
  it("a static role outputs the values from its mount, and an update of something else does not set them for the role", async () => {
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, base);
    const { rotateOnRead, rotateOnReadCooldown, autoUnlock } = managed.outputs;
    assert.deepEqual({ rotateOnRead, rotateOnReadCooldown, autoUnlock }, ofMount);
    assert.equal(await managed.up({ ...base, rotationPeriod: "2h" }), "updated");
    const sent = { username: "svc-1", rotation_period: 7200 };
    assert.deepEqual(bodiesSentTo(emulator, "ldap/static-role/payments").at(-1), sent);
    emulator.secrets.changeDirectoryConfig({ rotateOnReadCooldown: 7 });
    await managed.refresh();
    assert.equal(managed.outputs.rotateOnReadCooldown, 7);
    assert.equal(await managed.up({ ...base, rotationPeriod: "2h" }), "same");
  });

  it("a static role sends its own value even if the mount has the same one, and keeps it", async () => {
    const args = { ...base, autoUnlock: true, rotateOnRead: false };
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, args);
    emulator.secrets.changeDirectoryConfig({ autoUnlock: false });
    await managed.refresh();
    assert.deepEqual([managed.outputs.rotateOnRead, managed.outputs.autoUnlock], [false, true]);
    assert.equal(await managed.up({ ...args, rotationPeriod: "2h" }), "updated");
    const sent = bodiesSentTo(emulator, "ldap/static-role/payments").at(-1) as Properties;
    assert.deepEqual(
      [sent.auto_unlock, sent.rotate_on_read, sent.rotate_on_read_cooldown],
      [true, false, undefined],
    );
  });
});
