import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { caseInsensitive } from "../../../sdk/resource/fields/kinds";
import { foreseenOutputs, type Plan } from "../../../sdk/resource/lifecycle/comparison";
import { unknownValue } from "../../../sdk/resource/state/entry";

describe("foreseenOutputs", () => {
  const definition = {
    arguments: {
      mount: { replaces: true, default: { documented: "ldap", hashicorp: "openldap" } },
      label: { canonical: caseInsensitive },
      period: { cleared: 30, echoesDefault: true },
      length: { cleared: 20, echoesDefault: true },
      policy: { cleared: "", recomputedBy: ["length"] },
      password: { secret: true, writeOnly: true },
      onDestroy: { role: "behaviour" },
      adopt: { role: "creation" },
    },
    outputs: {
      createdAt: {},
      updatedAt: { recomputedBy: true },
      place: { recomputedBy: ["label"] },
      tag: { mayBeMissing: true },
    },
  } as unknown as AnyResourceDefinition;
  const foreseen = (inputs: JsonObject, former?: JsonObject, more: Partial<Plan> = {}): JsonObject =>
    foreseenOutputs(definition, {
      dialect: "documented",
      inputs,
      former,
      sent: (_name, value) =>
        typeof value === "string" ? (value === "soon" ? undefined : value.toLowerCase()) : value,
      ...more,
    });

  describe("of a creation", () => {
    it("are the arguments as the service will have them, and documented defaults", () => {
      const inputs = { label: "Mixed", password: "pw", onDestroy: "retain", adopt: false };
      assert.deepEqual(foreseen(inputs), {
        mount: "ldap",
        label: "mixed",
        period: 30,
        length: 20,
        policy: unknownValue,
        password: "pw",
        onDestroy: "retain",
        createdAt: unknownValue,
        updatedAt: unknownValue,
        place: unknownValue,
        tag: unknownValue,
      });
    });

    it("are unknown where the program says something unknown or invalid", () => {
      const { label, period, password } = foreseen({ label: unknownValue, period: "soon" });
      assert.deepEqual([label, period, password], [unknownValue, unknownValue, null]);
    });

    it("are unknown where an existing object may have something else", () => {
      assert.equal(foreseen({ adopt: true }).period, unknownValue);
      assert.equal(foreseen({ adopt: true }).mount, "ldap");
      const inPlace = { ...definition, managesExisting: true };
      const plan = { dialect: undefined, inputs: {}, former: undefined };
      assert.equal(foreseenOutputs(inPlace, { ...plan, sent: (_name, value) => value }).period, unknownValue);
    });

    it("are unknown where the default depends on a dialect that is not known", () => {
      assert.equal(foreseen({}, undefined, { dialect: undefined }).mount, unknownValue);
    });
  });

  describe("of an update", () => {
    const former = {
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
      __managed: "label,period,password,onDestroy",
    };
    const inputs = { label: "Mixed", period: 60, password: "pw", onDestroy: "retain" };
    const changesOf = (news: JsonObject): JsonObject => {
      const { __managed: _managed, ...before } = former;
      const after = foreseen({ ...inputs, ...news }, former);
      return Object.fromEntries(
        Object.entries(after).filter(([name, value]) => before[name as keyof typeof before] !== value),
      );
    };

    it("are those in state, save what the service may change with every update", () => {
      assert.deepEqual(changesOf({ period: 45 }), { period: 45, updatedAt: unknownValue, tag: null });
    });

    it("are those in state if nothing is sent", () => {
      assert.deepEqual(changesOf({ onDestroy: "delete" }), { onDestroy: "delete", tag: null });
    });

    it("keep what was never given, unless it follows what changes", () => {
      assert.deepEqual(changesOf({ length: 30 }), {
        length: 30,
        policy: unknownValue,
        updatedAt: unknownValue,
        tag: null,
      });
      assert.equal(changesOf({ label: "other" }).place, unknownValue);
    });

    it("have the documented default of what is cleared, where the service tells it", () => {
      assert.deepEqual(changesOf({ period: null }), { period: 30, updatedAt: unknownValue, tag: null });
      assert.equal(changesOf({ label: null }).label, unknownValue);
    });

    it("keep the spelling in state of an equal value", () => {
      assert.equal(changesOf({ label: "MIXED" }).label, undefined);
    });

    it("are unknown where state lacks them and an incomplete operation is continued", () => {
      const { createdAt: _createdAt, ...incomplete } = former;
      const { createdAt, updatedAt, tag } = foreseen(inputs, incomplete);
      assert.deepEqual([createdAt, updatedAt, tag], [unknownValue, unknownValue, unknownValue]);
    });
  });
});
