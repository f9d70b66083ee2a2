import assert from "node:assert/strict";
import { nearestName } from "../../sdk/base/nearest";

const names = ["Username", "Password", "RoleName", "truncate", "truncate_sha256", "lowercase", "ne", "not"];

describe("nearestName", () => {
  const meant: readonly [string, string | undefined][] = [
    ["Usename", "Username"],
    ["username", "Username"],
    ["UserName", "Username"],
    ["Pasword", "Password"],
    ["Usernamez", "Username"],
    ["truncate_zha256", "truncate_sha256"],
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

  it("nearestName does not compare names that are implausibly long", () =>
    assert.equal(nearestName("Username".repeat(100_000), names), undefined));
});
