import assert from "node:assert/strict";
import { z } from "zod";
import type { JsonObject } from "../../sdk/base/json";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { foreseenOutputs } from "../../sdk/resource/preview";
import { unknownValue } from "../../sdk/resource/unknown";
import { inClear } from "../contract/support/values";

describe("foreseenOutputs", () => {
  const definition = {
    schema: () => ({ label: z.string().toLowerCase(), period: z.number(), password: z.string() }),
    arguments: {
      label: {},
      period: {},
      password: { secret: true, writeOnly: true },
      onDestroy: { role: "behaviour" },
      adopt: { role: "creation" },
      undescribed: {},
    },
    outputs: { createdAt: {} },
  } as unknown as AnyResourceDefinition;
  const foreseen = (inputs: JsonObject): JsonObject =>
    inClear(foreseenOutputs(definition, z, "documented", inputs));

  it("are the arguments as the service will have them", () => {
    const inputs = { label: "Mixed", period: 60, password: "pw", onDestroy: "retain", adopt: true };
    assert.deepEqual(foreseen(inputs), {
      label: "mixed",
      period: 60,
      password: "pw",
      onDestroy: "retain",
      createdAt: unknownValue,
    });
  });

  it("are unknown where the program says nothing, something unknown, or something invalid", () => {
    assert.deepEqual(foreseen({ label: unknownValue, period: "soon" }), {
      label: unknownValue,
      period: unknownValue,
      password: null,
      onDestroy: null,
      createdAt: unknownValue,
    });
  });

  it("are secret where the argument is", () => {
    const { password, label } = foreseenOutputs(definition, z, "documented", { password: "pw", label: "a" });
    assert.equal((password as { value?: unknown }).value, "pw");
    assert.equal(label, "a");
  });
});
