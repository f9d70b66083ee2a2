import assert from "node:assert/strict";
import fc from "fast-check";
import { InputError } from "../../sdk/base/errors";
import { mountPath, path } from "../../sdk/base/path";

describe("path", () => {
  it("leaves ordinary names alone", () => {
    assert.equal(
      path`/projects/${"prj-1"}/relationships/workspaces`,
      "/projects/prj-1/relationships/workspaces",
    );
    assert.equal(path`/pages/${7}`, "/pages/7");
  });

  it("makes one segment of every value", () => {
    assert.equal(path`/roles/${"a b/c?d#e%f;g"}/creds`, "/roles/a%20b%2Fc%3Fd%23e%25f%3Bg/creds");
    assert.equal(path`/roles/${"Zürich"}`, "/roles/Z%C3%BCrich");
  });

  it("keeps the slashes of a mount, and only of a mount", () => {
    assert.equal(path`/${mountPath("/teams/a b/ldap/")}/config`, "/teams/a%20b/ldap/config");
    assert.equal(path`/${"teams/ldap"}/config`, "/teams%2Fldap/config");
  });

  const refused = [
    "",
    ".",
    "..",
    "%2e",
    "%2E%2e",
    ".%2E",
    "%252e%252e",
    "../sys",
    "a/../b",
    "a/%2e%2e/b",
    "..%2fsys",
    "a\\..\\b",
    "a%5c..",
    "a\nb",
    "\0",
    "\x7f",
    "\x85",
    "\ud800",
  ];
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      assert.throws(() => path`/roles/${value}`, InputError);
      assert.throws(() => path`/${mountPath(`ldap/${value}x/../${value}`)}/roles`, InputError);
    });
  }

  it("names the value and its place", () => {
    assert.throws(
      () => path`/organizations/${"acme"}/projects/${".."}`,
      (error: unknown) =>
        InputError.isInstance(error) &&
        error.message.includes('".."') &&
        error.message.includes("value 2 of the path /organizations/{1}/projects/{2}"),
    );
  });

  for (const mount of ["", "/", "a//b", "a/../b", "a/./b", "."]) {
    it(`refuses the mount ${JSON.stringify(mount)}`, () => {
      assert.throws(() => mountPath(mount), InputError);
    });
  }

  it("refuses a template that is no path", () => {
    assert.throws(() => path`projects`, InputError);
    assert.throws(() => path`/projects?q=${"x"}`, InputError);
  });

  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(".", "..", "/", "\\", "%2e", "%2f", "%", "?", "#", "a", ":", "@", "//"), {
        maxLength: 6,
      })
      .map((parts) => parts.join("")),
  );

  it("reaches no other endpoint, whatever the values are", () => {
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const built = build(() => path`/organizations/${first}/projects/${second}`);
        if (built === undefined) {
          return;
        }
        const resolved = new URL(built, "https://service.example");
        const segments = resolved.pathname.split("/");
        assert.equal(resolved.host, "service.example");
        assert.equal(resolved.search + resolved.hash, "");
        assert.deepEqual(segments.map(decodeURIComponent), ["", "organizations", first, "projects", second]);
      }),
    );
  });

  it("stays below the mount, whatever its name is", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const built = build(() => path`/v1/${mountPath(name)}/roles`);
        if (built === undefined) {
          return;
        }
        const { host, pathname } = new URL(built, "https://service.example");
        assert.equal(host, "service.example");
        assert.equal(decodeURIComponent(pathname), `/v1/${name.replace(/^\/+|\/+$/g, "")}/roles`);
      }),
    );
  });
});

/** @returns `undefined` when the values were refused */
function build(make: () => string): string | undefined {
  try {
    return make();
  } catch (error) {
    assert.ok(InputError.isInstance(error));
    return undefined;
  }
}
