import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { composeOutputs, managedOf, missingFields, missingOutputs, secretNames, withMarkedSecrets, withMetadata, wrapSecrets } from "../../../sdk/resource/state/entry";
import { secretOf } from "../mocks";

const definition = {
  type: "test:Thing",
  arguments: {
    label: {},
    note: {},
    password: { secret: true, writeOnly: true },
    onDestroy: { role: "behaviour" },
    adopt: { role: "creation" },
  },
  outputs: { createdAt: {}, address: { secret: true }, hint: { mayBeMissing: true } },
} as unknown as AnyResourceDefinition;

describe("composeOutputs", () => {
  it("takes what the service returned, then what was sent, then what was there before", () => {
    const outputs = composeOutputs(
      definition,
      { label: "answered", createdAt: "now" },
      { label: "sent", note: "sent" },
      { label: "before", note: "before", createdAt: "before", address: "before" },
    );
    assert.deepEqual(outputs, { label: "answered", note: "sent", createdAt: "now", address: "before" });
  });

  it("treats an explicit null as a value, and undefined as no response", () => {
    const before = { label: "before", note: "before" };
    assert.deepEqual(composeOutputs(definition, { label: null, note: undefined }, {}, before), {
      label: null,
      note: "before",
    });
  });

  it("keeps the last applied value of what the service never returns, whatever it returns", () => {
    const state = { password: "***", onDestroy: "x" };
    assert.deepEqual(
      composeOutputs(definition, state, { password: "new", onDestroy: "delete" }, { password: "old" }),
      { password: "new", onDestroy: "delete" },
    );
    assert.deepEqual(composeOutputs(definition, state, {}, { password: "old" }), { password: "old" });
  });

  it("leaves out what only counts at creation, what is hidden and what nobody knows", () => {
    const outputs = composeOutputs(
      definition,
      { extra: 1 },
      { adopt: true },
      { __managed: {}, retired: 1, adopt: true },
    );
    assert.deepEqual(outputs, {});
  });

  it("makes everything safe for the engine", () => {
    const state = {
      label: new Date("2026-03-01T12:00:00Z"),
      note: new Map([["a", new Set([1n])]]),
      createdAt: Number.NaN,
    };
    assert.deepEqual(composeOutputs(definition, state, {}, {}), {
      label: "2026-03-01T12:00:00.000Z",
      note: { a: ["1"] },
      createdAt: null,
    });
  });
});

describe("what a response lacks", () => {
  it("are outputs that it may not leave out, and fields that can be read", () => {
    assert.deepEqual(missingOutputs(definition, {}), ["createdAt", "address"]);
    assert.deepEqual(missingOutputs(definition, { createdAt: null, address: "x" }), []);
    assert.deepEqual(missingFields(definition, {}), ["label", "note"]);
    assert.deepEqual(missingFields(definition, { label: null, note: "" }), []);
  });
});

describe("secrets among outputs", () => {
  it("are named by the definition", () => {
    assert.deepEqual(secretNames(definition), ["password", "address"]);
  });

  it("are wrapped, once, and null is not", () => {
    const wrapped = wrapSecrets(definition, { label: "open", password: "canary", address: null });
    assert.equal(wrapped.label, "open");
    assert.equal(secretOf(wrapped.password), "canary");
    assert.equal(wrapped.address, null);
    assert.deepEqual(wrapSecrets(definition, wrapped), wrapped);
  });

  it("are also those that the program marked, in inputs and later in state", () => {
    const marked = withMarkedSecrets(definition, { __secrets: ["label", "unknown", 5] });
    assert.deepEqual(secretNames(marked), ["label", "password", "address"]);
    assert.equal(secretOf(wrapSecrets(marked, { label: "canary" }).label), "canary");
    assert.deepEqual(
      secretNames(definition),
      ["password", "address"],
      "the definition itself stays as it is",
    );
    assert.equal(withMarkedSecrets(definition, {}), definition);
  });
});

describe("withMetadata", () => {
  const metadata = {
    managed: { label: 1 as const },
    at: "https://example.com/api/v2",
    memory: {},
    entry: { label: "a" },
  };

  it("adds what the library remembers, and nothing that is empty", () => {
    assert.deepEqual(withMetadata(definition, { label: "a" }, metadata), {
      label: "a",
      __managed: "label",
      __at: "https://example.com/api/v2",
    });
  });

  it("keeps the hidden inputs, which a refresh has to give back", () => {
    const entry = { label: "a", __urn: "test::test::::y", __secrets: ["label"], __provider: "x" };
    assert.deepEqual(withMetadata(definition, {}, { ...metadata, memory: { token: 1 }, entry }), {
      __urn: "test::test::::y",
      __secrets: ["label"],
      __managed: "label",
      __at: "https://example.com/api/v2",
      __private: { token: 1 },
    });
  });

  it("leaves out the URN that a call of the engine has brought", () => {
    const entry = { __urn: "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/x::y" };
    assert.ok(!("__urn" in withMetadata(definition, {}, { ...metadata, entry })));
  });

  it("says with one character that all arguments are managed", () => {
    const managed = { label: 1, note: 1 } as const;
    const outputs = withMetadata(definition, { label: "a", note: "b" }, { ...metadata, managed });
    assert.deepEqual(outputs, { label: "a", note: "b", __at: "*https://example.com/api/v2" });
    assert.deepEqual(managedOf(definition, outputs), managed);
  });
});
