import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject, JsonValue } from "../../sdk/base/json";
import { received, wrapSecret } from "../../sdk/resource/state/encoding";
import { foreignArguments } from "../../sdk/plugin/values";

/** Names without a meaning in the SDK's encoding. */
const name = fc.string({ minLength: 1 }).filter((each) => !/^(?:__.*|id|urn|then)$/.test(each));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(tie("value")),
    fc.dictionary(name, tie("value"), { noNullPrototype: true }),
  ),
}));
const anyProperties = fc.dictionary(name, fc.record({ value: anyValue, isSecret: fc.boolean() }), {
  noNullPrototype: true,
});

/** What the SDK sends to the engine, and takes from it. */
describe("properties of the plugin", () => {
  before(() =>
    pulumi.runtime.setMocks({
      call: ({ inputs }) => inputs as JsonObject,
      newResource: ({ inputs }) => ({ id: "", state: inputs as JsonObject }),
    }),
  );
  after(() => pulumi.runtime.resetOptions("", "", -1, "", "", false, ""));

  it("properties of the plugin are read as the SDK writes them, and secrets by their names", () =>
    fc.assert(
      fc.asyncProperty(anyProperties, async (properties) => {
        const marked: pulumi.Inputs = {};
        for (const [key, { value, isSecret }] of Object.entries(properties)) {
          marked[key] = isSecret ? pulumi.secret<unknown>(value) : value;
        }
        const sent: unknown = await pulumi.runtime.serializeProperties("test", marked);
        const { values, secrets } = received(JSON.parse(JSON.stringify(sent)) as JsonObject);
        const inClear = Object.entries(properties).map(([key, { value }]) => [key, value]);
        assert.deepEqual(values, JSON.parse(JSON.stringify(Object.fromEntries(inClear))));
        const names = Object.keys(properties).filter((key) => properties[key]?.isSecret);
        assert.deepEqual(new Set(secrets), new Set(names));
        assert.deepEqual(foreignArguments(values), []);
      }),
    ));

  it("properties of the plugin are written as the SDK reads them", () =>
    fc.assert(
      fc.property(anyValue, (value) => {
        const sent = Struct.fromJavaScript({ open: value, hidden: wrapSecret(value) });
        const read = pulumi.runtime.deserializeProperties(sent) as Record<string, unknown>;
        assert.deepEqual(read.open, value);
        assert.deepEqual((read.hidden as { readonly value: unknown }).value, value);
        assert.ok(pulumi.runtime.isRpcSecret(read.hidden));
      }),
    ));

  for (const [kind, value] of [
    ["an asset", new pulumi.asset.StringAsset("a file")],
    ["an archive", new pulumi.asset.AssetArchive({})],
  ] as const) {
    it(`properties with ${kind} in them, as the SDK writes it, are rejected`, async () => {
      const sent: unknown = await pulumi.runtime.serializeProperties("test", { map: { of: [value] } });
      const reason = `map must be plain data, not ${kind}`;
      assert.deepEqual(foreignArguments(sent as JsonObject), [{ property: "", reason }]);
    });
  }
});
