import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import type { DefinitionIn } from "../../../sdk/resource/definition";
import { caseInsensitive } from "../../../sdk/resource/fields/kinds";
import { foreseenOutputs, type Plan } from "../../../sdk/resource/lifecycle/comparison";
import { unknown } from "../../../sdk/resource/state/entry";

describe("foreseenOutputs", () => {
  const definition = {
    arguments: {
      mount: { replaces: true, default: "ldap" },
      label: { canonical: caseInsensitive },
      period: { cleared: 30, echoesDefault: true },
      length: { cleared: 20, echoesDefault: true },
      policy: { cleared: "", recomputedBy: ["length"] },
      password: { secret: true, told: "never" },
      onDestroy: { local: "state" },
      adopt: { local: "creation" },
    },
    outputs: {
      createdAt: {},
      updatedAt: { recomputedBy: true },
      place: { recomputedBy: ["label"] },
      tag: { told: "kept" },
    },
  } as unknown as DefinitionIn;
  const sent: Plan["sent"] = (_name, value) => {
    const text = typeof value === "string" ? value.toLowerCase() : value;
    return text === "soon" ? undefined : text;
  };
  const foreseen = (args: JsonObject, entry?: Plan["entry"], more: Partial<Plan> = {}): JsonObject =>
    foreseenOutputs(definition, { args, entry, sent, ...more });

  it("the foreseen outputs of a creation are the arguments as the service will store them, and documented defaults", () =>
    assert.deepEqual(foreseen({ label: "Mixed", password: "pw", onDestroy: "retain", adopt: false }), {
      mount: "ldap",
      label: "mixed",
      period: 30,
      length: 20,
      policy: unknown,
      password: "pw",
      onDestroy: "retain",
      createdAt: unknown,
      updatedAt: unknown,
      place: unknown,
      tag: unknown,
    }));

  it("the foreseen outputs of a creation are unknown if the program sets an unknown or invalid value", () => {
    const { label, period, password } = foreseen({ label: unknown, period: "soon" });
    assert.deepEqual([label, period, password], [unknown, unknown, null]);
  });

  it("the foreseen outputs of a creation are unknown if an existing object might have another value", () => {
    assert.equal(foreseen({ adopt: true }).period, unknown);
    assert.equal(foreseen({ adopt: true }).mount, "ldap");
    const inPlace = { ...definition, identity: { managesExisting: true } };
    const plan = { args: {}, entry: undefined, sent };
    assert.equal(foreseenOutputs(inPlace, plan).period, unknown);
  });

  const outputs: JsonObject = {
    mount: "ldap",
    label: "Mixed",
    period: 60,
    length: 20,
    policy: null,
    password: "pw",
    onDestroy: "retain",
    createdAt: "1970",
    updatedAt: "1971",
    place: "here",
  };
  const managed = { label: true, period: true, password: true, onDestroy: true } as const;
  const inputs = { label: "Mixed", period: 60, password: "pw", onDestroy: "retain" };
  const moved = { updatedAt: unknown, tag: null };
  // What the program changes, and the outputs that are then others than those in state.
  const rows: readonly [string, JsonObject, JsonObject][] = [
    ["except what the service might change with every update", { period: 45 }, { period: 45, ...moved }],
    ["if nothing is sent", { onDestroy: "delete" }, { onDestroy: "delete", tag: null }],
    ["except what follows from the change", { length: 30 }, { length: 30, policy: unknown, ...moved }],
    ["except what might follow from it", { label: "other" }, { label: "other", place: unknown, ...moved }],
    ["except a default that the service returns", { period: null, adopt: true }, { period: 30, ...moved }],
    [
      "except a default that it might not return",
      { label: null },
      { label: unknown, place: unknown, ...moved },
    ],
    ["in the form that state has", { label: "MIXED" }, { updatedAt: unknown, tag: unknown }],
  ];
  for (const [what, news, expected] of rows) {
    it(`the foreseen outputs of an update are the ones in state, ${what}`, () => {
      const after = foreseen({ ...inputs, ...news }, { outputs, managed });
      const found = Object.entries(after).filter(([name, value]) => outputs[name] !== value);
      assert.deepEqual(Object.fromEntries(found), expected);
    });
  }

  it("the foreseen outputs of an update are unknown if state lacks them and an incomplete operation is continued", () => {
    const { createdAt: _createdAt, ...incomplete } = outputs;
    const { createdAt, updatedAt, tag } = foreseen(inputs, { outputs: incomplete, managed });
    assert.deepEqual([createdAt, updatedAt, tag], [unknown, unknown, unknown]);
  });
});
