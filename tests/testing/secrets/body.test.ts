import assert from "node:assert/strict";
import { Body, type BodyRules } from "../../../sdk/testing/secrets/body";
import { Refusal } from "../../../sdk/testing/secrets/refusal";

describe("the attributes of a body", () => {
  const strict: BodyRules = { unknown: "refused", otherKinds: "refused" };
  const lenient: BodyRules = { unknown: "ignored", otherKinds: "converted" };
  const bodyOf = (values: Readonly<Record<string, unknown>>, rules = strict): Body =>
    Body.parse(JSON.stringify(values), { known: Object.keys(values), rules });
  const assertBadRequest = (action: () => unknown, message: RegExp): void => {
    assert.throws(
      action,
      (error) => error instanceof Refusal && error.status === 400 && message.test(error.message),
    );
  };

  const read: readonly [
    keyof Body & ("text" | "boolean" | "integer" | "duration" | "list" | "map"),
    unknown,
    unknown,
  ][] = [
    ["text", "x", "x"],
    ["text", "", ""],
    ["boolean", false, false],
    ["integer", -3, -3],
    ["duration", 0, 0],
    ["duration", 90, 90],
    ["duration", "3600", 3_600],
    ["duration", " 5s ", 5],
    ["duration", "1h30m", 5_400],
    ["duration", "1d", 86_400],
    ["duration", "1.1h", 3_960],
    ["duration", "1500ms", 1],
    ["duration", "999ms", 0],
    ["duration", "1000000000ns", 1],
    ["list", "a, b,,c ", ["a", "b", "c"]],
    ["list", "", []],
    ["list", [" a ", "b"], ["a", "b"]],
    ["list", [], []],
    ["map", { a: "b" }, { a: "b" }],
    ["map", {}, {}],
  ];
  for (const [reader, value, expected] of read) {
    it(`${JSON.stringify(value)} is ${JSON.stringify(expected)} as ${reader}`, () => {
      const body = bodyOf({ field: value });
      assert.ok(body.has("field"));
      assert.deepEqual(body[reader]("field"), expected);
      assert.equal(body[reader]("other"), undefined);
    });
  }

  const refused: readonly [(typeof read)[number][0], unknown][] = [
    ["text", 1],
    ["text", ["x"]],
    ["boolean", "true"],
    ["boolean", 1],
    ["integer", "1"],
    ["integer", 1.5],
    ["integer", 1e300],
    ["duration", -1],
    ["duration", "-1s"],
    ["duration", 1.5],
    ["duration", "1.5"],
    ["duration", ""],
    ["duration", "s"],
    ["duration", "soon"],
    ["duration", "1 h"],
    ["duration", "1w"],
    ["duration", "9".repeat(20)],
    ["duration", true],
    ["duration", []],
    ["list", 5],
    ["list", ["a", 5]],
    ["list", { a: "b" }],
    ["map", "a=b"],
    ["map", ["a"]],
    ["map", { a: 1 }],
    ...(["text", "boolean", "integer", "duration", "list", "map"] as const).map(
      (reader) => [reader, null] as [typeof reader, null],
    ),
  ];
  for (const [reader, value] of refused) {
    it(`${JSON.stringify(value)} is refused as ${reader}`, () => {
      const message = /^Field validation failed: error converting input for field "field": expected /;
      assertBadRequest(() => bodyOf({ field: value })[reader]("field"), message);
    });
  }

  it("can be required, and are not empty then", () => {
    assert.equal(bodyOf({ a: "x" }).requiredText("a"), "x");
    for (const values of [{}, { a: "" }]) {
      assertBadRequest(() => bodyOf(values).requiredText("a"), /^missing a$/);
    }
  });

  it("take an empty length of time as none where the rules say so", () => {
    assert.equal(bodyOf({ a: "" }, lenient).duration("a"), 0);
    assertBadRequest(() => bodyOf({ a: "" }).duration("a"), /Field validation failed/);
  });

  it("may have names that objects have anyway", () => {
    assert.equal(bodyOf({}).has("constructor"), false);
    assertBadRequest(() => Body.parse('{"constructor": 1}', { known: [], rules: strict }), /\[constructor\]/);
    assertBadRequest(() => Body.parse('{"__proto__": 1}', { known: [], rules: strict }), /\[__proto__\]/);
  });
});
