import assert from "node:assert/strict";
import { z } from "zod";
import { resourceKind, toMany, toOne } from "../../sdk/provisioning/kind";
import { Fields, kebabCase, output } from "../../sdk/resource/fields/field";
import { text } from "../../sdk/resource/fields/kinds";

const fields = new Fields(
  {
    owner: toOne({ told: "kept" }),
    place: toOne({ wire: "site", told: "kept" }),
    planId: output(toOne({ wire: "plan", told: "kept", nullable: true })),
    displayName: text({ told: "kept" }),
    userIds: toMany("users", { wire: "users", optional: true }),
  },
  kebabCase,
);

const kind = resourceKind("lamps", fields, {
  defaults: ({ id }) => ({ displayName: id }),
});

function read(attributes: object, relationships: object): object {
  return kind.shape(z, "documented").parse({ type: "lamps", id: "l-1", attributes, relationships });
}

describe("a kind of resource object", () => {
  it("a resource object is read by field names; values that a response omits are missing, or have the value that omission means", () => {
    const relationships = {
      owner: { data: { id: "ann", type: "people" } },
      site: { data: { id: "s-1", type: "sites" } },
      plan: { data: { id: "p-1" } },
      users: [{ id: "u-1" }],
    };
    const found = read({ "display-name": "Lamp", other: 1 }, relationships);
    assert.deepEqual(found, {
      id: "l-1",
      state: { owner: "ann", place: "s-1", planId: "p-1", displayName: "Lamp", userIds: ["u-1"] },
    });
    assert.deepEqual(read({}, {}), { id: "l-1", state: { displayName: "l-1" } });
  });

  it("a resource object can contain null where a field allows it, only links, or a list in data", () => {
    const nothing = { planId: null, userIds: [] };
    const is = (value: unknown, expected: object) =>
      [{ site: value, plan: value, users: value }, expected] as const;
    for (const [relationships, expected] of [
      is(null, nothing),
      is({ data: null }, nothing),
      is({ links: {} }, {}),
      [{ users: { data: [{ id: "u-1" }] } }, { userIds: ["u-1"] }] as const,
    ]) {
      assert.deepEqual(read({}, relationships), { id: "l-1", state: { displayName: "l-1", ...expected } });
    }
  });

  it("a resource object is rejected if it contains null that has no meaning, or an invalid ID", () => {
    const strict = resourceKind("lamps", new Fields({ owner: toOne({}) }, kebabCase));
    for (const owner of [null, { data: null }, {}, { data: { id: "" } }, { data: { id: 1 } }]) {
      const response = { type: "lamps", id: "l-1", attributes: {}, relationships: { owner } };
      assert.throws(() => strict.shape(z, "documented").parse(response), JSON.stringify(owner));
    }
  });

  it("a resource object is sent with the intended attributes and lists in the form of the dialect", () => {
    const desired = { owner: "ann", place: "s-1", displayName: "Lamp", userIds: ["u-1", "u-1"] };
    const users = [{ type: "users", id: "u-1" }];
    const sent = (...args: Parameters<typeof kind.document>): unknown =>
      JSON.parse(JSON.stringify(kind.document(...args)));
    assert.deepEqual(sent(desired, "documented"), {
      data: { type: "lamps", attributes: { "display-name": "Lamp" }, relationships: { users } },
    });
    assert.deepEqual(sent(desired, "hashicorp", { id: "l-1", changed: new Set(["userIds"]) }), {
      data: { type: "lamps", id: "l-1", attributes: {}, relationships: { users: { data: users } } },
    });
    assert.deepEqual(sent(desired, "hashicorp", { changed: new Set() }), {
      data: { type: "lamps", attributes: {} },
    });
  });
});
