import assert from "node:assert/strict";
import { z } from "zod";
import { readShape } from "../../sdk/http/contract";
import { ContractError } from "../../sdk/base/errors";

const shape = z.object({
  name: z.string().min(1),
  count: z.number().int().max(10).optional(),
  list: z.array(z.object({ id: z.string() })).optional(),
  none: z.undefined().optional(),
  address: z.url().optional(),
  kind: z.enum(["a", "b"]).optional(),
  users: z
    .union([z.array(z.object({ id: z.string() })), z.object({ data: z.array(z.object({ id: z.string() })) })])
    .optional(),
});

describe("shape of a response", () => {
  it("is returned without what the schema does not name", () => {
    const value = { name: "n", kind: "a", "new-member": 1 };
    assert.deepEqual(readShape(shape, value, "data.attributes", "GET https://service.example"), {
      name: "n",
      kind: "a",
    });
  });

  const cases: readonly [string, unknown, string, RegExp][] = [
    ["a missing member", {}, "data.attributes.name", /expected a value of type string/],
    ["a member of another type", { name: 1 }, "data.attributes.name", /expected a value of type string/],
    ["an empty text", { name: "" }, "data.attributes.name", /at least 1/],
    ["a number that is too large", { name: "n", count: 11 }, "data.attributes.count", /at most 10/],
    [
      "a member that may not be there",
      { name: "n", none: 1 },
      "data.attributes.none",
      /: expected nothing\.$/,
    ],
    [
      "another format",
      { name: "n", address: "x" },
      "data.attributes.address",
      /expected a string in the format url/,
    ],
    ["an item of a list", { name: "n", list: [{ id: "1" }, {}] }, "data.attributes.list[1].id", /string/],
    ["an unknown choice", { name: "n", kind: "hush-hush" }, "data.attributes.kind", /"a" or "b"/],
    [
      "one of two shapes",
      { name: "n", users: { data: [{ id: 7 }] } },
      "data.attributes.users.data[0].id",
      /string/,
    ],
    ["neither of two shapes", { name: "n", users: 3 }, "data.attributes.users", /another type/],
    ["something else altogether", "hush-hush", "data.attributes", /type object/],
  ];
  it("names the place in the response itself", () => {
    assert.throws(
      () => readShape(shape, { name: 1 }, "", "GET https://service.example/x"),
      (error: unknown) => ContractError.isInstance(error) && error.at === "name",
    );
  });

  for (const [name, value, at, pattern] of cases) {
    it(`is refused for ${name}, with the place and without the value`, () => {
      assert.throws(
        () => readShape(shape, value, "data.attributes", "GET https://service.example/x"),
        (error: unknown) => {
          assert.ok(ContractError.isInstance(error));
          assert.equal(error.at, at);
          assert.match(error.message, pattern);
          assert.ok(
            error.message.startsWith(`Unexpected response to GET https://service.example/x: ${at}: `),
          );
          assert.doesNotMatch(error.message, /hush-hush/);
          return true;
        },
      );
    });
  }
});
