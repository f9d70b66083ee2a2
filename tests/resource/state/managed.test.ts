import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ArgumentDefinition } from "../../../sdk/resource/fields/field";
import * as canonical from "../../../sdk/resource/fields/kinds";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import { hiddenKeys, managedAfter, managedOf, storedManaged, type Managed, type ManagedArgument } from "../../../sdk/resource/state/entry";

const fields = {
  label: {},
  tags: { canonical: canonical.set },
  period: { canonical: canonical.duration },
  password: { secret: true, writeOnly: true },
  key: { secret: true, canonical: canonical.pemLines },
  onDestroy: { role: "behaviour" },
  adopt: { role: "creation" },
} as const satisfies Readonly<Record<string, ArgumentDefinition>>;
const definition = { type: "test:Thing", arguments: fields, outputs: {} } as unknown as AnyResourceDefinition;

describe("hidden keys", () => {
  it("are those that live in users' state", () => {
    assert.deepEqual(hiddenKeys, {
      managed: "__managed",
      at: "__at",
      urn: "__urn",
      secrets: "__secrets",
      memory: "__private",
      generation: "__generation",
      run: "__run",
    });
  });
});

describe("managedAfter", () => {
  // This format is in users' state. Without a request, nothing is known to be applied.
  const rows: readonly [string, keyof typeof fields, JsonValue, JsonValue, ManagedArgument, boolean?][] = [
    ["a value that is returned as it was given", "label", "a", "a", 1],
    ["a value that is returned in another spelling", "period", "1h", 3600, { as: "1h" }],
    ["a value that the response lacks", "label", "a", null, { as: "a" }],
    ["a value that was cleared", "label", null, "default", { cleared: "default" }],
    ["a behaviour", "onDestroy", "delete", null, 1],
    ["an argument of creation", "adopt", true, null, { as: true }],
    ["an argument of creation that is null", "adopt", null, null, { as: null }],
    ["a secret", "password", "canary", null, 1],
    ["a secret in another spelling", "key", "canary\r\n", "canary", 1],
    ["a secret that was cleared", "key", null, "canary", { cleared: null }],
    ["a value that the service does not have", "label", "a", "b", 1, false],
    ["a value that is not cleared", "label", null, "b", 1, false],
    ["a secret that is not cleared", "key", null, "canary", 1, false],
    ["another spelling of what the service has", "period", "1h", 3600, { as: "1h" }, false],
    ["what the service has", "label", "a", "a", 1, false],
  ];
  for (const [name, argument, given, response, expected, taken = true] of rows) {
    it(`notes ${name}${taken ? "" : " without a request"}`, () => {
      const noted = managedAfter(
        definition,
        { [argument]: given },
        { [argument]: response },
        { accepted: taken },
      );
      assert.deepEqual(noted, { [argument]: expected });
    });
  }

  it("notes nothing of what was not given, nor of hidden and unknown inputs", () => {
    const inputs = { label: "a", __provider: "x", __urn: "y", retired: 1 };
    assert.deepEqual(managedAfter(definition, inputs, { label: "a", tags: ["x"] }), { label: 1 });
  });

  it("never holds a secret, nor anything made from one", () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(json, json, json, (given, response, label) => {
        const noted = managedAfter(
          definition,
          { key: given, password: given, label },
          { key: response, label },
        );
        const expected: ManagedArgument = given === null ? { cleared: null } : 1;
        assert.deepEqual([noted.key, noted.password], [expected, expected]);
      }),
    );
  });
});

describe("managedOf", () => {
  it("reads the marks, and knows when there are none", () => {
    assert.deepEqual(managedOf(definition, { __managed: { label: 1 } }), { label: 1 });
    assert.equal(managedOf(definition, { label: "a" }), undefined);
    assert.equal(managedOf(definition, { __managed: null }), undefined);
  });

  const stored: readonly [string, JsonObject, Managed, JsonValue][] = [
    ["names", { label: "a", period: 60 }, { label: 1 }, "label"],
    ["several names", { label: "a", tags: ["x"], period: 60 }, { label: 1, tags: 1 }, "label,tags"],
    ["no names", { label: "a", period: 60 }, {}, ""],
    ["every argument that the outputs have", { label: "a", period: 60 }, { label: 1, period: 1 }, "*"],
    [
      "a name without a value beside others",
      { label: "a", period: null },
      { label: 1, period: 1 },
      "label,period",
    ],
    [
      "what more there is to know",
      { label: "a", tags: ["x"], period: 60 },
      { label: 1, period: { as: "1m" } },
      ["label", { period: { as: "1m" } }],
    ],
    [
      "what more there is to know of some beside all others",
      { label: "a", period: 60, tags: ["x"] },
      { label: 1, tags: 1, period: { cleared: 60 }, adopt: { as: true } },
      ["*", { period: { cleared: 60 }, adopt: { as: true } }],
    ],
  ];
  for (const [name, outputs, managed, expected] of stored) {
    it(`reads what is stored in short: ${name}`, () => {
      assert.deepEqual(storedManaged(definition, managed, outputs), expected);
      assert.deepEqual(managedOf(definition, { ...outputs, __managed: expected }), managed);
    });
  }

  it("leaves out secrets that an import of an earlier version did not know", () => {
    const imported = { label: 1, period: { imported: "acme:key" } } as const;
    assert.deepEqual(managedOf(definition, { __managed: imported }), { label: 1 });
    const short = ["label", { period: { imported: "acme:key" } }];
    assert.deepEqual(managedOf(definition, { __managed: short }), { label: 1 });
  });

  it("reads whatever was stored", () => {
    const how: fc.Arbitrary<ManagedArgument> = fc.oneof(
      fc.constant(1 as const),
      fc.jsonValue().map((value) => ({ as: value as JsonValue })),
      fc.jsonValue().map((value) => ({ cleared: value as JsonValue })),
    );
    const names = fc.constantFrom(...Object.keys(fields));
    fc.assert(
      fc.property(
        fc.dictionary(names, how),
        fc.dictionary(names, fc.oneof(fc.constant(null), fc.string())),
        (managed, outputs) => {
          const __managed = storedManaged(definition, managed, outputs);
          assert.deepEqual({ ...managedOf(definition, { ...outputs, __managed }) }, { ...managed });
        },
      ),
    );
  });
});
