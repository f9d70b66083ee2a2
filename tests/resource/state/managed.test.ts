import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as canonical from "../../../sdk/resource/fields/canonical";
import type { ArgumentDefinition } from "../../../sdk/resource/fields/argument";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import { isApplied } from "../../../sdk/resource/lifecycle/comparison";
import { hiddenKeys } from "../../../sdk/resource/state/hidden";
import {
  type Managed,
  managedOf,
  type ManagedArgument,
  managedAfter,
  projectInputs,
  storedManaged,
} from "../../../sdk/resource/state/managed";

const fields = {
  label: {},
  tags: { canonical: canonical.set },
  period: { canonical: canonical.duration },
  password: { secret: true, writeOnly: true },
  key: { secret: true, canonical: canonical.pem },
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
      memory: "__memory",
      generation: "__generation",
      run: "__run",
    });
  });
});

describe("managedAfter", () => {
  // The form of the marks lives in users' state as well.
  const notes: readonly [string, keyof typeof fields, JsonValue, JsonValue, ManagedArgument][] = [
    ["a value that is answered as it was given", "label", "a", "a", 1],
    ["a value that is answered in another spelling", "period", "1h", 3600, { as: "1h" }],
    ["a value of which the answer says nothing", "label", "a", null, { as: "a" }],
    ["a value that was cleared", "label", null, "default", { cleared: "default" }],
    ["a behaviour", "onDestroy", "delete", null, 1],
    ["an argument of creation", "adopt", true, null, { as: true }],
    ["an argument of creation that is null", "adopt", null, null, { as: null }],
    ["a secret", "password", "canary", null, 1],
    ["a secret in another spelling", "key", "canary\r\n", "canary", 1],
    ["a secret that was cleared", "key", null, "canary", { cleared: null }],
  ];
  for (const [name, argument, given, response, marker] of notes) {
    it(`notes ${name}`, () => {
      assert.deepEqual(managedAfter(definition, { [argument]: given }, { [argument]: response }), {
        [argument]: marker,
      });
    });
  }

  const unapplied: readonly [string, string, JsonValue, JsonValue, ManagedArgument][] = [
    ["a value that the service does not have", "label", "a", "b", 1],
    ["a value that is not cleared", "label", null, "b", 1],
    ["a secret that is not cleared", "key", null, "canary", 1],
    ["another spelling of what the service has", "period", "1h", 3600, { as: "1h" }],
    ["what the service has", "label", "a", "a", 1],
  ];
  for (const [name, argument, given, response, marker] of unapplied) {
    it(`notes ${name} where nothing is known to be applied`, () => {
      const noted = managedAfter(
        definition,
        { [argument]: given },
        { [argument]: response },
        { taken: false },
      );
      assert.deepEqual(noted, { [argument]: marker });
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

describe("isApplied", () => {
  const table: readonly [
    string,
    ArgumentDefinition,
    ManagedArgument | undefined,
    JsonValue,
    JsonValue,
    boolean,
  ][] = [
    ["the value that is there", {}, 1, "a", "a", true],
    ["another value", {}, 1, "a", "b", false],
    ["another spelling of it", fields.period, 1, 3600, "60m", true],
    ["a value of which state has no mark", {}, undefined, "a", "a", false],
    ["the spelling that was given, however it is answered", {}, { as: "Mixed" }, "mixed", "Mixed", true],
    ["another spelling than that, in which case counts", {}, { as: "Mixed" }, "mixed", "MIXED", false],
    ["what is answered, though it was given otherwise", {}, { as: "Mixed" }, "mixed", "mixed", true],
    ["nothing, where it was cleared", {}, { cleared: "default" }, "default", null, true],
    ["nothing, where the default has moved since", {}, { cleared: "default" }, "other", null, false],
    ["nothing, where a value was given", {}, 1, "a", null, false],
    ["the default itself, where it was cleared", {}, { cleared: "default" }, "default", "default", false],
    ["nothing, where a secret was cleared", { secret: true }, { cleared: null }, "unknown", null, true],
  ];
  for (const [name, argument, marker, response, wanted, expected] of table) {
    it(`is ${expected ? "met" : "not met"} by ${name}`, () => {
      assert.equal(isApplied({ argument, managed: marker, current: response, desired: wanted }), expected);
    });
  }
});

describe("projectInputs", () => {
  const project = (managed: Managed, before: JsonObject, after: JsonObject): [JsonObject, Managed] => {
    const projection = projectInputs(definition, managed, before, after);
    return [projection.inputs, projection.managed];
  };

  it("keeps what has not moved in the user's spelling", () => {
    const managed: Managed = { label: 1, period: { as: "1h" }, tags: 1 };
    assert.deepEqual(
      project(
        managed,
        { label: "a", period: 3600, tags: ["x", "y"] },
        { label: "a", period: "60m", tags: ["y", "x"] },
      ),
      [
        { label: "a", period: "1h", tags: ["x", "y"] },
        { label: 1, period: { as: "1h" }, tags: { as: ["x", "y"] } },
      ],
    );
  });

  it("shows drift as it is returned", () => {
    assert.deepEqual(
      project({ label: { as: "A" }, period: 1 }, { label: "a", period: 3600 }, { label: "b", period: null }),
      [
        { label: "b", period: null },
        { label: 1, period: 1 },
      ],
    );
  });

  it("shows what was cleared only when it has left the default", () => {
    const managed: Managed = { label: { cleared: "default" } };
    assert.deepEqual(project(managed, { label: "default" }, { label: "default" }), [
      { label: null },
      managed,
    ]);
    assert.deepEqual(project(managed, { label: "default" }, { label: "other" }), [
      { label: "other" },
      managed,
    ]);
  });

  it("names exactly what the program manages, also what only counted at creation", () => {
    const managed: Managed = { adopt: { as: true }, onDestroy: 1, retired: 1 };
    assert.deepEqual(project(managed, { onDestroy: "delete" }, { onDestroy: "delete", label: "by hand" }), [
      { adopt: true, onDestroy: "delete" },
      { adopt: { as: true }, onDestroy: 1 },
    ]);
  });
});
