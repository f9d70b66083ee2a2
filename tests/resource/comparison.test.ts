import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as canonical from "../../sdk/resource/canonical";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { compare } from "../../sdk/resource/comparison";
import type { JsonObject, JsonValue } from "../../sdk/base/json";
import { type Managed, managedAfter, managedOf, projectInputs } from "../../sdk/resource/managed";

const fields = {
  owner: { replaces: true },
  label: {},
  note: { canonical: canonical.nothingIsNull() },
  tags: { canonical: canonical.set },
  period: { canonical: canonical.duration },
  password: { secret: true, writeOnly: true },
  key: { secret: true, canonical: canonical.pem },
  onDestroy: { role: "behaviour" },
  adopt: { role: "creation" },
} as const;

const definition = { type: "test:Thing", arguments: fields, outputs: {} } as unknown as AnyResourceDefinition;

/** State after the service took `inputs` and answered `answered`. */
function stateAfter(inputs: JsonObject, answered: JsonObject): JsonObject {
  return { ...answered, __managed: managedAfter(definition, inputs, answered) };
}

function changes(outputs: JsonObject, inputs: JsonObject): readonly string[] {
  return [...compare(definition, outputs, inputs).changed];
}

/** What a refresh that finds `answered` makes of the state. */
function refreshed(state: JsonObject, answered: JsonObject): { inputs: JsonObject; outputs: JsonObject } {
  const { inputs, managed } = projectInputs(
    definition,
    managedOf(definition, state) as Managed,
    state,
    answered,
  );
  return { inputs, outputs: { ...answered, __managed: managed } };
}

describe("compare", () => {
  const unchanged: readonly [string, JsonObject, JsonObject, JsonObject][] = [
    ["the same values", { owner: "a", label: "b" }, { owner: "a", label: "b" }, { owner: "a", label: "b" }],
    ["a set in another order", { tags: ["a", "b"] }, { tags: ["a", "b"] }, { tags: ["b", "a", "a"] }],
    ["another spelling of a duration", { period: "1h" }, { period: 3600 }, { period: "60m" }],
    ["PEM with other line ends", { key: "A\nB" }, { key: "A\nB" }, { key: "A\r\nB\r\n" }],
    [
      "a value that the service spells its own way",
      { label: "Mixed" },
      { label: "mixed" },
      { label: "Mixed" },
    ],
    ["nothing written another way", { note: "" }, { note: null }, { note: null }],
    ["fields never given", { label: "b" }, { label: "b", note: "set by hand", tags: ["x"] }, { label: "b" }],
    ["a cleared field at its default", { period: null }, { period: 60 }, { period: null }],
    ["arguments of creation", { label: "b", adopt: true }, { label: "b" }, { label: "b" }],
    ["a write-only value", { password: "pw" }, { password: "pw" }, { password: "pw" }],
  ];
  for (const [name, given, answered, inputs] of unchanged) {
    it(`sees no change in ${name}`, () => {
      assert.deepEqual(compare(definition, stateAfter(given, answered), inputs), {
        changed: new Set(),
        replaces: [],
        sent: new Set(),
        managedDiffers: false,
      });
    });
  }

  const changed: readonly [string, JsonObject, JsonObject, JsonObject, readonly string[]][] = [
    ["another value", { label: "b" }, { label: "b" }, { label: "c" }, ["label"]],
    [
      "a value for the first time",
      { label: "b" },
      { label: "b", note: "n" },
      { label: "b", note: "n" },
      ["note"],
    ],
    ["a value that is cleared", { note: "n" }, { note: "n" }, { note: null }, ["note"]],
    [
      "a value not known yet",
      { label: "b" },
      { label: "b" },
      { label: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" },
      ["label"],
    ],
    [
      "one not known inside a set",
      { tags: ["a"] },
      { tags: ["a"] },
      { tags: ["a", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"] },
      ["tags"],
    ],
    ["behaviour", { onDestroy: "retain" }, { onDestroy: "retain" }, { onDestroy: "delete" }, ["onDestroy"]],
    ["a write-only value", { password: "pw" }, { password: "pw" }, { password: "other" }, ["password"]],
  ];
  for (const [name, given, answered, inputs, expected] of changed) {
    it(`sees ${name}`, () => {
      assert.deepEqual(changes(stateAfter(given, answered), inputs), expected);
    });
  }

  it("replaces for a changed bold argument, also when it is not known yet", () => {
    const state = stateAfter({ owner: "a" }, { owner: "a" });
    assert.deepEqual(compare(definition, state, { owner: "b" }).replaces, ["owner"]);
    assert.deepEqual(compare(definition, state, { owner: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }).replaces, [
      "owner",
    ]);
  });

  it("says so when state names other arguments than the program", () => {
    const state = stateAfter({ label: "b", note: "n" }, { label: "b", note: "n" });
    assert.ok(compare(definition, state, { label: "b" }).managedDiffers);
    assert.ok(compare(definition, { label: "b" }, { label: "b" }).managedDiffers);
  });

  it("never sees a change between an argument and the same argument, whatever its value", () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(fields)), json), json, (inputs, response) => {
        const state = stateAfter(inputs, { ...inputs, label: response });
        assert.deepEqual(changes(state, inputs), []);
      }),
    );
  });
});

describe("a refresh", () => {
  const given: JsonObject = {
    owner: "a",
    label: "Mixed",
    tags: ["b", "a"],
    period: "1h",
    note: null,
    key: "A\r\nB",
  };
  const answered: JsonObject = {
    owner: "a",
    label: "mixed",
    tags: ["a", "b"],
    period: 3600,
    note: "",
    key: "A\nB",
  };
  const state = stateAfter(given, answered);

  it("keeps the user's spelling of what did not move", () => {
    const { inputs, outputs } = refreshed(state, answered);
    assert.deepEqual({ ...inputs, key: undefined }, { ...given, key: undefined });
    assert.deepEqual(changes(outputs, given), []);
  });

  it("shows what moved, and the next plan repairs it", () => {
    for (const [name, value] of Object.entries({
      label: "other",
      tags: ["a"],
      period: 60,
      note: "by hand",
      owner: "z",
    })) {
      const { inputs, outputs } = refreshed(state, { ...answered, [name]: value });
      assert.deepEqual(inputs[name], value);
      assert.deepEqual(changes(outputs, given), [name]);
      const again = refreshed(outputs, { ...answered, [name]: value });
      assert.deepEqual(again.inputs[name], value);
      assert.deepEqual(changes(again.outputs, given), [name]);
    }
  });

  it("forgets a drift that went away again", () => {
    const drifted = refreshed(state, { ...answered, period: 60 });
    const back = refreshed(drifted.outputs, answered);
    assert.deepEqual(changes(back.outputs, given), []);
  });

  it("follows the service's own order of a set without showing it", () => {
    const { inputs, outputs } = refreshed(state, { ...answered, tags: ["b", "a", "a"] });
    assert.deepEqual(inputs.tags, ["b", "a"]);
    assert.deepEqual(changes(outputs, given), []);
  });

  it("projects on exactly what the program manages", () => {
    const { inputs } = refreshed(stateAfter({ label: "b", adopt: true }, { label: "b" }), {
      label: "b",
      note: "n",
    });
    assert.deepEqual(inputs, { label: "b", adopt: true });
  });
});
