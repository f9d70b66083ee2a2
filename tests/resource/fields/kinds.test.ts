import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import type { JsonValue } from "../../../sdk/base/json";
import {
  durationInSeconds,
  nameInPath,
  nameInResponse,
  warnOfEmpty,
  sentSeconds,
  writtenSeconds,
  triggersOf,
  sameTriggers,
} from "../../../sdk/resource/fields/kinds";
import * as canonical from "../../../sdk/resource/fields/kinds";
import { type Canonical, nothingIsNull } from "../../../sdk/resource/fields/field";

describe("canonical forms", () => {
  const pem = "-----BEGIN X-----\nAA\n-----END X-----";
  const same: readonly [string, Canonical, JsonValue, JsonValue][] = [
    ["duration", canonical.duration, "1h", 3600],
    ["duration", canonical.duration, "60m", "3600"],
    ["set", canonical.set, ["b", "a", "b"], ["a", "b"]],
    ["commaSeparatedSet", canonical.commaSeparatedSet, "b, a,,", ["a", "b"]],
    ["pem", canonical.pemLines, "-----BEGIN X-----\r\nAA\r\n-----END X-----\r\n", pem],
    ["pem", canonical.pemLines, "  -----BEGIN X-----\rAA\n\n-----END X-----", pem],
    ["caseInsensitive", canonical.caseInsensitive, "LDAP://Host", "ldap://host"],
    ["nothingIsNull", nothingIsNull(), "", null],
    ["nothingIsNull(set)", nothingIsNull(canonical.set), [], null],
    ["nothingIsNull", nothingIsNull(), {}, null],
  ];
  for (const [name, form, left, right] of same) {
    it(`the canonical form of ${name}: ${JSON.stringify(left)} is ${JSON.stringify(right)}`, () =>
      assert.deepEqual(form(left), form(right)));
  }

  const different: readonly [string, Canonical, JsonValue, JsonValue][] = [
    ["duration", canonical.duration, "1h", 3601],
    ["duration", canonical.duration, "nonsense", 0],
    ["set", canonical.set, ["a"], ["a", "b"]],
    ["set", canonical.set, ["1"], [1]],
    ["pem", canonical.pemLines, "-----BEGIN X-----\nAA\nBB", "-----BEGIN X-----\nAABB"],
    ["nothingIsNull", nothingIsNull(), 0, null],
    ["nothingIsNull", nothingIsNull(), false, null],
    ["nothingIsNull", nothingIsNull(), { key: "" }, null],
  ];
  it("canonical forms differ where the values do", () => {
    for (const [name, form, left, right] of different) {
      assert.notDeepEqual(form(left), form(right), name);
    }
  });

  it("canonical forms never throw and leave what they do not understand as it is", () => {
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

describe("a duration", () => {
  const messagesOf = (schema: z.ZodType, value: unknown): readonly string[] | undefined =>
    schema.safeParse(value).error?.issues.map(({ message }) => message);

  it("a duration is seconds in every accepted spelling", () => {
    const values = [90, "90", "90s", "1m30s", "1h"].map((value) => durationInSeconds(z).parse(value));
    assert.deepEqual(values, [90, 90, 90, 90, 3600]);
  });

  it("a duration is refused otherwise, without its value", () => {
    for (const value of ["soon", "", -1, "5 minutes", null, true, {}]) {
      const [message = "", ...more] = messagesOf(durationInSeconds(z), value) ?? [];
      assert.match(message, /^must be a duration/);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(messagesOf(durationInSeconds(z), undefined), ["is required"]);
  });

  it("a duration has parts of seconds with a unit only, and none for the products", () => {
    const whole = "must be a whole number of seconds";
    for (const value of [0.5, "1.5"]) {
      assert.deepEqual(messagesOf(sentSeconds(z, "documented"), value), [`${whole}, or have a unit`]);
    }
    assert.deepEqual(messagesOf(sentSeconds(z, "hashicorp"), "1500ms"), [whole]);
    const values = ["60m", 3600, "0.5m", 0, "1500ms", "1us"];
    const sent = values.map((value) => writtenSeconds(sentSeconds(z, "documented").parse(value)));
    assert.deepEqual(sent, [3600, 3600, 30, 0, "1500ms", "0.001ms"]);
  });
});

describe("a name that becomes a part of a path", () => {
  const problemOf = (name: string): string | undefined =>
    nameInPath(z)
      .safeParse(name)
      .error?.issues.map(({ message }) => message)
      .join("; ");

  it("a name in a path may be nearly anything", () => {
    for (const name of ["a", "a/b", "a b", "..a", "?x", "#", "%41", "é漢字🙂", "x".repeat(1_024)]) {
      assert.equal(problemOf(name), undefined, name);
    }
  });

  it("a name in a path leads nowhere else", () => {
    assert.equal(problemOf(""), "must not be empty");
    assert.match(problemOf("..") ?? "", /would resolve to another path/);
    assert.match(problemOf("%2e%2e") ?? "", /would resolve to another path/);
    assert.match(problemOf("a\n") ?? "", /control character/);
    assert.match(problemOf("\ud800") ?? "", /well-formed/);
    assert.match(problemOf("x".repeat(1_025)) ?? "", /longer than 1024/);
  });
});

describe("warnOfEmpty", () => {
  const values: readonly [string | string[], string | undefined][] = [
    ["", "is empty"],
    ["a", undefined],
    [[], undefined],
    [["a"], undefined],
    [["a", ""], "has an empty item"],
  ];
  it("warnOfEmpty warns of empty texts and items", () => {
    for (const [value, warning] of values) {
      assert.deepEqual(warnOfEmpty(value) || undefined, warning && { warning });
    }
  });
});

describe("a name in a response", () => {
  const accepts = (name: string): boolean => nameInResponse(z).safeParse(name).success;

  it("a name in a response may be any text that is well-formed, and not too long", () => {
    for (const name of ["a", "~ a/b?#", "é漢字🙂", "a\nb", "x".repeat(1_000)]) {
      assert.equal(accepts(name), true, name);
    }
    for (const name of ["", "x".repeat(1_001), "a\ud800", "\udc00b"]) {
      assert.equal(accepts(name), false, name);
    }
  });
});

describe("triggers", () => {
  it("triggers are names with simple values", () => {
    const accepts = (value: unknown): boolean => triggersOf(z).safeParse(value).success;
    assert.ok([{}, { a: "x", b: 2, c: true }].every(accepts));
    assert.ok(![undefined, null, "x", ["x"], { a: null }, { a: {} }, { a: [1] }].some(accepts));
  });

  it("triggers are the same in another order, and none is the same as nothing", () => {
    assert.ok(sameTriggers({ a: 1, b: 2 }, { b: 2, a: 1 }));
    assert.ok(sameTriggers({}, null));
    assert.ok(!sameTriggers({ a: 1 }, { a: "1" }));
    assert.ok(!sameTriggers({ a: 1 }, null));
  });

  it("triggers make nothing happen again where they say the same, or nothing", () => {
    assert.ok(sameTriggers({ a: 1 }, { a: 1 }));
    assert.ok(sameTriggers(undefined, {}));
    assert.ok(sameTriggers({}, null));
    assert.ok(!sameTriggers({ a: 1 }, { a: 2 }));
    assert.ok(!sameTriggers({ a: 1 }, undefined));
  });
});
