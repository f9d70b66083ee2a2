import assert from "node:assert/strict";
import { z } from "zod";
import { ContractError } from "../../sdk/base/errors";
import { builtOnce, readShape } from "../../sdk/base/schema";
import { failure } from "../http/calls";

describe("builtOnce", () => {
  it("builtOnce builds a shape on first use and keeps it, even if the result is undefined", () => {
    for (const made of [z.string(), undefined]) {
      let builds = 0;
      const shape = builtOnce(() => {
        builds += 1;
        return made;
      });
      assert.equal(builds, 0);
      assert.deepEqual([shape(z), shape(z), builds], [made, made, 1]);
    }
  });

  it("builtOnce builds another shape for each object that it depends on", () => {
    const shape = builtOnce((library, about: { readonly word: string }) => library.literal(about.word));
    const [one, other] = [{ word: "one" }, { word: "other" }];
    assert.deepEqual([shape(z, one).parse("one"), shape(z, other).parse("other")], ["one", "other"]);
    assert.equal(shape(z, one), shape(z, one));
  });
});

const ids = z.array(z.object({ id: z.string() }));
const shape = z.object({
  name: z.string().min(1),
  count: z.number().int().max(10).optional(),
  list: ids.optional(),
  none: z.undefined().optional(),
  address: z.url().optional(),
  kind: z.enum(["a", "b"]).optional(),
  users: z.union([ids, z.object({ data: ids })]).optional(),
});

describe("shape of a response", () => {
  it("a response is returned without members that the schema does not name", () => {
    const value = { name: "n", kind: "a", "new-member": 1 };
    const found = readShape(shape, value, "data.attributes", "GET https://service.example");
    assert.deepEqual(found, { name: "n", kind: "a" });
  });

  const at = "data.attributes";
  const request = "GET https://service.example/x";
  const rows: readonly [value: unknown, at: string, message: RegExp, below?: string][] = [
    [{}, `${at}.name`, /expected a value of type string/],
    [{ name: 1 }, `${at}.name`, /expected a value of type string/],
    [{ name: "" }, `${at}.name`, /at least 1/],
    [{ name: "n", count: 11 }, `${at}.count`, /at most 10/],
    [{ name: "n", none: 1 }, `${at}.none`, /: expected nothing\.$/],
    [{ name: "n", address: "x" }, `${at}.address`, /expected a string in the format url/],
    [{ name: "n", list: [{ id: "1" }, {}] }, `${at}.list[1].id`, /string/],
    [{ name: "n", kind: "hush-hush" }, `${at}.kind`, /"a" or "b"/],
    [{ name: "n", users: { data: [{ id: 7 }] } }, `${at}.users.data[0].id`, /string/],
    [{ name: "n", users: 3 }, `${at}.users`, /another type/],
    ["hush-hush", at, /type object/],
    [{ name: 1 }, "name", /string/, ""],
  ];
  for (const [value, place, message, below = at] of rows) {
    it(`the error for an invalid response names the place but not the value: ${JSON.stringify(value)}, ${place}`, async () => {
      const reading = Promise.resolve().then(() => readShape(shape, value, below, request));
      const error = await failure(reading, ContractError);
      assert.equal(error.at, place);
      assert.match(error.message, message);
      assert.ok(error.message.startsWith(`Unexpected response to ${request}: ${place}: `));
      assert.doesNotMatch(error.message, /hush-hush/);
    });
  }
});
