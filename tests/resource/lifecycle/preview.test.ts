import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { caseInsensitive } from "../../../sdk/resource/fields/kinds";
import { foreseenOutputs, type Plan } from "../../../sdk/resource/lifecycle/comparison";
import { unknown } from "../../../sdk/resource/state/entry";

describe("foreseenOutputs", () => {
  const definition = {
    arguments: {
      mount: { replaces: true, default: { documented: "ldap", hashicorp: "openldap" } },
      label: { canonical: caseInsensitive },
      period: { cleared: 30, echoesDefault: true },
      length: { cleared: 20, echoesDefault: true },
      policy: { cleared: "", recomputedBy: ["length"] },
      password: { secret: true, unreported: "always" },
      onDestroy: { place: "behaviour" },
      adopt: { place: "creation" },
    },
    outputs: {
      createdAt: {},
      updatedAt: { recomputedBy: true },
      place: { recomputedBy: ["label"] },
      tag: { unreported: "kept" },
    },
  } as unknown as AnyResourceDefinition;
  const foreseen = (args: JsonObject, entry?: Plan["entry"], more: Partial<Plan> = {}): JsonObject =>
    foreseenOutputs(definition, {
      dialect: "documented",
      args,
      entry,
      sent: (_name, value) =>
        typeof value === "string" ? (value === "soon" ? undefined : value.toLowerCase()) : value,
      ...more,
    });

  it("the foreseen outputs of a creation are the arguments as the service will have them, and documented defaults", () => {
    const inputs = { label: "Mixed", password: "pw", onDestroy: "retain", adopt: false };
    const found = foreseen(inputs);
    assert.deepEqual(found, {
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
    });
  });

  it("the foreseen outputs of a creation are unknown where the program says something unknown or invalid", () => {
    const { label, period, password } = foreseen({ label: unknown, period: "soon" });
    assert.deepEqual([label, period, password], [unknown, unknown, null]);
  });

  it("the foreseen outputs of a creation are unknown where an existing object may have something else", () => {
    assert.equal(foreseen({ adopt: true }).period, unknown);
    assert.equal(foreseen({ adopt: true }).mount, "ldap");
    const inPlace = { ...definition, identity: { managesExisting: true } };
    const plan = { dialect: undefined, args: {}, entry: undefined };
    assert.equal(foreseenOutputs(inPlace, { ...plan, sent: (_name, value) => value }).period, unknown);
  });

  it("the foreseen outputs of a creation are unknown where the default depends on a dialect that is not known", () =>
    assert.equal(foreseen({}, undefined, { dialect: undefined }).mount, unknown));

  describe("of an update", () => {
    const outputs = {
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
    const changesOf = (news: JsonObject): JsonObject => {
      const after = foreseen({ ...inputs, ...news }, { outputs, managed });
      return Object.fromEntries(
        Object.entries(after).filter(([name, value]) => outputs[name as keyof typeof outputs] !== value),
      );
    };

    it("the foreseen outputs of an update are those in state, save what the service may change with every update", () =>
      assert.deepEqual(changesOf({ period: 45 }), { period: 45, updatedAt: unknown, tag: null }));

    it("the foreseen outputs of an update are those in state if nothing is sent", () =>
      assert.deepEqual(changesOf({ onDestroy: "delete" }), { onDestroy: "delete", tag: null }));

    it("the foreseen outputs of an update keep what was never given, unless it follows what changes", () => {
      const actual = changesOf({ length: 30 });
      assert.deepEqual(actual, {
        length: 30,
        policy: unknown,
        updatedAt: unknown,
        tag: null,
      });
      assert.equal(changesOf({ label: "other" }).place, unknown);
    });

    it("the foreseen outputs of an update have the documented default of what is cleared, where the service tells it", () => {
      assert.deepEqual(changesOf({ period: null }), { period: 30, updatedAt: unknown, tag: null });
      assert.equal(changesOf({ label: null }).label, unknown);
    });

    it("the foreseen outputs of an update keep the spelling in state of an equal value", () =>
      assert.equal(changesOf({ label: "MIXED" }).label, undefined));

    it("the foreseen outputs of an update are unknown where state lacks them and an incomplete operation is continued", () => {
      const { createdAt: _createdAt, ...incomplete } = outputs;
      const { createdAt, updatedAt, tag } = foreseen(inputs, { outputs: incomplete, managed });
      assert.deepEqual([createdAt, updatedAt, tag], [unknown, unknown, unknown]);
    });
  });
});
