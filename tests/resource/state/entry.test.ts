import assert from "node:assert/strict";
import * as fc from "fast-check";
import { processRedactor } from "../../../sdk/base/redactor";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import type { DefinitionIn } from "../../../sdk/resource/definition";
import type { ArgumentDefinition } from "../../../sdk/resource/fields/field";
import * as canonical from "../../../sdk/resource/fields/kinds";
import * as entries from "../../../sdk/resource/state/entry";

const { composeOutputs, containsUnknown, managedAfter, secretNames, textsWithin, unknown } = entries;

const fields = {
  label: {},
  note: {},
  period: { canonical: canonical.duration },
  password: { secret: true, told: "never" },
  key: { secret: true, canonical: canonical.pemLines },
  onDestroy: { local: "state" },
  adopt: { local: "creation" },
} as const satisfies Readonly<Record<string, ArgumentDefinition>>;
const definition = {
  type: "test:Thing",
  arguments: fields,
  outputs: { createdAt: {}, address: { secret: true }, hint: { told: "kept" } },
} as unknown as DefinitionIn;

describe("managedAfter", () => {
  type Managed = entries.ManagedArgument;
  // This format is in users' state. Without a request, nothing is known to be applied.
  const rows: readonly [string, keyof typeof fields, JsonValue, JsonValue, Managed, boolean?][] = [
    ["a value that is returned as it was set", "label", "a", "a", true],
    ["a value that is returned in an equivalent form", "period", "1h", 3600, { as: "1h" }],
    ["a value that the response lacks", "label", "a", null, { as: "a" }],
    ["a value that was cleared", "label", null, "default", { cleared: "default" }],
    ["a behavior", "onDestroy", "delete", null, true],
    ["an argument only for creation", "adopt", true, null, { as: true }],
    ["an argument only for creation that is null", "adopt", null, null, { as: null }],
    ["a secret", "password", "canary", null, true],
    ["a secret in an equivalent form", "key", "canary\r\n", "canary", true],
    ["a secret that was cleared", "key", null, "canary", { cleared: null }],
    ["a value that the service does not have", "label", "a", "b", true, false],
    ["a value that is not cleared", "label", null, "b", true, false],
    ["a secret that is not cleared", "key", null, "canary", true, false],
    ["a value equivalent to what the service has", "period", "1h", 3600, { as: "1h" }, false],
    ["what the service has", "label", "a", "a", true, false],
  ];
  for (const [name, argument, given, response, expected, accepted = true] of rows) {
    it(`managedAfter records ${name}${accepted ? "" : " without a request"}, and nothing about other arguments`, () => {
      const args = { [argument]: given, retired: 1 };
      const noted = managedAfter(definition, args, { hint: "x", [argument]: response }, { accepted });
      assert.deepEqual(noted, { [argument]: expected });
    });
  }

  it("managedAfter never contains a secret, or anything derived from one", () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(json, json, json, (given, response, label) => {
        const args = { key: given, password: given, label };
        const noted = managedAfter(definition, args, { key: response, label });
        const expected: Managed = given === null ? { cleared: null } : true;
        assert.deepEqual([noted.key, noted.password], [expected, expected]);
      }),
    );
  });
});

describe("composeOutputs", () => {
  const composed = (...parts: [Readonly<Record<string, unknown>>, JsonObject, JsonObject]) =>
    composeOutputs(definition, ...parts);

  it("composeOutputs uses the returned value, else the sent one, else the former one", () => {
    const before = { label: "before", note: "before", createdAt: "before", address: "before" };
    const found = composed({ label: "answered", createdAt: "now" }, { label: "sent", note: "sent" }, before);
    assert.deepEqual(found, { label: "answered", note: "sent", createdAt: "now", address: "before" });
    const some = { label: "before", note: "before" };
    assert.deepEqual(composed({ label: null, note: undefined }, {}, some), { label: null, note: "before" });
  });

  it("composeOutputs keeps the last applied value of arguments that are never returned, except those used only at creation", () => {
    const last = { password: "old", onDestroy: "retain" };
    const found = composed({ password: "***", onDestroy: "x" }, { onDestroy: "delete" }, last);
    assert.deepEqual(found, { password: "old", onDestroy: "delete" });
    const known = composed({ extra: 1, onDestroy: "x" }, { adopt: true }, { retired: 1, adopt: true });
    assert.deepEqual(known, {});
  });

  it("composeOutputs returns only values that the engine accepts", () => {
    const label = new Date("2026-03-01T12:00:00Z");
    const found = composed({ label, note: new Map([["a", new Set([1n])]]), createdAt: Number.NaN }, {}, {});
    assert.deepEqual(found, { label: "2026-03-01T12:00:00.000Z", note: { a: ["1"] }, createdAt: null });
  });
});

it("the values that a response lacks are required outputs and fields that can be read", () => {
  const { missingFields, missingOutputs } = entries;
  assert.deepEqual(missingOutputs(definition, {}), ["createdAt", "address"]);
  assert.deepEqual(missingOutputs(definition, { createdAt: null, address: "x" }), []);
  assert.deepEqual(missingFields(definition, {}), ["label", "note", "period", "key"]);
  assert.deepEqual(missingFields(definition, { label: null, note: "", period: 1, key: "" }), []);
});

describe("the secrets of an entry", () => {
  it("the secrets of an entry are those in the definition, and those that the program marked", () => {
    const usual = ["password", "key", "address"];
    assert.deepEqual(secretNames(definition), usual);
    const marked = entries.withMarkedSecrets(definition, ["label", "unknown"]);
    assert.deepEqual(secretNames(marked), ["label", ...usual]);
    assert.deepEqual(secretNames(definition), usual, "the definition itself stays as it is");
    assert.equal(entries.withMarkedSecrets(definition, []), definition);
  });

  it("the secrets of an entry are masked from then on, except parts of a structure, which can be common words", () => {
    const secret = { secret: true };
    const outputs = { token: secret, responses: secret, place: {} };
    const thing = { arguments: { password: secret, label: {} }, outputs } as unknown as DefinitionIn;
    entries.rememberSecrets(thing, {
      password: "remembered-password",
      token: "remembered-token",
      label: "plain-label",
      responses: [{ state: "uncommonly-common" }],
      place: "plain-place",
    });
    const text = "remembered-password remembered-token plain-label plain-place uncommonly-common";
    const shown = "[secret] [secret] plain-label plain-place uncommonly-common";
    assert.equal(processRedactor.redact(text), shown);
  });
});

describe("what is in a value", () => {
  it("a value is recognized as unknown at any depth", () => {
    assert.ok([unknown, ["a", { b: [unknown] }]].every(containsUnknown));
    const others = [null, undefined, "", "04da6b54", 0, false, [], {}, { a: ["b", {}] }];
    assert.ok(!others.some(containsUnknown));
  });

  it("the texts in a value are found at any depth, even if it is circular or very deep", () => {
    const value = { a: "one", b: [{ c: "two" }, ["three", 4, null]], d: true, e: undefined };
    assert.deepEqual([value, "text", 5].map(textsWithin), [["one", "two", "three"], ["text"], []]);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    let deep: unknown = "bottom";
    for (let level = 0; level < 100_000; level++) {
      deep = [deep];
    }
    assert.deepEqual(textsWithin({ first: "one", list: ["two"], circle }), ["one", "two"]);
    assert.deepEqual([circle, deep].map(containsUnknown), [false, false]);
  });
});
