import assert from "node:assert/strict";
import fc from "fast-check";
import { nearestName } from "../../sdk/base/nearest";

const names = ["Username", "Password", "RoleName", "truncate", "truncate_sha256", "lowercase", "ne", "not"];

describe("nearestName", () => {
  const meant: readonly [string, string | undefined][] = [
    ["Usename", "Username"],
    ["username", "Username"],
    ["UserName", "Username"],
    ["Pasword", "Password"],
    ["Passwrod", "Password"],
    ["nto", "not"],
    ["Role", "RoleName"],
    ["trunc", "truncate"],
    ["truncate_sha", "truncate_sha256"],
    ["lower", "lowercase"],
    ["nope", undefined],
    ["x", undefined],
    ["", undefined],
    ["us", undefined],
  ];
  for (const [name, near] of meant) {
    it(`nearestName suggests ${near ?? "nothing"} for ${JSON.stringify(name)}`, () =>
      assert.equal(nearestName(name, names), near));
  }

  it("nearestName finds a name with one letter changed, left out or added", () => {
    const changes = fc.record({
      name: fc.constantFrom("truncate_sha256", "lowercase", "Username"),
      at: fc.nat(6),
      remove: fc.constantFrom(0, 1),
      letter: fc.constantFrom("", "z"),
    });
    fc.assert(
      fc.property(changes, ({ name, at, remove, letter }) => {
        assert.equal(nearestName(name.slice(0, at) + letter + name.slice(at + remove), names), name);
      }),
    );
  });

  it("nearestName does not compare with names that nobody would give", () =>
    assert.equal(nearestName("Username".repeat(100_000), names), undefined));
});
