import assert from "node:assert/strict";
import fc from "fast-check";
import { InputError } from "../../sdk/base/errors";
import { mountPath, path } from "../../sdk/base/path";

describe("path", () => {
  it("path encodes every value as one segment, and keeps only the slashes of a mount", () => {
    for (const [built, expected] of [
      [path`/projects/${"prj-1"}/relationships/workspaces`, "/projects/prj-1/relationships/workspaces"],
      [path`/pages/${7}`, "/pages/7"],
      [path`/roles/${"a b/c?d#e%f;g"}/creds`, "/roles/a%20b%2Fc%3Fd%23e%25f%3Bg/creds"],
      [path`/roles/${"Zürich"}`, "/roles/Z%C3%BCrich"],
      [path`/${mountPath("/teams/a b/ldap/")}/config`, "/teams/a%20b/ldap/config"],
      [path`/${"teams/ldap"}/config`, "/teams%2Fldap/config"],
    ] as const) {
      assert.equal(built, expected);
    }
  });

  const dots = ["", ".", "..", "%2e", "%2E%2e", ".%2E", "%252e%252e", "../sys", "a/../b", "a/%2e%2e/b"];
  const others = ["..%2fsys", "a\\..\\b", "a%5c..", "a\nb", "\0", "\x7f", "\x85", "\ud800", "a".repeat(1025)];
  for (const value of [...dots, ...others]) {
    it(`path rejects ${JSON.stringify(value)}`, () => {
      assert.throws(() => path`/roles/${value}`, InputError);
      assert.throws(() => path`/${mountPath(`ldap/${value}x/../${value}`)}/roles`, InputError);
    });
  }

  it("path rejects an invalid mount", () => {
    for (const mount of ["", "/", "a//b", "a/../b", "a/./b", "."]) {
      assert.throws(() => mountPath(mount), InputError, mount);
    }
  });

  it("the error of path names the value and its place, and shows only the beginning of the value", () => {
    assert.throws(() => path`/organizations/${"acme"}/projects/${".."}`, {
      message:
        'Invalid path: value 2 of the path /organizations/{1}/projects/{2}, "..", contains a "." or ".." segment, ' +
        "which would resolve to another path.",
    });
    assert.throws(() => path`/a/${"b".repeat(2000)}`, { message: /"b{100}\.\.\.", is longer than 1024/ });
  });

  it("path rejects a template that is not a path", () => {
    assert.throws(() => path`projects`, InputError);
    assert.throws(() => path`/projects?q=${"x"}`, InputError);
  });

  const parts = fc.constantFrom(".", "..", "/", "\\", "%2e", "%2f", "%", "?", "#", "a", ":", "@", "//");
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(parts, { maxLength: 6 }).map((list) => list.join("")),
  );
  /** @returns `undefined` if the values were refused */
  const resolved = (make: () => string): URL | undefined => {
    try {
      return new URL(make(), "https://service.example");
    } catch (error) {
      assert.ok(InputError.isInstance(error));
      return undefined;
    }
  };

  it("path cannot reach another endpoint, even with unusual values", () =>
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const url = resolved(() => path`/organizations/${first}/projects/${second}`);
        if (url !== undefined) {
          assert.equal(url.host + url.search + url.hash, "service.example");
          const segments = url.pathname.split("/").map(decodeURIComponent);
          assert.deepEqual(segments, ["", "organizations", first, "projects", second]);
        }
      }),
    ));

  it("path stays below the mount, even if the mount has an unusual name", () =>
    fc.assert(
      fc.property(hostile, (name) => {
        const url = resolved(() => path`/v1/${mountPath(name)}/roles`);
        if (url !== undefined) {
          assert.equal(url.host, "service.example");
          assert.equal(decodeURIComponent(url.pathname), `/v1/${name.replace(/^\/+|\/+$/g, "")}/roles`);
        }
      }),
    ));
});
