import assert from "node:assert/strict";
import * as fc from "fast-check";
import { nothingIsNull } from "../../../sdk/resource/fields/field";
import * as canonical from "../../../sdk/resource/fields/kinds";
import type { DefinitionIn } from "../../../sdk/resource/definition";
import { compare, driftedArguments } from "../../../sdk/resource/lifecycle/comparison";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import { type Managed, managedAfter, projectArguments, unknown } from "../../../sdk/resource/state/entry";

const fields = {
  owner: { replaces: true },
  label: {},
  note: { canonical: nothingIsNull() },
  tags: { canonical: canonical.set },
  period: { canonical: canonical.duration },
  password: { secret: true, told: "never" },
  key: { secret: true, canonical: canonical.pemLines },
  onDestroy: { local: "state" },
  adopt: { local: "creation" },
} as const;
const definition = { type: "test:Thing", arguments: fields, outputs: {} } as unknown as DefinitionIn;

type State = Parameters<typeof compare>[1];

/** State after the service took `inputs` and response `response`. */
function stateAfter(inputs: JsonObject, response = inputs): State {
  return { outputs: response, managed: managedAfter(definition, inputs, response) };
}

function changes(state: State, inputs: JsonObject): readonly string[] {
  return [...compare(definition, state, inputs).changed];
}

/** What a refresh that finds `response` makes of the state. */
function refreshed({ outputs, managed: before = {} }: State, response: JsonObject) {
  const { args, managed } = projectArguments(definition, before, outputs, response);
  return { args, state: { outputs: response, managed } };
}

describe("compare", () => {
  // What was given, the response to it, what the program says next, and the arguments in which that differs.
  const rows: readonly [string, JsonObject, JsonObject, JsonObject, readonly string[]][] = [
    ["the same value", { owner: "a" }, { owner: "a" }, { owner: "a" }, []],
    ["a set in another order", { tags: ["a", "b"] }, { tags: ["a", "b"] }, { tags: ["b", "a", "a"] }, []],
    ["an equivalent duration", { period: "1h" }, { period: 3600 }, { period: "60m" }, []],
    ["PEM with other line ends", { key: "A\nB" }, { key: "A\nB" }, { key: "A\r\nB\r\n" }, []],
    ["the service's spelling", { label: "Mixed" }, { label: "mixed" }, { label: "mixed" }, []],
    ["the user's spelling", { label: "Mixed" }, { label: "mixed" }, { label: "Mixed" }, []],
    ["a third spelling", { label: "Mixed" }, { label: "mixed" }, { label: "MIXED" }, ["label"]],
    ["nothing in an equivalent form", { note: "" }, { note: null }, { note: null }, []],
    ["fields never given", { label: "b" }, { label: "b", note: "by hand" }, { label: "b" }, []],
    ["a cleared field at its default", { period: null }, { period: 60 }, { period: null }, []],
    ["another nothing for a cleared field", { note: null }, { note: "the usual" }, { note: "" }, []],
    ["a value for a cleared field", { note: null }, { note: "the usual" }, { note: "n" }, ["note"]],
    ["the default of a cleared field", { label: null }, { label: "usual" }, { label: "usual" }, ["label"]],
    ["arguments of creation", { label: "b", adopt: true }, { label: "b" }, { label: "b" }, []],
    ["a write-only value", { password: "pw" }, { password: "pw" }, { password: "pw" }, []],
    ["another write-only value", { password: "pw" }, { password: "pw" }, { password: "new" }, ["password"]],
    ["another value", { label: "b" }, { label: "b" }, { label: "c" }, ["label"]],
    ["another value that replaces", { owner: "a" }, { owner: "a" }, { owner: "b" }, ["owner"]],
    ["an unknown value that replaces", { owner: "a" }, { owner: "a" }, { owner: unknown }, ["owner"]],
    ["a value for the first time", {}, { note: "n" }, { note: "n" }, ["note"]],
    ["a value that is cleared", { note: "n" }, { note: "n" }, { note: null }, ["note"]],
    ["an unknown value", { label: "b" }, { label: "b" }, { label: unknown }, ["label"]],
    ["an unknown item", { tags: ["a"] }, { tags: ["a"] }, { tags: ["a", unknown] }, ["tags"]],
    ["behavior", { onDestroy: "keep" }, { onDestroy: "keep" }, { onDestroy: "delete" }, ["onDestroy"]],
  ];
  for (const [name, given, response, inputs, expected] of rows) {
    it(`the comparison ${expected.length === 0 ? "sees no change in" : "sees"} ${name}`, () => {
      const found = compare(definition, stateAfter(given, response), inputs);
      assert.deepEqual([...found.changed], expected);
      assert.deepEqual(found.replaces, expected[0] === "owner" ? expected : []);
      if (expected.length === 0) {
        assert.deepEqual([found.sent, found.managedDiffers], [new Set(), false]);
      }
    });
  }

  it("the comparison sends only differences that an update can change", () => {
    const state = stateAfter({ owner: "a", label: "b", password: "pw", onDestroy: "retain" });
    const inputs = { owner: "z", label: "c", password: "other", onDestroy: "delete", adopt: true };
    const { changed, replaces, sent } = compare(definition, state, inputs);
    assert.deepEqual([...changed], ["owner", "label", "password", "onDestroy"]);
    assert.deepEqual([replaces, [...sent]], [["owner"], ["label", "password"]]);
  });

  it("the comparison reports if state has different managed arguments than the program, without a replacement", () => {
    const { outputs, managed } = stateAfter({ owner: "a", label: "b" });
    assert.ok(compare(definition, { outputs, managed }, { owner: "a" }).managedDiffers);
    const found = compare(definition, { outputs, managed: undefined }, { owner: "a" });
    assert.deepEqual([[...found.changed], found.replaces, found.managedDiffers], [["owner"], [], true]);
  });

  it("the comparison detects drift of a cleared value, except of a secret, which cannot be compared", () => {
    const { managed } = stateAfter({ note: null }, { note: "the usual" });
    assert.deepEqual(changes({ outputs: { note: "by hand" }, managed }, { note: null }), ["note"]);
    const secret = stateAfter({ key: null }, { key: "A" });
    assert.deepEqual(secret.managed, { key: { cleared: null } });
    assert.deepEqual(changes({ ...secret, outputs: { key: "B" } }, { key: null }), []);
  });

  it("the comparison never finds a change between equal arguments, whatever their value", () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(fields)), json), json, (inputs, response) => {
        const state = stateAfter(inputs, { ...inputs, label: response });
        assert.deepEqual(changes(state, inputs), []);
      }),
    );
  });
});

describe("driftedArguments", () => {
  const before = { owner: "a", label: "b", tags: ["a"], period: 60, password: "pw", onDestroy: "retain" };
  const asWanted = { ...before, period: "1h" };
  const others = { label: "by hand", tags: ["b"], period: 3600, password: "other", onDestroy: "delete" };
  const rows: readonly [string, JsonObject, JsonObject, readonly string[]][] = [
    [
      "an argument that has neither the former nor the desired value",
      asWanted,
      { ...others, owner: "z" },
      ["owner", "label", "tags"],
    ],
    ["none if only the form of the value differs", before, { ...before, period: "1m", tags: ["a", "a"] }, []],
    ["none that the program does not set", {}, others, []],
    ["those that the service no longer returns", { label: "b" }, {}, ["label"]],
  ];
  for (const [what, args, after, expected] of rows) {
    it(`drifted arguments are ${what}`, () => {
      const comparison = compare(definition, { outputs: before, managed: undefined }, args);
      assert.deepEqual(driftedArguments(comparison, after), expected);
    });
  }
});

it("managedAfter keeps entries for values that were not sent, records a response's form of a value, and drops it for an equal value", () => {
  const former: Managed = { label: { as: "Mixed" }, note: { cleared: "the usual" }, period: { as: "60m" } };
  const after = { label: "mixed", note: "other", period: 3600, tags: ["a"] };
  const managed = (accepted: boolean, inputs: JsonObject, ...sent: readonly string[]) =>
    managedAfter(definition, inputs, after, { accepted, sent: new Set(sent), former });
  const { label, note } = former;
  assert.deepEqual(managed(true, { label: "Mixed", note: null, tags: ["a"] }, "tags"), {
    label,
    note,
    tags: true,
  });
  const sent = managed(true, { label: "MiXed", note: null }, "label", "note");
  assert.deepEqual(sent, { label: { as: "MiXed" }, note: { cleared: "other" } });
  const unsent = managed(false, { label: "miXed", note: "n", period: "1h" });
  assert.deepEqual(unsent, { label: true, note: true, period: { as: "1h" } });
});

describe("a refresh", () => {
  const given = { owner: "a", label: "Mixed", tags: ["b", "a"], period: "1h", note: null, key: "A\r\nB" };
  const response = { owner: "a", label: "mixed", tags: ["a", "b"], period: 3600, note: "", key: "A\nB" };
  const settled = stateAfter(given, response);

  it("a refresh keeps the user's form of values that have not changed, and forgets drift that was reverted", () => {
    const { args, state } = refreshed(settled, response);
    assert.deepEqual(args, { ...given, key: args.key });
    assert.deepEqual(changes(state, given), []);
    const drifted = refreshed(settled, { ...response, period: 60 });
    assert.deepEqual(changes(refreshed(drifted.state, response).state, given), []);
  });

  it("a refresh shows drift, and the next plan reverts it", () => {
    const others = { label: "other", tags: ["a"], period: 60, note: "by hand", owner: "z" };
    for (const [name, value] of Object.entries(others)) {
      const moved = { ...response, [name]: value };
      const first = refreshed(settled, moved);
      for (const { args, state } of [first, refreshed(first.state, moved)]) {
        assert.deepEqual([args[name], changes(state, given)], [value, [name]]);
      }
    }
  });

  it("a refresh follows the service's own order of a set without showing it", () => {
    const { args, state } = refreshed(settled, { ...response, tags: ["b", "a", "a"] });
    assert.deepEqual(args.tags, ["b", "a"]);
    assert.deepEqual(changes(state, given), []);
  });

  it("a refresh compares exactly the arguments that the program manages", () => {
    const { outputs, managed } = stateAfter({ label: "b", adopt: true }, { label: "b" });
    const found = refreshed({ outputs, managed: { ...managed, retired: true } }, { label: "b", note: "n" });
    assert.deepEqual([found.args, found.state.managed], [{ label: "b", adopt: true }, managed]);
  });

  it("a refresh shows drift of a cleared argument, except if it is a secret", () => {
    const managed = { key: { cleared: null }, note: { cleared: "the usual" } };
    const cleared = { outputs: { key: null, note: "the usual" }, managed };
    const { args, state } = refreshed(cleared, { key: "A", note: "by hand" });
    assert.deepEqual([args, state.managed], [{ key: null, note: "by hand" }, managed]);
  });
});
