import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJson } from "../../sdk/base/json-text";

describe("JSON text", () => {
  it("is parsed, with or without a byte order mark", () => {
    assert.deepEqual(parseJson('\ufeff {"a":[1,null]} '), { a: [1, null] });
    assert.throws(() => parseJson("{"), SyntaxError);
  });

  it("may be nothing", () => {
    assert.equal(parseJson(""), undefined);
    assert.equal(parseJson(" \r\n\ufeff"), undefined);
  });

  const spellings = [
    "__proto__",
    "\\u005f_proto__",
    "_\\u005F\\u0070roto__",
    "__pr\\u006ft\\u006F__",
    "__p\\u0072oto__",
    "__pro\\u0074o__",
  ];
  for (const name of spellings) {
    it(`drops the member ${name} at any depth`, () => {
      const value = parseJson(`{"a":[{"${name}":{"polluted":true},"b":1}]}`) as {
        a: [{ polluted?: unknown }];
      };
      assert.deepEqual(Object.getOwnPropertyNames(value.a[0]), ["b"]);
      assert.equal(Object.assign({}, value.a[0]).polluted, undefined);
    });
  }

  it("keeps everything else as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__"));
        assert.deepEqual(parseJson(text), JSON.parse(text));
      }),
    );
  });
});
