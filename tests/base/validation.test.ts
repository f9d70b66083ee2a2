import assert from "node:assert/strict";
import { z } from "zod";
import { builtOnce } from "../../sdk/base/validation";

describe("builtOnce", () => {
  it("builds a shape when it is first asked for, and keeps it", () => {
    let builds = 0;
    const shape = builtOnce((library) => {
      builds += 1;
      return library.string();
    });
    assert.equal(builds, 0);
    assert.equal(shape(z), shape(z));
    assert.equal(builds, 1);
    assert.equal(shape(z).parse("text"), "text");
  });

  it("builds another for each object that it depends on", () => {
    const shape = builtOnce((library, about: { readonly word: string }) => library.literal(about.word));
    const [one, other] = [{ word: "one" }, { word: "other" }];
    assert.deepEqual([shape(z, one).parse("one"), shape(z, other).parse("other")], ["one", "other"]);
    assert.equal(shape(z, one), shape(z, one));
  });

  it("keeps what is nothing too", () => {
    let builds = 0;
    const shape = builtOnce(() => {
      builds += 1;
    });
    shape(z);
    shape(z);
    assert.equal(builds, 1);
  });
});
