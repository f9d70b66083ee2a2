import assert from "node:assert/strict";
import { Fields } from "../../../sdk/testing/secrets/fields";
import { Refusal } from "../../../sdk/testing/secrets/refusal";

describe("the attributes of a body", () => {
  const fieldsOf = (values: Readonly<Record<string, unknown>>): Fields =>
    Fields.parse(JSON.stringify(values), Object.keys(values));
  const assertBadRequest = (action: () => unknown, message: RegExp): void => {
    assert.throws(
      action,
      (error) => error instanceof Refusal && error.status === 400 && message.test(error.message),
    );
  };

  it("are none when there is no body", () => {
    const fields = Fields.parse(undefined, ["a"]);
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

  it("may have names that objects have anyway", () => {
    assert.equal(fieldsOf({}).has("constructor"), false);
    assertBadRequest(() => Fields.parse('{"constructor": 1}', []), /\[constructor\]/);
    assertBadRequest(() => Fields.parse('{"__proto__": 1}', []), /\[__proto__\]/);
  });
});
