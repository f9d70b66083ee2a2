import assert from "node:assert/strict";
import {
  comparedAs,
  eitherType,
  isWhole,
  typeNames,
  type ValueType,
} from "../../../../sdk/secrets/directory/template/value";

const types = Object.keys(typeNames) as ValueType[];

describe("types of values", () => {
  it("are whole when they can count", () => {
    assert.deepEqual(types.filter(isWhole), ["integer", "seconds", "byte", "unknown"]);
  });

  it("are compared within their kind; what has no kind cannot be compared", () => {
    assert.equal(comparedAs("seconds"), comparedAs("byte"));
    assert.notEqual(comparedAs("integer"), comparedAs("decimal"));
    assert.deepEqual(
      types.filter((type) => comparedAs(type) === undefined),
      ["fields", "nothing", "unknown"],
    );
  });

  it("are unknown when there are two of them", () => {
    assert.equal(eitherType("text", "text"), "text");
    assert.equal(eitherType("text", "integer"), "unknown");
  });
});
