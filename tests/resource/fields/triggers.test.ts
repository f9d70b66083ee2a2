import assert from "node:assert/strict";
import { z } from "zod";
import { equivalent } from "../../../sdk/resource/fields/canonical";
import { sameTriggers, triggersArgument, triggersDefinition } from "../../../sdk/resource/fields/triggers";

describe("triggers", () => {
  it("are names with simple values, or nothing", () => {
    const accepts = (value: unknown): boolean => triggersArgument(z).safeParse(value).success;
    assert.ok([undefined, {}, { a: "x", b: 2, c: true }].every(accepts));
    assert.ok(![null, "x", ["x"], { a: null }, { a: {} }, { a: [1] }].some(accepts));
  });

  it("are the same in another order, and none is the same as nothing", () => {
    assert.ok(equivalent(triggersDefinition, { a: 1, b: 2 }, { b: 2, a: 1 }));
    assert.ok(equivalent(triggersDefinition, {}, null));
    assert.ok(!equivalent(triggersDefinition, { a: 1 }, { a: "1" }));
    assert.ok(!equivalent(triggersDefinition, { a: 1 }, null));
  });

  it("make nothing happen again where they say the same, or nothing", () => {
    assert.ok(sameTriggers({ a: 1 }, { a: 1 }));
    assert.ok(sameTriggers(undefined, {}));
    assert.ok(sameTriggers({}, null));
    assert.ok(!sameTriggers({ a: 1 }, { a: 2 }));
    assert.ok(!sameTriggers({ a: 1 }, undefined));
  });
});
