import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { textsWithin, wrapSecret } from "../../../sdk/resource/state/secret";
import { processRedactor } from "../../../sdk/base/redactor";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { rememberSecrets } from "../../../sdk/resource/state/outputs";

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

describe("rememberSecrets", () => {
  const definition = {
    arguments: { password: { secret: true }, label: {} },
    outputs: { tokens: { secret: true }, state: { secret: true, commonWords: true }, place: {} },
  } as unknown as AnyResourceDefinition;

  it("has what is secret among values masked from then on, wherever it is in them", () => {
    const values = {
      password: "remembered-password",
      tokens: [{ accessor: "remembered-token" }],
      label: "plain-label",
      place: "plain-place",
    };
    rememberSecrets(definition, values);
    assert.equal(
      processRedactor.redact("remembered-password remembered-token plain-label plain-place"),
      "[secret] [secret] plain-label plain-place",
    );
  });

  it("leaves words alone that are secret, but common", () => {
    rememberSecrets(definition, { state: "uncommonly-common" });
    assert.equal(processRedactor.redact("uncommonly-common"), "uncommonly-common");
  });
});
