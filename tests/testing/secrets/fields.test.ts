import assert from "node:assert/strict";
import { Fields, type FieldRules } from "../../../sdk/testing/secrets/fields";
import { Refusal } from "../../../sdk/testing/secrets/refusal";

describe("the attributes of a body", () => {
  const strict: FieldRules = { unknown: "refused", emptyDuration: "refused" };
  const lenient: FieldRules = { unknown: "ignored", emptyDuration: "zero" };
  const fieldsOf = (values: Readonly<Record<string, unknown>>, rules = strict): Fields =>
    Fields.parse(JSON.stringify(values), { known: Object.keys(values), rules });
  const assertBadRequest = (action: () => unknown, message: RegExp): void => {
    assert.throws(
      action,
      (error) => error instanceof Refusal && error.status === 400 && message.test(error.message),
    );
  };

  it("are none when there is no body", () => {
    const fields = Fields.parse(undefined, { known: ["a"], rules: strict });
    assert.equal(fields.has("a"), false);
    assert.equal(fields.text("a"), undefined);
  });

  it("can be sent empty, which is not the same as not sent", () => {
    const fields = fieldsOf({ a: "", b: " ", c: 0, d: [] });
    assert.deepEqual(
      ["a", "b", "c", "d", "e"].map((name) => fields.isEmpty(name)),
      [true, false, false, false, false],
    );
  });

  const read: readonly [
    keyof Fields & ("text" | "boolean" | "integer" | "duration" | "list" | "map"),
    unknown,
    unknown,
  ][] = [
    ["text", "x", "x"],
    ["text", "", ""],
    ["boolean", false, false],
    ["integer", -3, -3],
    ["duration", "1m", 60],
    ["list", "a, b,,c ", ["a", "b", "c"]],
    ["list", "", []],
    ["list", [" a ", "b"], ["a", "b"]],
    ["list", [], []],
    ["map", { a: "b" }, { a: "b" }],
    ["map", {}, {}],
  ];
  for (const [reader, value, expected] of read) {
    it(`${JSON.stringify(value)} is ${JSON.stringify(expected)} as ${reader}`, () => {
      const fields = fieldsOf({ field: value });
      assert.ok(fields.has("field"));
      assert.deepEqual(fields[reader]("field"), expected);
      assert.equal(fields[reader]("other"), undefined);
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
    ["duration", "soon"],
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
      assertBadRequest(() => fieldsOf({ field: value })[reader]("field"), message);
    });
  }

  it("can be required, and are not empty then", () => {
    assert.equal(fieldsOf({ a: "x" }).requiredText("a"), "x");
    for (const values of [{}, { a: "" }]) {
      assertBadRequest(() => fieldsOf(values).requiredText("a"), /^missing a$/);
    }
  });

  it("are left out with a warning where the rules say so: what nobody knows, and what the path says", () => {
    const body = JSON.stringify({ a: "x", zeta: 1, beta: 2, name: "other" });
    const expected = { known: ["a", "name"], captured: ["name"], rules: lenient };
    const fields = Fields.parse(body, expected);
    assert.equal(fields.text("a"), "x");
    assert.deepEqual(
      ["zeta", "beta", "name"].map((name) => fields.has(name)),
      [false, false, false],
    );
    assert.deepEqual(fields.warnings, [
      "Endpoint ignored these unrecognized parameters: [beta zeta]",
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    ]);
    assert.deepEqual(Fields.parse('{"a": "x"}', expected).warnings, []);
  });

  it("take an empty length of time as none where the rules say so", () => {
    assert.equal(fieldsOf({ a: "" }, lenient).duration("a"), 0);
    assertBadRequest(() => fieldsOf({ a: "" }).duration("a"), /Field validation failed/);
  });

  it("may have names that objects have anyway", () => {
    assert.equal(fieldsOf({}).has("constructor"), false);
    assertBadRequest(
      () => Fields.parse('{"constructor": 1}', { known: [], rules: strict }),
      /\[constructor\]/,
    );
    assertBadRequest(() => Fields.parse('{"__proto__": 1}', { known: [], rules: strict }), /\[__proto__\]/);
  });
});
