import assert from "node:assert/strict";
import { Mounts } from "../../../sdk/testing/secrets/mounts";

describe("the table of mounts", () => {
  let mounts: Mounts;
  beforeEach(() => {
    mounts = new Mounts("documented");
  });
  const find = (path: string): [string, string] | undefined => {
    const found = mounts.find(path.split("/"));
    return found === undefined ? undefined : [found.mount.path, found.rest];
  };

  it("calls the engines as the dialect does, and accepts both names for them", () => {
    mounts = new Mounts("hashicorp");
    mounts.add({ type: "directory", path: "corp" });
    mounts.add({ type: "nomad", path: "jobs" });
    const login = mounts.add({ type: "ldap", path: "auth/ldap" });
    assert.deepEqual(
      mounts.all().map((mount) => [mounts.shownPathOf(mount), mount.type]),
      [
        ["ldap/", "ldap"],
        ["nomad/", "nomad"],
        ["auth/userpass/", "userpass"],
        ["corp/", "ldap"],
        ["jobs/", "nomad"],
        ["auth/ldap/", "ldap"],
      ],
    );
    assert.match(login.accessor, /^auth_ldap_/);
    assert.deepEqual(
      mounts.ofEngine("directory").map(({ path }) => path),
      ["ldap", "corp"],
    );
    assert.equal(mounts.known("scheduler").accessor, "nomad_00000001");
    assert.throws(() => mounts.known("scheduler", "scheduler"), /no scheduler engine at "scheduler"/);
  });

  for (const [what, mount, message] of [
    ["a path that is taken", { type: "scheduler", path: "ldap" }, /mounted at "ldap" already/],
    [
      "a login's path that is taken",
      { type: "approle", path: "auth/userpass" },
      /mounted at "userpass" already/,
    ],
    [
      "an accessor that is taken",
      { type: "oidc", path: "x", accessor: "auth_userpass_00000001" },
      /accessor/,
    ],
    ["no path", { type: "directory", path: "/" }, /no path/],
    ["a path with a gap", { type: "directory", path: "a//b" }, /no path/],
    ["a path that climbs", { type: "directory", path: "a/../b" }, /no path/],
    ["a path of the service", { type: "directory", path: "identity/x" }, /for itself/],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => mounts.add(mount), message);
      assert.equal(mounts.all().length, 3);
    });
  }

  it("finds the longest path that a request begins with, segment by segment", () => {
    mounts.add({ type: "directory", path: "corp/ldap" });
    mounts.add({ type: "scheduler", path: "corp/ldap/role" });
    mounts.add({ type: "directory", path: "größe" });
    assert.deepEqual(find("corp/ldap/config"), ["corp/ldap", "/config"]);
    assert.deepEqual(find("corp/ldap/role/x"), ["corp/ldap/role", "/x"]);
    assert.deepEqual(find("corp/ldap/roles/x"), ["corp/ldap", "/roles/x"]);
    assert.deepEqual(find("gr%C3%B6%C3%9Fe/role/a%2Fb"), ["größe", "/role/a%2Fb"]);
    assert.deepEqual(find("ldap"), ["ldap", "/"]);
    for (const path of ["corp", "corp%2Fldap/config", "ldapx/config", "auth/userpass/x", "%E0%A4%A/x"]) {
      assert.equal(find(path), undefined, path);
    }
  });
});
