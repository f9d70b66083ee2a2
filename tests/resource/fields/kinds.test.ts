import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import type { JsonValue } from "../../../sdk/base/json";
import type { Dialect } from "../../../sdk/base/settings";
import * as kinds from "../../../sdk/resource/fields/kinds";
import {
  type Canonical,
  Fields,
  nothingIsNull,
  snakeCase,
  type Warning,
} from "../../../sdk/resource/fields/field";
import { seconds, secondsKind, writtenSeconds } from "../../../sdk/secrets/seconds";
import { lifetime } from "../../../sdk/secrets/shared-rows";

const { durationInSeconds, nameInPath, nameInResponse, sameTriggers, triggersOf } = kinds;

function messagesOf(schema: z.ZodType, value: unknown): readonly string[] | undefined {
  return schema.safeParse(value).error?.issues.map(({ message }) => message);
}

describe("canonical forms", () => {
  const pem = "-----BEGIN X-----\nAA\n-----END X-----";
  const same: readonly [string, Canonical, JsonValue, JsonValue][] = [
    ["duration", kinds.duration, "1h", 3600],
    ["duration", kinds.duration, "60m", "3600"],
    ["set", kinds.set, ["b", "a", "b"], ["a", "b"]],
    ["commaSeparatedSet", kinds.commaSeparatedSet, "b, a,,", ["a", "b"]],
    ["pem", kinds.pemLines, "-----BEGIN X-----\r\nAA\r\n-----END X-----\r\n", pem],
    ["pem", kinds.pemLines, "  -----BEGIN X-----\rAA\n\n-----END X-----", pem],
    ["caseInsensitive", kinds.caseInsensitive, "LDAP://Host", "ldap://host"],
    ["nothingIsNull", nothingIsNull(), "", null],
    ["nothingIsNull(set)", nothingIsNull(kinds.set), [], null],
    ["nothingIsNull", nothingIsNull(), {}, null],
  ];
  for (const [name, form, left, right] of same) {
    it(`the canonical form of ${name}: ${JSON.stringify(left)} is ${JSON.stringify(right)}`, () =>
      assert.deepEqual(form(left), form(right)));
  }

  const different: readonly [Canonical, JsonValue, JsonValue][] = [
    [kinds.duration, "1h", 3601],
    [kinds.duration, "nonsense", 0],
    [kinds.set, ["a"], ["a", "b"]],
    [kinds.set, ["1"], [1]],
    [kinds.pemLines, "-----BEGIN X-----\nAA\nBB", "-----BEGIN X-----\nAABB"],
    [nothingIsNull(), 0, null],
    [nothingIsNull(), false, null],
    [nothingIsNull(), { key: "" }, null],
  ];
  it("canonical forms differ where the values do", () =>
    different.forEach(([form, left, right]) => assert.notDeepEqual(form(left), form(right))));

  it("canonical forms never throw, and leave values unchanged that they do not understand", () => {
    const { duration, set, commaSeparatedSet, pemLines, caseInsensitive } = kinds;
    const forms = [duration, set, commaSeparatedSet, pemLines, caseInsensitive];
    fc.assert(fc.property(fc.jsonValue(), (value) => forms.forEach((form) => void form(value as JsonValue))));
    assert.deepEqual(kinds.set({ a: 1 }), { a: 1 });
    assert.equal(kinds.pemLines(5), 5);
  });
});

describe("a duration", () => {
  it("a duration is a number of seconds in every accepted form", () => {
    const values = [90, "90", "90s", "1m30s", "1h"].map((value) => durationInSeconds(z).parse(value));
    assert.deepEqual(values, [90, 90, 90, 90, 3600]);
  });

  it("a duration in any other form is rejected without showing its value", () => {
    for (const value of ["soon", "", -1, "5 minutes", null, true, {}]) {
      const [message = "", ...more] = messagesOf(durationInSeconds(z), value) ?? [];
      assert.match(message, /^must be a duration/);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(messagesOf(durationInSeconds(z), undefined), ["is required"]);
  });

  it("a duration can have fractions of seconds only with a unit, and not for the products", () => {
    const whole = "must be a whole number of seconds";
    const sentSeconds = (dialect: Dialect) => secondsKind(dialect).argument(z);
    for (const value of [0.5, "1.5"]) {
      assert.deepEqual(messagesOf(sentSeconds("documented"), value), [`${whole}, or have a unit`]);
    }
    assert.deepEqual(messagesOf(sentSeconds("hashicorp"), "1500ms"), [whole]);
    const values = ["60m", 3600, "0.5m", 0, "1500ms", "1us"];
    const sent = values.map((value) => writtenSeconds(sentSeconds("documented").parse(value)));
    assert.deepEqual(sent, [3600, 3600, 30, 0, "1500ms", "0.001ms"]);
  });
});

describe("a duration with an unknown unit", () => {
  const units = ["1w", "30sec", "1H", "1h 2 fortnights"];
  const rows = { seconds: seconds(), lifetime };
  const fields = new Fields(rows, snakeCase);

  it("an unknown unit is sent as written with a warning in the documented dialect, and rejected for the products", () => {
    for (const [name, definition] of Object.entries(fields.in("documented").arguments)) {
      const schema = fields.in("documented").schema(z)[name] ?? z.never();
      for (const unit of units) {
        assert.equal(schema.parse(unit), unit);
        const { warning } = definition.check?.(unit) as Warning;
        assert.match(warning, /^has a unit that the library does not know.*: it is sent as written$/);
      }
      assert.deepEqual(messagesOf(schema, "soon"), ['must be a duration such as 30, "30s" or "1h30m"']);
      assert.equal(definition.check?.("1h"), undefined);
    }
    const written = { seconds: "1w", lifetime: "30sec" } as never;
    assert.deepEqual(fields.in("documented").request(written), written);
    for (const schema of Object.values(fields.in("hashicorp").schema(z))) {
      for (const unit of units) {
        assert.deepEqual(messagesOf(schema, unit), ['must be a duration such as 30, "30s" or "1h30m"']);
      }
    }
  });
});

describe("a name that becomes part of a path", () => {
  const problemOf = (name: string) =>
    nameInPath(z)
      .safeParse(name)
      .error?.issues.map(({ message }) => message)
      .join("; ");

  it("a name in a path can be nearly anything that does not lead to another path", () => {
    for (const name of ["a", "a/b", "a b", "..a", "?x", "#", "%41", "é漢字🙂", "x".repeat(1_024)]) {
      assert.equal(problemOf(name), undefined, name);
    }
    assert.equal(problemOf(""), "must not be empty");
    assert.match(problemOf("..") ?? "", /would resolve to another path/);
    assert.match(problemOf("%2e%2e") ?? "", /would resolve to another path/);
    assert.match(problemOf("a\n") ?? "", /control character/);
    assert.match(problemOf("\ud800") ?? "", /well-formed/);
    assert.match(problemOf("x".repeat(1_025)) ?? "", /longer than 1024/);
  });
});

it("warnOfEmpty warns about empty texts and items", () => {
  const values = ["", "a", [], ["a"], ["a", ""]];
  const warnings = values.map((value) => kinds.warnOfEmpty(value) || undefined);
  const [empty, item] = [{ warning: "is empty" }, { warning: "has an empty item" }];
  assert.deepEqual(warnings, [empty, undefined, undefined, undefined, item]);
});

it("a name in a response can be any text that is well-formed and not too long", () => {
  const accepts = (name: string): boolean => nameInResponse(z).safeParse(name).success;
  assert.ok(["a", "~ a/b?#", "é漢字🙂", "a\nb", "x".repeat(1_000)].every(accepts));
  assert.ok(!["", "x".repeat(1_001), "a\ud800", "\udc00b"].some(accepts));
});

describe("triggers", () => {
  it("triggers are names with simple values", () => {
    const accepts = (value: unknown): boolean => triggersOf(z).safeParse(value).success;
    assert.ok([{}, { a: "x", b: 2, c: true }].every(accepts));
    assert.ok(![undefined, null, "x", ["x"], { a: null }, { a: {} }, { a: [1] }].some(accepts));
  });

  it("triggers are equal in another order, and an empty object is equal to nothing", () => {
    assert.ok(sameTriggers({ a: 1, b: 2 }, { b: 2, a: 1 }));
    assert.ok(sameTriggers({}, null) && sameTriggers(undefined, {}));
    for (const other of [{ a: "1" }, { a: 2 }, null, undefined]) {
      assert.ok(!sameTriggers({ a: 1 }, other), JSON.stringify(other));
    }
  });
});
