import assert from "node:assert/strict";
import { at } from "./call";
import { dnOf, useDirectory, users } from "./secrets/client";

describe("objects that a test sets up in the emulator", () => {
  const { emulator, ldap } = useDirectory({
    seed: {
      organizations: [{ name: "acme", defaultProjectId: "prj-default" }],
      users: [{ id: "user-1", organization: "acme" }],
      projects: [{ id: "prj-web", organization: "acme", name: "web" }],
      workspaces: [{ id: "ws-1", organization: "acme", project: "web" }],
      entities: [{ id: "entity-1" }],
      totpMethods: [{ id: "method-1", issuer: "acme" }],
      enforcements: [{ methodIds: ["method-1"] }],
    },
  });
  beforeEach(async () => {
    await ldap.write("static-role/new", { username: "alice", rotation_period: "1h" });
    const ldif = `dn: cn={{.Username}},${users}\nchangetype: delete\n`;
    await ldap.write("role/new", { creation_ldif: ldif, deletion_ldif: ldif });
    await ldap.write("library/new", { name: "new", service_account_names: ["svc1", "svc2"] });
  });

  /** `add`, `change` and `remove` before the kind are the methods; what they make is in the list. */
  type Row = readonly [kind: string, list: string, key: string, given?: object, change?: object];
  const configured = { workspace: "ws-1", name: "new" };
  const kinds: readonly Row[] = [
    ["Organization", "provisioning.organizations", "name", { name: "new" }, { accessBetaTools: true }],
    ["Project", "provisioning.projects", "id", { organization: "acme", name: "new" }, { name: "x" }],
    ["Workspace", "provisioning.workspaces", "id", { organization: "acme" }],
    ["User", "provisioning.users", "id", { organization: "acme" }],
    ["NotificationConfiguration", "provisioning.notificationConfigurations", "id", configured, { url: "x" }],
    ["Mount", "secrets.mounts", "path", { type: "approle", path: "new" }],
    ["Entity", "secrets.entities", "id", {}],
    ["EntityAlias", "secrets.entityAliases", "id", { name: "a", canonicalId: "entity-1" }, { name: "x" }],
    ["PasswordPolicy", "secrets.passwordPolicies", "name", { name: "new" }],
    ["TotpMethod", "secrets.totpMethods", "id", { issuer: "new" }, { digits: 8 }],
    ["Enforcement", "secrets.enforcements", "id", { methodIds: ["method-1"] }],
    ["PushMethod", "secrets.pushMethods", "name", { name: "new", mountAccessor: "a" }, { apiHostname: "x" }],
    ["DirectoryEntry", "secrets.directoryEntries", "dn", { dn: dnOf("new") }, { password: "x" }],
    ["DirectoryConfig", "secrets.directoryConfigs", "", undefined, { length: 20 }],
    ["DirectoryStaticRole", "secrets.directoryStaticRoles", "name", undefined, { rotationPeriod: 60 }],
    ["DirectoryDynamicRole", "secrets.directoryDynamicRoles", "name", undefined, { defaultTtl: 60 }],
    ["DirectoryLibrarySet", "secrets.directoryLibrarySets", "name", undefined, { ttl: 60 }],
    ["SchedulerRole", "secrets.schedulerRoles", "name", { name: "new" }, { global: true }],
    ["SchedulerAccess", "secrets.schedulerAccess", "", undefined, { address: "http://127.0.0.1:4646" }],
    ["SchedulerLease", "secrets.schedulerLeases", "", undefined, { ttl: 60 }],
    ["Policy", "scheduler.policies", "name", { name: "new", readNodes: true }],
  ];
  for (const [kind, list, key, given, change] of kinds) {
    it(`objects that a test sets up as ${kind} can be added, changed and removed, and an error names a missing one`, () => {
      const [service = "", name = ""] = list.split(".");
      const records = () => at(emulator.inspect(), service, name) as readonly object[];
      const run = (method: string, ...values: readonly unknown[]): object =>
        (at(emulator, service, method + kind) as (...given: readonly unknown[]) => object)(...values);
      /** What a method returns is the whole record. */
      const holds = (returned: object, expected: object): void => {
        assert.deepEqual({ ...returned, ...expected }, returned);
        assert.deepEqual({ ...records().at(-1), ...returned }, records().at(-1));
      };
      const count = records().length;
      if (given !== undefined) {
        holds(run("add", given), {});
      }
      const identity = key === "" ? [] : [at(records().at(-1), key)];
      if (change !== undefined) {
        holds(run("change", ...identity, change), change);
      }
      const present = records().length;
      run("remove", ...identity);
      assert.equal(records().length, given === undefined ? present - 1 : count);
      const absent = { message: /^The emulator has no |^Nothing is mounted|No Such Object/ };
      for (const method of key === "" ? [] : ["remove", change === undefined ? "remove" : "change"]) {
        assert.throws(() => run(method, ...identity, {}), absent);
      }
    });
  }

  it("an object that a test sets up requires the objects that it refers to", () => {
    const { provisioning, secrets, scheduler } = emulator;
    const configuration = provisioning.addNotificationConfiguration({ workspace: "ws-1", name: "x" }).id;
    const alias = secrets.addEntityAlias({ name: "web", canonicalId: "entity-1" }).id;
    const before = emulator.inspect();
    const mounts = (type: "directory" | "approle", path: string) => () => secrets.addMount({ type, path });
    const rows: readonly (readonly [() => unknown, RegExp])[] = [
      [() => provisioning.addOrganization({ name: "acme" }), /already has the organization "acme"/],
      [() => provisioning.addOrganization({ name: "x", providerConsumers: ["y"] }), /no organization "y"/],
      [() => provisioning.changeOrganization("acme", { ownerIds: ["x"] }), /no user "x"/],
      [() => provisioning.addWorkspace({ organization: "acme", project: "x" }), /no project "x"/],
      [() => provisioning.moveWorkspace("ws-1", "x"), /no project "x"/],
      [() => provisioning.addUser({ organization: "x" }), /no organization "x"/],
      [() => provisioning.removeProject("prj-default"), /default project .* cannot be removed/],
      [() => provisioning.addNotificationConfiguration({ workspace: "x", name: "x" }), /no workspace "x"/],
      [() => provisioning.changeNotificationConfiguration(configuration, { userIds: ["x"] }), /no user "x"/],
      [() => provisioning.revokeToken("x"), /no such token/],
      [mounts("directory", "ldap"), /mounted at "ldap" already/],
      [mounts("approle", "auth/userpass"), /mounted at "userpass" already/],
      [mounts("directory", "/"), /no path/],
      [mounts("directory", "a/../b"), /no path/],
      [mounts("directory", "identity/x"), /for itself/],
      [() => secrets.addMount({ type: "oidc", path: "x", accessor: "auth_userpass_00000001" }), /accessor/],
      [() => secrets.addToken({ entityId: "x" }), /no entity "x"/],
      [() => secrets.addEntityAlias({ name: "x", canonicalId: "x" }), /no entity "x"/],
      [() => secrets.changeEntityAlias(alias, { mountAccessor: "x" }), /accessor "x"/],
      [() => secrets.addEnforcement({ methodIds: ["x"] }), /no MFA method "x"/],
      [() => secrets.addTotpSecret("method-1", "x"), /no entity "x"/],
      [() => secrets.removeTotpSecret("method-1", "entity-1"), /no TOTP secret/],
      [() => secrets.addPasswordPolicy({ name: "x", length: 0 }), /at least one character/],
      [() => secrets.revokeLease("x"), /no lease "x"/],
      [() => secrets.addDirectoryEntry({ dn: dnOf("alice") }), /Entry Already Exists/],
      [() => secrets.addDirectoryEntry({ dn: "alice" }), /Invalid DN Syntax/],
      [() => secrets.removeDirectoryEntry(users), /Not Allowed On Non Leaf/],
      [() => secrets.changeDirectoryConfig({}, "x"), /no directory engine at "x"/],
      [() => scheduler.rotateToken("x"), /no such token/],
    ];
    rows.forEach(([action, error]) => assert.throws(action, error));
    assert.deepEqual(emulator.inspect(), before);
    secrets.removeDirectoryConfig();
    assert.throws(() => secrets.changeDirectoryConfig({}), /engine at "ldap" has no configuration/);
  });

  it("an object that a test sets up is removed with the object that it belongs to", async () => {
    const { provisioning, secrets } = emulator;
    const left = () => emulator.inspect();
    provisioning.addNotificationConfiguration({ ...configured, userIds: ["user-1"] });
    provisioning.removeUser("user-1");
    assert.deepEqual(left().provisioning.notificationConfigurations[0]?.userIds, []);
    provisioning.removeProject("prj-web");
    assert.equal(left().provisioning.workspaces[0]?.projectId, "prj-default");
    provisioning.removeOrganization("acme");
    const { users: _users, ...others } = left().provisioning;
    assert.deepEqual(Object.values(others).flat(), []);
    secrets.addEntityAlias({ name: "web", canonicalId: "entity-1" });
    const secret = secrets.addTotpSecret("method-1", "entity-1");
    assert.deepEqual(left().secrets.totpSecrets, [secret]);
    secrets.removeEntity("entity-1");
    secrets.removeTotpMethod("method-1");
    const { entityAliases, totpSecrets, enforcements } = left().secrets;
    assert.deepEqual([entityAliases, totpSecrets, enforcements[0]?.methodIds], [[], [], []]);
    await ldap.envelope("POST", "library/new/check-out", { name: "new" });
    await ldap.envelope("POST", "library/new/check-out", { name: "new" });
    const accounts = () =>
      left().secrets.directoryLibraryAccounts.map(({ name, checkOut }) => `${name} ${checkOut === null}`);
    secrets.changeDirectoryLibrarySet("new", { serviceAccountNames: ["svc2", "svc3"] });
    assert.deepEqual([accounts(), left().secrets.leases.length], [["svc2 false", "svc3 true"], 1]);
    secrets.removeDirectoryLibrarySet("new");
    assert.deepEqual([accounts(), left().secrets.leases], [[], []]);
  });
});
