import assert from "node:assert/strict";
import * as fc from "fast-check";
import { itemsOf, parseJson, sameJson, toJson } from "../../sdk/base/json";

describe("toJson", () => {
  it("toJson drops what the engine rejects and keeps the rest; a value without data becomes undefined", () => {
    const dropped = { missing: undefined, call: () => 1, symbol: Symbol("s") };
    const rows: readonly [value: unknown, json: unknown][] = [
      ["a", "a"],
      [null, null],
      [12345678901234567890n, "12345678901234567890"],
      [new Date("2026-01-02T03:04:05.678Z"), "2026-01-02T03:04:05.678Z"],
      [new Date(Number.NaN), null],
      [new Map<unknown, unknown>([["key", new Set([1, undefined])]]), { key: [1, null] }],
      [new Uint8Array([1, 2, 3]), "AQID"],
      [{ list: [1, undefined, Number.NaN, Number.POSITIVE_INFINITY] }, { list: [1, null, null, null] }],
    ];
    for (const [value, json] of rows) {
      assert.deepEqual(toJson({ value, ...dropped }), { value: json });
    }
    assert.deepEqual([undefined, () => 1].map(toJson), [undefined, undefined]);
  });

  it("toJson keeps a __proto__ key as data", () => {
    const json = toJson(JSON.parse('{"__proto__": {"polluted": true}}'));
    assert.deepEqual(Object.keys(json as object), ["__proto__"]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it("toJson returns JSON that is unchanged after transport, for any value", () =>
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true }),
        (value) => {
          const json = toJson(value);
          assert.ok(json === undefined || sameJson(JSON.parse(JSON.stringify(json)), json));
        },
      ),
    ));
});

describe("sameJson", () => {
  it("sameJson distinguishes values that look similar, and the order of lists, but not that of keys", () => {
    assert.ok(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
    for (const [left, right] of [
      [{ list: [1, 2] }, { list: [2, 1] }],
      [null, undefined],
      [0, ""],
      [[], {}],
      [{ a: undefined }, { b: undefined }],
      [1, "1"],
      [{ a: 1 }, { a: 1, b: 2 }],
    ] as const) {
      assert.ok(!sameJson(left, right), `${JSON.stringify(left)} and ${JSON.stringify(right)}`);
    }
  });
});

describe("JSON text", () => {
  it("JSON text can start with a byte order mark, or be empty", () => {
    assert.deepEqual(parseJson('\ufeff {"a":[1,null]} '), { a: [1, null] });
    assert.throws(() => parseJson("{"), SyntaxError);
    assert.deepEqual(["", " \r\n\ufeff"].map(parseJson), [undefined, undefined]);
  });

  it("JSON text is parsed without members named __proto__, at any depth and however they are escaped", () => {
    const names = ["__proto__", "\\u005f_proto__", "_\\u005F\\u0070roto__", "__pr\\u006ft\\u006F__"];
    for (const name of [...names, "__p\\u0072oto__", "__pro\\u0074o__"]) {
      const value = parseJson(`{"a":[{"${name}":{"polluted":true},"b":1}]}`);
      const [item] = (value as { readonly a: readonly object[] }).a;
      assert.deepEqual(Object.getOwnPropertyNames(item), ["b"], name);
      assert.equal((Object.assign({}, item) as { readonly polluted?: unknown }).polluted, undefined);
    }
  });

  it("JSON text keeps all other members as they are", () =>
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__"));
        assert.deepEqual(parseJson(text), JSON.parse(text));
      }),
    ));
});

it("itemsOf omits spaces and empty items", () => assert.deepEqual(itemsOf(" b , a,"), ["b", "a"]));
