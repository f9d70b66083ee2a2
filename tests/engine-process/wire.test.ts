import assert from "node:assert/strict";
import fc from "fast-check";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject } from "../../sdk/base/json";
import {
  boolean,
  content,
  double,
  integer,
  message,
  messages,
  struct,
  text,
  texts,
} from "../../sdk/engine/wire";

const properties = message({ properties: struct(1) });
/** `google.protobuf.Struct` has a field `fields`; here it is the whole message. */
const decoded = (bytes: Uint8Array): unknown => properties.decode(delimited(bytes)).properties;
const encoded = (values: JsonObject): Uint8Array => {
  const bytes = properties.encode({ properties: values });
  return bytes.subarray(1 + varint(bytes.length - 1 - lengthOfLength(bytes)).length);
};

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A message whose first field has the bytes. */
function delimited(bytes: Uint8Array): Buffer {
  return Buffer.from([10, ...varint(bytes.length), ...bytes]);
}

function lengthOfLength(bytes: Uint8Array): number {
  return bytes.findIndex((byte, index) => index > 0 && byte < 128);
}

/** Texts as UTF-8 can have them. The SDK's own encoding loses `__proto__`. */
const key = fc.string({ unit: "binary" }).filter((name) => name !== "__proto__");
const { value: anyValue } = fc.letrec<{ value: JavaScriptValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(key, tie("value"), { noNullPrototype: true }),
  ),
}));
const anyProperties = fc.dictionary(key, anyValue, { noNullPrototype: true });

describe("properties on the wire", () => {
  it("are read as the SDK writes them", () => {
    fc.assert(
      fc.property(anyProperties, (values) => {
        assert.deepEqual(decoded(Struct.fromJavaScript(values).serializeBinary()), values);
      }),
    );
  });

  it("are written as the SDK reads them", () => {
    fc.assert(
      fc.property(anyProperties, (values) => {
        assert.deepEqual(Struct.deserializeBinary(encoded(values as JsonObject)).toJavaScript(), values);
      }),
    );
  });

  for (const length of [0, 1, 127, 128, 16_383, 16_384, 300_000]) {
    it(`have texts of ${length} bytes, at any depth`, () => {
      const long = "a".repeat(length);
      const values = { long, list: [[long]], map: { inner: { [long]: long } } };
      assert.deepEqual(Struct.deserializeBinary(encoded(values)).toJavaScript(), values);
      assert.deepEqual(decoded(Struct.fromJavaScript(values).serializeBinary()), values);
    });
  }

  it("may have any name", () => {
    const values = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "": null}') as JsonObject;
    const read = properties.decode(properties.encode({ properties: values })).properties;
    assert.deepEqual(Object.entries(read ?? {}), Object.entries(values));
  });

  it("replace what is half a character", () => {
    const read = properties.decode(properties.encode({ properties: { half: "a\ud800" } })).properties;
    assert.deepEqual(read, { half: "a\ufffd" });
  });

  it("that are empty are not those that are missing", () => {
    assert.deepEqual(properties.decode(properties.encode({ properties: {} })), { properties: {} });
    assert.deepEqual(properties.decode(properties.encode({})), { properties: undefined });
  });
});

describe("messages on the wire", () => {
  const inner = message({ name: text(1) });
  const type = message({
    name: text(1),
    isLast: boolean(2),
    count: integer(3),
    ratio: double(4),
    raw: content(5),
    names: texts(6),
    parts: messages(16, inner),
  });

  it("return all that was written", () => {
    const written = fc.record(
      {
        name: fc.string({ unit: "binary" }),
        isLast: fc.boolean(),
        count: fc.maxSafeNat(),
        ratio: fc.double(),
        raw: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        names: fc.array(fc.string({ unit: "binary" })),
        parts: fc.array(fc.record({ name: fc.string({ unit: "binary" }) }, { noNullPrototype: true })),
      },
      { noNullPrototype: true },
    );
    fc.assert(fc.property(written, (value) => assert.deepEqual(type.decode(type.encode(value)), value)));
  });

  it("skip fields that they do not know, in every form", () => {
    const newer = message({
      ratio: double(40),
      name: text(1),
      count: integer(41),
      texts: texts(42),
      raw: content(43),
    });
    const bytes = newer.encode({
      ratio: 1.5,
      name: "known",
      count: 300,
      texts: ["a", "b"],
      raw: Buffer.of(1),
    });
    const fourBytes = Buffer.from([...varint(44 * 8 + 5), 1, 2, 3, 4]);
    assert.deepEqual(inner.decode(Buffer.concat([fourBytes, bytes])), { name: "known" });
  });

  for (const [what, bytes] of [
    ["a length that is longer than the rest", [10, 5, 97]],
    ["a number that never ends", [10, 255]],
    ["a group, which the engine does not use", [11]],
    ["a fraction that is cut off", [33, 0, 0]],
  ] as const) {
    it(`refuse ${what}`, () => {
      assert.throws(() => type.decode(Buffer.from(bytes)), RangeError);
    });
  }
});
