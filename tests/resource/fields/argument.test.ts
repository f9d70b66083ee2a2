import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Canonical } from "../../../sdk/resource/fields/field";
import * as canonical from "../../../sdk/resource/fields/kinds";
import type { JsonValue } from "../../../sdk/base/json";

describe("canonical forms", () => {
  const same: readonly [string, Canonical, JsonValue, JsonValue][] = [
    ["duration", canonical.duration, "1h", 3600],
    ["duration", canonical.duration, "60m", "3600"],
    ["set", canonical.set, ["b", "a", "b"], ["a", "b"]],
    ["commaSeparatedSet", canonical.commaSeparatedSet, "b, a,,", ["a", "b"]],
    [
      "pem",
      canonical.pemLines,
      "-----BEGIN X-----\r\nAA\r\n-----END X-----\r\n",
      "-----BEGIN X-----\nAA\n-----END X-----",
    ],
    [
      "pem",
      canonical.pemLines,
      "  -----BEGIN X-----\rAA\n\n-----END X-----",
      "-----BEGIN X-----\nAA\n-----END X-----",
    ],
    ["caseInsensitive", canonical.caseInsensitive, "LDAP://Host", "ldap://host"],
    ["nothingIsNull", canonical.nothingIsNull(), "", null],
    ["nothingIsNull(set)", canonical.nothingIsNull(canonical.set), [], null],
    ["nothingIsNull", canonical.nothingIsNull(), {}, null],
  ];
  for (const [name, form, left, right] of same) {
    it(`${name}: ${JSON.stringify(left)} is ${JSON.stringify(right)}`, () => {
      assert.deepEqual(form(left), form(right));
    });
  }

  const different: readonly [string, Canonical, JsonValue, JsonValue][] = [
    ["duration", canonical.duration, "1h", 3601],
    ["duration", canonical.duration, "nonsense", 0],
    ["set", canonical.set, ["a"], ["a", "b"]],
    ["set", canonical.set, ["1"], [1]],
    ["pem", canonical.pemLines, "-----BEGIN X-----\nAA\nBB", "-----BEGIN X-----\nAABB"],
    ["nothingIsNull", canonical.nothingIsNull(), 0, null],
    ["nothingIsNull", canonical.nothingIsNull(), false, null],
    ["nothingIsNull", canonical.nothingIsNull(), { key: "" }, null],
  ];
  it("differ where the values do", () => {
    for (const [name, form, left, right] of different) {
      assert.notDeepEqual(form(left), form(right), name);
    }
  });

  it("never throw and leave what they do not understand as it is", () => {
    const forms = [
      canonical.duration,
      canonical.set,
      canonical.commaSeparatedSet,
      canonical.pemLines,
      canonical.caseInsensitive,
    ];
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const form of forms) {
          form(value as JsonValue);
        }
      }),
    );
    assert.deepEqual(canonical.set({ a: 1 }), { a: 1 });
    assert.equal(canonical.pemLines(5), 5);
  });
});
