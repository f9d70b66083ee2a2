import assert from "node:assert/strict";
import { Scope } from "../../../../sdk/secrets/directory/template/scope";

describe("Scope", () => {
  it("sees the variables around it, but does not show its own", () => {
    const outer = new Scope();
    const inner = new Scope(outer);
    outer.declare("$a", "text");
    inner.declare("$b", "integer");
    assert.equal(inner.typeOf("$a"), "text");
    assert.equal(inner.typeOf("$b"), "integer");
    assert.equal(outer.typeOf("$b"), undefined);
  });

  it("hides a variable of the same name", () => {
    const outer = new Scope();
    const inner = new Scope(outer);
    outer.declare("$a", "text");
    inner.declare("$a", "integer");
    assert.equal(inner.assign("$a", "boolean"), true);
    assert.equal(inner.typeOf("$a"), "unknown");
    assert.equal(outer.typeOf("$a"), "text");
  });

  it("no longer knows the type of a variable that may hold another", () => {
    const outer = new Scope();
    outer.declare("$a", "text");
    assert.equal(new Scope(outer).assign("$a", "text"), true);
    assert.equal(outer.typeOf("$a"), "text");
    assert.equal(new Scope(outer).assign("$a", "integer"), true);
    assert.equal(outer.typeOf("$a"), "unknown");
  });

  it("assigns only to what was declared", () => {
    const scope = new Scope(new Scope());
    assert.equal(scope.assign("$a", "text"), false);
    assert.equal(scope.typeOf("$a"), undefined);
  });
});
