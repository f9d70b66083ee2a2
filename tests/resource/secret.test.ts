import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { textsWithin, wrapSecret } from "../../sdk/resource/secret";

describe("wrapSecret", () => {
  it("marks a value as the SDK does", () => {
    assert.deepEqual(wrapSecret({ deep: ["canary"] }), {
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: { deep: ["canary"] },
    });
    assert.equal(pulumi.runtime.unwrapRpcSecret(wrapSecret("canary")), "canary");
  });

  it("marks once what is marked already", () => {
    const marked = wrapSecret("canary");
    assert.equal(wrapSecret(marked), marked);
  });
});

describe("textsWithin", () => {
  it("finds every text, at any depth, and nothing else", () => {
    const value = { a: "one", b: [{ c: "two" }, ["three", 4, null]], d: true, e: undefined };
    assert.deepEqual(textsWithin(value), ["one", "two", "three"]);
    assert.deepEqual(textsWithin("text"), ["text"]);
    assert.deepEqual(textsWithin(5), []);
  });
});

describe("texts within values that are no JSON", () => {
  it("are found in circles too", () => {
    const circle: Record<string, unknown> = { first: "one", list: ["two"] };
    circle.self = circle;
    assert.deepEqual(textsWithin(circle), ["one", "two"]);
  });
});
