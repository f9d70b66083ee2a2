import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import * as encoding from "../../../sdk/resource/state/encoding";
import { emptyEntry, type Entry, noRunOptions, unknown } from "../../../sdk/resource/state/entry";
import { inClear, secret, unknownValues } from "../../support/values";

const { decodeEntry, decodeProgram, encodeEntry, encodeSecrets, hiddenInputs, wrapSecret } = encoding;

const definition = {
  type: "test:Thing",
  arguments: { label: {}, password: { secret: true, told: "never" } },
  outputs: { address: { secret: true } },
} as unknown as AnyResourceDefinition;
const urn = "urn:pulumi:dev::shop::acme:Team$pulumi-nodejs:dynamic/trivium/test:Thing::it";
const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

describe("an entry in state", () => {
  const entry: Entry = {
    outputs: { label: "a", password: "canary", address: null },
    managed: { label: { as: "A" }, password: true },
    privateState: { was: 1 },
    service: "https://example.com/api/v2",
    urn,
    generation: "0f",
    secrets: ["label"],
  };

  it("an entry in state has the names that users' state contains, and no empty members", () => {
    const { urn, secrets } = entry;
    const found = { ...encodeEntry(definition, entry), ...hiddenInputs<JsonValue>({ urn, secrets }) };
    assert.deepEqual(found, {
      label: secret("a"),
      password: secret("canary"),
      address: null,
      __managed: { label: { as: "A" }, password: true },
      __private: { was: 1 },
      __at: "https://example.com/api/v2",
      __urn: urn,
      __generation: "0f",
      __secrets: ["label"],
    });
    assert.deepEqual(encodeEntry(definition, { ...emptyEntry, outputs: { label: "a" } }), { label: "a" });
    assert.deepEqual(hiddenInputs({}), {});
  });

  it("an entry in state is read as it was written", () => {
    const text = fc.option(fc.string(), { nil: undefined });
    const how = fc.oneof(
      fc.constant(true as const),
      json.map((as) => ({ as })),
      json.map((cleared) => ({ cleared })),
    );
    const entries: fc.Arbitrary<Entry> = fc.record({
      outputs: fc.dictionary(fc.constantFrom("label", "password", "address"), json),
      managed: fc.option(fc.dictionary(fc.constantFrom("label", "password"), how), { nil: undefined }),
      privateState: fc.dictionary(fc.string(), json),
      service: text,
      urn: text,
      generation: text,
      secrets: fc.subarray(["label", "password"]),
    });
    fc.assert(
      fc.property(entries, (written) => {
        const { urn, secrets } = written;
        const stored = { ...encodeEntry(definition, written), ...hiddenInputs<JsonValue>({ urn, secrets }) };
        const actual = decodeEntry(inClear(JSON.parse(JSON.stringify(stored)) as JsonObject));
        assert.deepEqual(actual, plain(written));
      }),
    );
  });

  it("an entry is empty if state has no entry, or one that the library did not write", () => {
    const odd = { __managed: "label", __private: [1], __at: 5, __urn: null, __generation: {}, __secrets: 1 };
    const all: readonly JsonObject[] = [{}, odd, { __provider: "x" }];
    assert.deepEqual(all.map(decodeEntry), [emptyEntry, emptyEntry, emptyEntry]);
  });
});

describe("the program", () => {
  it("the decoded program contains the inputs without their hidden members", () => {
    const run = { ignored: ["label"], followsProvider: true, inherited: [] };
    const __run = { ignored: ["label"], followsProvider: true };
    const hidden = { __urn: urn, __secrets: ["label", 5], __run, __provider: "x", __at: "y" };
    const expected = { args: { label: "a" }, urn, secrets: ["label"], run };
    assert.deepEqual(decodeProgram({ label: "a", ...hidden }), expected);
    const nothing = { args: {}, urn: undefined, secrets: [], run: noRunOptions };
    const all: readonly JsonObject[] = [{}, { __run: "x" }];
    assert.deepEqual(all.map(decodeProgram), [nothing, nothing]);
  });

  it("the decoded program has one marker for all of the engine's seven sentinels, at any depth", () => {
    for (const sentinel of [pulumi.runtime.unknownValue, ...Object.values(unknownValues)]) {
      const { label, list } = decodeProgram({ label: sentinel, list: ["a", { b: [sentinel] }] }).args;
      const inner = (list as unknown as [string, { b: [unknown] }])[1].b[0];
      assert.ok(label === unknown && inner === unknown, sentinel);
    }
  });
});

describe("secrets", () => {
  it("secrets of the class and of the program are wrapped, once, also unknown ones, and null is not", () => {
    const wrapped = encodeSecrets(definition, { label: "open", password: "canary", address: null });
    assert.deepEqual(wrapped, { label: "open", password: secret("canary"), address: null });
    assert.deepEqual(encodeSecrets(definition, wrapped), wrapped);
    assert.deepEqual(encodeSecrets(definition, { label: "canary" }, ["label"]), { label: secret("canary") });
    const { unknownValue } = pulumi.runtime;
    const open = encodeSecrets(definition, { label: ["a", unknown], password: unknown });
    assert.deepEqual(open, { label: ["a", unknownValue], password: secret(unknownValue) });
  });

  it("secrets are marked as by the SDK", () => {
    assert.deepEqual(wrapSecret({ deep: ["canary"] }), {
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: { deep: ["canary"] },
    });
    assert.equal(pulumi.runtime.unwrapRpcSecret(wrapSecret("canary")), "canary");
  });
});

it("the text of a provider is recognized by its beginning", () => {
  const stub = encoding.providerStub("provisioning:Project");
  const expected = 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:Project")';
  assert.equal(stub, expected);
  const found = [stub, `${stub}//1`, `1;${stub}`, 1].map(encoding.isProviderStub);
  assert.deepEqual(found, [true, true, false, false]);
});

/** As JSON has it: without members of its own that have no value. */
function plain(entry: Entry): unknown {
  return { ...emptyEntry, ...(JSON.parse(JSON.stringify(entry)) as object) };
}
