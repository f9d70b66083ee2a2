import assert from "node:assert/strict";
import {
  getStaticCredentials,
  getStaticRole,
  listStaticRoles,
  staticRoleDefinition,
} from "../../../sdk/secrets/directory/static-role";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { stopServers } from "../../http/server";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { serviceWith } from "../altered-responses";
import { configureDirectory } from "./emulated-directory";
import { rotateStaticRole } from "../../../sdk/secrets/directory/static-role-rotation";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { processRedactor } from "../../../sdk/base/redactor";
import { useEmulator } from "../../support/use-emulator";

const path = "/v1/ldap/static-role/payments";
const base: Properties = { roleName: "payments", username: "svc-1", rotationPeriod: "1h" };

describe("secrets.directory.StaticRole", () => {
  const emulator = useEmulator();

  afterEach(stopServers);
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1", "svc-2"]);
    emulator.journal.clear();
  });

  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(staticRoleDefinition, emulator, args, settings);
  const roles = () => emulator.inspect().secrets.directoryStaticRoles;
  const written = () => emulator.journal.requests({ method: "POST" }).map(({ body }) => body);
  const requests = () => emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);

  it("the creation of a static role sends the arguments, and returns what the service has", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap/payments");
    assert.deepEqual(written(), [{ username: "svc-1", rotation_period: 3600 }]);
    const { __managed, __at, lastRotation, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...base, mount: "ldap", dn: "", rotationPeriod: 3600 });
    assert.equal(lastRotation, roles()[0]?.lastRotation);
    assert.notEqual(lastRotation, null, "creation rotates the password");
    assert.equal(await managed.up(base), "same");
  });

  it("the creation of a static role takes an entry by its distinguished name", async () => {
    const dn = "cn=svc-2,ou=services,dc=acme,dc=example";
    const managed = await manage({ ...base, username: "someone", dn });
    assert.equal(managed.outputs.dn, dn);
    assert.equal(roles()[0]?.dn, dn);
  });

  for (const skipImportRotation of [true, false]) {
    it(`the creation of a static role sends skipImportRotation: ${skipImportRotation} then and never again`, async () => {
      emulator.secrets.changeDirectoryConfig({ skipStaticRoleImportRotation: !skipImportRotation });
      const args = { ...base, skipImportRotation };
      const managed = await manage(args);
      assert.equal((written()[0] as Properties).skip_import_rotation, skipImportRotation);
      assert.equal(managed.outputs.lastRotation === null, skipImportRotation);
      assert.equal(await managed.up({ ...args, rotationPeriod: "2h" }), "updated");
      const changed = { ...args, rotationPeriod: "2h", skipImportRotation: !skipImportRotation };
      assert.equal(await managed.up(changed), "same");
      assert.equal(await managed.up({ ...base, rotationPeriod: "2h" }), "same");
      await managed.refresh();
      assert.equal(await managed.up({ ...base, rotationPeriod: "2h" }), "same");
      assert.deepEqual(written()[1], { username: "svc-1", rotation_period: 7200 });
      assert.equal(written().length, 2);
    });
  }

  it("a static role is adopted without a rotation", async () => {
    await manage();
    const [before] = roles();
    await manage({ ...base, rotationPeriod: "3h", adopt: true });
    assert.deepEqual(roles(), [{ ...before, rotationPeriod: 10_800 }]);
  });

  it("a static role is not adopted when it manages another entry", async () => {
    await manage();
    emulator.journal.clear();
    const others: Properties[] = [{ username: "svc-2" }, { dn: "cn=svc-2,ou=services,dc=acme,dc=example" }];
    for (const other of others) {
      await assert.rejects(manage({ ...base, ...other, adopt: true }), {
        message: /manages svc-1 and cannot be changed to manage another entry\. Nothing was changed\./,
      });
    }
    assert.deepEqual(written(), []);
  });

  it("a static role whose username changes is a new role; the old one goes first, for both have one name", async () => {
    const managed = await manage();
    emulator.journal.clear();
    assert.equal(await managed.up({ ...base, username: "svc-2" }), "replaced");
    assert.deepEqual(requests(), [`DELETE ${path}`, `GET ${path}`, `POST ${path}`, `GET ${path}`]);
    assert.equal(roles().length, 1);
  });

  it("a static role whose dn leaves the program is a new role; one whose dn never was there is not", async () => {
    const managed = await manage({ ...base, dn: "" });
    assert.equal(await managed.up(base), "same");
    await managed.refresh();
    assert.equal(await managed.up(base), "same");
    const dn = "cn=svc-1,ou=services,dc=acme,dc=example";
    assert.equal(await managed.up({ ...base, dn }), "replaced");
    assert.equal(await managed.up(base), "replaced");
    assert.equal(roles()[0]?.dn, "");
  });

  it("a static role changed by a rotation shows when, and no change", async () => {
    const managed = await manage();
    const { lastRotation } = managed.outputs;
    emulator.advance("90m");
    await managed.refresh();
    assert.notEqual(managed.outputs.lastRotation, lastRotation);
    assert.equal(await managed.up(base), "same");
  });

  it("a static role keeps its dn where the service does not say it", async () => {
    const settings = await serviceWith(emulator, ({ method }, { status, body }) => {
      const { dn, ...data } = body?.data ?? {};
      return method === "GET" && status === 200 ? { status, body: { data } } : { status, body };
    });
    const args = { ...base, dn: "cn=svc-1,ou=services,dc=acme,dc=example" };
    const managed = await manage(args, settings);
    await managed.refresh();
    assert.equal(await managed.up(args), "same");
    const taken = await manage({ ...args, adopt: true }, settings);
    assert.equal(taken.id, "ldap/payments");
  });

  const missing =
    /^Could not create the static role "payments" of the mount ldap: .*The mount ldap has no directory configuration. Create it first, and add it to the dependencies \(secrets\.directory\.Config, dependsOn\)\.$/s;
  const drop = () => emulator.faults.add({ method: "POST", path, drop: "before" });
  const failures: readonly [because: string, cause: () => unknown, message: RegExp, args?: Properties][] = [
    [
      "there is no configuration, and the service drops the connection",
      () => (emulator.secrets.removeDirectoryConfig(), drop()),
      missing,
    ],
    [
      "there is no configuration, which the service says",
      () => emulator.secrets.removeDirectoryConfig(),
      missing,
    ],
    ["the connection was cut for another reason", drop, /^(?!.*no directory configuration)/],
    [
      "the directory refuses the bind password",
      () =>
        emulator.secrets.changeDirectoryEntry("cn=admin,dc=acme,dc=example", { password: "changed-by-hand" }),
      /Code 49.*The directory rejects the password that the engine binds with\. If it was rotated/s,
    ],
    [
      "there is no such entry",
      () => undefined,
      /500: expected one matching entry, but received 0/s,
      { username: "nobody" },
    ],
  ];
  for (const [because, cause, message, args] of failures) {
    it(`the error says why a static role cannot be made: ${because}`, async () => {
      await cause();
      await assert.rejects(manage({ ...base, ...args }, { "trivium:secretsMaxRetries": "5" }), { message });
      assert.equal(written().length, 1);
      assert.deepEqual(roles(), []);
    });
  }

  const least = "rotationPeriod must be 5 seconds or more";
  const periods: readonly [period: string | number, problem?: string][] = [
    [5],
    ["4s", least],
    ["4999ms", least],
    [5.5, "rotationPeriod must be a whole number of seconds, or have a unit"],
    ["weekly", 'rotationPeriod must be a duration such as 30, "30s" or "1h30m"'],
  ];
  for (const [rotationPeriod, ...problems] of periods) {
    it(`a static role ${problems.length > 0 ? "refuses" : "accepts"} a period of ${rotationPeriod} in a preview`, async () => {
      const managed = new FakeEngine(staticRoleDefinition, emulator);
      assert.deepEqual(await managed.problems({ ...base, rotationPeriod }), problems);
    });
  }
});

describe("functions about static roles", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(() => configureDirectory(emulator, ["svc-1"]));

  const roleName = "Payments";
  const addRole = async (skipImportRotation = true): Promise<void> => {
    const role = { roleName, username: "svc-1", rotationPeriod: "1h", skipImportRotation };
    await new FakeEngine(staticRoleDefinition, emulator).up(role);
    emulator.journal.clear();
  };
  const lastRotation = () => emulator.inspect().secrets.directoryStaticRoles[0]?.lastRotation;
  const entryPassword = () =>
    emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn.startsWith("cn=svc-1"))?.password;

  it("getStaticRole reads a role under its name as written", async () => {
    await addRole();
    const role = {
      mount: "ldap",
      roleName,
      username: "svc-1",
      dn: "",
      rotationPeriod: 3600,
      lastRotation: null,
    };
    assert.deepEqual(await getStaticRole({ roleName }), role);
    await rotateStaticRole({ roleName });
    assert.equal(typeof lastRotation(), "string");
    assert.deepEqual(await getStaticRole({ roleName }), { ...role, lastRotation: lastRotation() });
    for (const time of ["0001-01-01T00:00:00Z", "", null, undefined]) {
      const data = { username: "svc-1", rotation_period: "1h", last_svc_rotation: time };
      emulator.faults.add({ method: "GET", times: 1, status: 200, body: { data } });
      assert.deepEqual(await getStaticRole({ roleName }), { ...role, dn: null });
    }
  });

  it("functions about static roles return nothing where there is nothing", async () => {
    emulator.journal.clear();
    assert.deepEqual(await listStaticRoles(), { names: [] });
    const [request] = emulator.journal.requests();
    assert.equal(request?.target, "/v1/ldap/static-role");
  });

  it("getStaticCredentials returns the password that the entry has, and the last one, and keeps them out of messages", async () => {
    await addRole(false);
    const first = await getStaticCredentials({ roleName });
    const expected = { username: "svc-1", dn: "", rotationPeriod: 3600, ttl: 3600 };
    assert.deepEqual(first, {
      ...expected,
      password: entryPassword(),
      lastPassword: "",
      lastRotation: lastRotation(),
    });
    assert.equal(processRedactor.redact(first.password ?? ""), "[secret]");
    await rotateStaticRole({ roleName });
    const { password, lastPassword } = await getStaticCredentials({ roleName });
    assert.deepEqual([password, lastPassword], [entryPassword(), first.password]);
  });

  it("getStaticCredentials returns everything but the password before the first rotation", async () => {
    await addRole();
    const data = { username: "svc-1", dn: "", rotation_period: 3600, ttl: 0, last_password: "" };
    const unknown = {
      username: "svc-1",
      dn: "",
      password: undefined,
      lastPassword: "",
      lastRotation: null,
      rotationPeriod: 3600,
      ttl: 0,
    };
    assert.deepEqual(await getStaticCredentials({ roleName }), unknown);
    // The document does not say what stands for a password that cannot be returned.
    for (const password of ["", null]) {
      emulator.faults.add({ method: "GET", times: 1, status: 200, body: { data: { ...data, password } } });
      assert.deepEqual(await getStaticCredentials({ roleName }), unknown);
    }
  });

  it("getStaticCredentials says so when there is no such role, whichever way the service says it", async () => {
    const missing = 'The static role "none" of the mount ldap does not exist.';
    assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missing);
    emulator.faults.add({ method: "GET", status: 404, body: { errors: [] } });
    assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missing);
  });

  it("getStaticCredentials keeps another refusal as it is", async () => {
    process.env.SECRETS_TOKEN = emulator.secrets.addToken({ access: "none" });
    assert.match((await failure(getStaticCredentials({ roleName: "payments" }))).message, /403/);
  });
});

describe("static roles that manage themselves", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  const settings = { "trivium:secretsDialect": "hashicorp" };
  const dn = "cn=svc-1,ou=services,dc=acme,dc=example";
  const password = "canary-own-password";
  const role: Properties = { roleName: "payments", username: "svc-1", dn, rotationPeriod: "1h", password };
  const entryPassword = () =>
    emulator.inspect().secrets.directoryEntries.find((entry) => entry.dn === dn)?.password;
  const written = () =>
    emulator.journal
      .requests({ method: "POST", path })
      .map(({ body }) => (body as { readonly password?: string }).password);

  beforeEach(async () => {
    emulator.secrets.addDirectoryEntry({ dn, password });
    await FakeEngine.create(configDefinition, emulator, { selfManaged: true }, settings);
  });

  it("rotate with their own password, which is sent at creation and when the program's changes", async () => {
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, role, settings);
    const rotated = entryPassword();
    assert.notEqual(rotated, password);
    assert.equal(managed.outputs.password, password);
    assert.equal(await managed.up({ ...role, rotationPeriod: "2h" }), "updated");
    assert.equal(await managed.refresh(), true);
    const next = { ...role, rotationPeriod: "2h", password: "canary-next-password" };
    assert.equal(await managed.up(next), "updated");
    assert.equal(await managed.up(next), "same");
    const { password: _removed, ...rest } = next;
    assert.equal(await managed.up(rest), "updated");
    assert.equal(await managed.up(rest), "same");
    assert.deepEqual(written(), [password, undefined, next.password, undefined]);
  });

  it("static roles that manage themselves are adopted without their password, which may have been rotated", async () => {
    const { id } = await FakeEngine.create(staticRoleDefinition, emulator, role, settings);
    const rotated = entryPassword();
    emulator.journal.clear();
    const adopting = { ...role, rotationPeriod: "3h", adopt: true };
    const managed = await FakeEngine.create(staticRoleDefinition, emulator, adopting, settings);
    assert.equal(managed.id, id);
    assert.deepEqual(written(), [undefined]);
    assert.equal(entryPassword(), rotated);
  });

  it("static roles that manage themselves need a password, and the configuration neither account nor password", async () => {
    const { password: _none, ...without } = role;
    await assert.rejects(FakeEngine.create(staticRoleDefinition, emulator, without, settings), {
      message: /password is required for self-managed static roles/,
    });
    const problems = (args: Properties) =>
      new FakeEngine(configDefinition, emulator, settings).problems(args);
    const [binddn, bindpass] = ["cn=admin,dc=acme,dc=example", "bind-password"];
    assert.deepEqual(await problems({ binddn, bindpass, selfManaged: true }), [
      "binddn must not be given together with selfManaged",
      "bindpass must not be given together with selfManaged",
    ]);
    for (const selfManaged of [false, undefined]) {
      assert.deepEqual(await problems({ binddn, ...(selfManaged === undefined ? {} : { selfManaged }) }), [
        "bindpass is required without selfManaged",
      ]);
    }
  });

  it("static roles that manage themselves have a configuration that is replaced to manage roles from one account, and not adopted as such", async () => {
    const args = { binddn: "cn=admin,dc=acme,dc=example", bindpass: "bind-password" };
    await assert.rejects(
      FakeEngine.create(configDefinition, emulator, { ...args, adopt: true, selfManaged: false }, settings),
      {
        message:
          /selfManaged of the directory configuration.* is true and cannot be changed\. Nothing was changed/,
      },
    );
    const managed = new FakeEngine(configDefinition, emulator, settings);
    await managed.up({ mount: "ldap", selfManaged: true, adopt: true });
    assert.equal(await managed.up({ ...args, mount: "ldap" }), "replaced");
    assert.deepEqual(
      emulator.inspect().secrets.directoryConfigs.map(({ selfManaged }) => selfManaged),
      [false],
    );
  });
});
