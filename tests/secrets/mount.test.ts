import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import { InputError } from "../../sdk/base/errors";
import { canonicalForm, Fields, snakeCase } from "../../sdk/resource/fields/field";
import type { Emulator } from "../../sdk/testing";
import { librarySetDefinition, librarySets } from "../../sdk/secrets/directory/library-set";
import { staticRoleDefinition, staticRoles } from "../../sdk/secrets/directory/static-role";
import { schedulerRoles } from "../../sdk/secrets/scheduler/role";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { hashicorp, secretsClientOf } from "./emulated-client";
import { mount as mountRow, mountedId, readMountedId } from "../../sdk/secrets/mount";

describe("lists of a mount", () => {
  afterEach(stopServers);

  const clientOf = async (folders: Readonly<Record<string, readonly string[]>>) => {
    const { address } = await startServer((response, { url }) => {
      const [place = ""] = url.split("?");
      const keys = folders[place.replace("/v1/", "")];
      json(response, keys ? 200 : 404, keys ? { data: { keys } } : { errors: [] });
    });
    return secretsClientOf({ secrets: { address, token: "t" } } as Emulator, {}, hashicorp);
  };

  it("lists of a mount contain the names in folders", async () => {
    const folders = { "ldap/role": ["plain", "team/"], "ldap/role/team": ["a", "sub/", "gone/"] };
    const client = await clientOf({ ...folders, "ldap/role/team/sub": ["b"] });
    assert.deepEqual(await schedulerRoles.list(client, "ldap"), ["plain", "team/a", "team/sub/b"]);
  });

  it("lists of a mount end even if each folder contains another one", async () => {
    const endless = new Proxy({}, { get: () => ["a/", "b"] });
    const { message } = await failure(staticRoles.list(await clientOf(endless), "ldap"));
    assert.match(message, /more than 20 levels of folders/);
  });

  it("lists of a documented mount have no folders", async () => {
    const requests: string[] = [];
    const { address } = await startServer((response, { url }) => {
      requests.push(url);
      json(response, 200, ["a", "b/"]);
    });
    const client = secretsClientOf({ secrets: { address, token: "t" } } as Emulator);
    assert.deepEqual(await staticRoles.list(client, "ldap"), ["a", "b/"]);
    assert.deepEqual(requests, ["/v1/ldap/static-role"]);
  });
});

describe("the row of a mount", () => {
  const fields = new Fields({ mount: mountRow({ documented: "ldap", hashicorp: "nomad" }) }, snakeCase);
  const argument = fields.in("documented").schema(z).mount ?? assert.fail();

  it("the mount is the dialect's usual mount if none is set", () => {
    assert.equal(argument.parse(undefined), "ldap");
    assert.equal(fields.in("hashicorp").schema(z).mount?.parse(undefined), "nomad");
  });

  for (const mount of ["teams/ldap", "/teams/ldap", "teams/ldap/"]) {
    it(`the mount accepts ${JSON.stringify(mount)}`, () => {
      assert.equal(argument.parse(mount), "teams/ldap");
      assert.equal(canonicalForm(fields.in("documented").arguments.mount ?? {}, mount), "teams/ldap");
    });
  }

  for (const mount of ["", "/", "teams//ldap", "teams/../ldap", "a\nb", 7]) {
    it(`the mount rejects ${JSON.stringify(mount)}`, () =>
      assert.equal(argument.safeParse(mount).success, false));
  }
});

describe("an ID on a mount", () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !/[\p{C}\\/]|^\.{1,2}$|%/u.test(text));
  const segments = fc.array(name, { minLength: 1, maxLength: 3 });
  it("an ID on a mount is read as it was written", () =>
    fc.assert(
      fc.property(segments, fc.array(name, { maxLength: 2 }), (mount, names) => {
        const id = mountedId(mount.join("/"), ...names);
        assert.deepEqual(readMountedId(id, names.length), { mount: mount.join("/"), names });
      }),
    ));

  for (const [id, count] of [
    ["ldap", 1],
    ["", 0],
    ["ldap//x", 1],
    ["ldap/%zz", 1],
  ] as const) {
    it(`an ID on a mount is not ${JSON.stringify(id)} if ${count} names follow`, () =>
      assert.throws(() => readMountedId(id, count), InputError));
  }

  it("an ID on a mount keeps the mount's slashes and encodes those of names", () => {
    const role = { mount: "teams/A b", roleName: "Pay/ments" };
    const id = "teams/A%20b/Pay%2Fments";
    assert.equal(staticRoles.id(role), id);
    assert.equal(staticRoles.path(role), "/teams/A%20b/static-role/Pay%2Fments");
    assert.equal(staticRoles.describe(role), 'static role "Pay/ments" of the mount teams/A b');
    assert.deepEqual(staticRoles.named(id, "documented"), role);
  });

  it("an ID on a mount has the name, but not the mount, in lower case in the hashicorp dialect", () => {
    const role = { mount: "Teams/ldap", roleName: "payments" };
    assert.deepEqual(staticRoles.named("Teams/ldap/Payments", "hashicorp"), role);
    const { canonicalId } = staticRoleDefinition.identity ?? {};
    const ids = ["Teams/ldap/Payments", "Payments", "ldap/%"];
    const found = ids.map((id) => canonicalId?.(id, "documented"));
    assert.deepEqual(found, ids);
    const actual = ids.map((id) => canonicalId?.(id, "hashicorp"));
    assert.deepEqual(actual, ["Teams/ldap/payments", "Payments", "ldap/%"]);
  });

  it("an ID on a mount keeps the case of its name if only comparisons ignore it", () => {
    assert.deepEqual(librarySets.named("ldap/Operators", "hashicorp"), { mount: "ldap", name: "Operators" });
    const canonical = librarySetDefinition.identity?.canonicalId?.("ldap/Operators", "hashicorp");
    assert.equal(canonical, "ldap/operators");
  });
});
