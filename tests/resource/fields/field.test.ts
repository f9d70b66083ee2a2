import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import {
  type Desired,
  equivalent,
  Fields,
  output,
  defaulted,
  type Presence,
  type Row,
  snakeCase,
} from "../../../sdk/resource/fields/field";
import * as kinds from "../../../sdk/resource/fields/kinds";
import { seconds } from "../../../sdk/secrets/seconds";

const { integer, oneOf, pathName, text, textMap, textSet, wordSet } = kinds;

const colors: readonly Color[] = ["red", "green"];
type Color = "red" | "green" | "rouge";

const rows = {
  watts: output(integer({ told: "maybe", wire: { hashicorp: ["power", "watts"] } })),
  maxAge: seconds({ least: 1, cleared: 30 }),
  color: oneOf(colors, { cleared: "red", wireWords: { hashicorp: { red: "rouge" } } }),
  labels: textSet({ optional: true }),
  adopt: kinds.adopt(),
  name: text({ least: 1 }),
};
const fields = new Fields(rows, snakeCase);
const documented = fields.in("documented");
type Lamplike = Desired<typeof rows>;

describe("the fields of a resource", () => {
  it("the fields of a resource are arguments, which they validate, and outputs", () => {
    assert.deepEqual(Object.keys(fields.arguments), ["maxAge", "color", "labels", "adopt", "name"]);
    assert.deepEqual(Object.keys(fields.outputs), ["watts"]);
    assert.deepEqual([documented.arguments.maxAge?.cleared, documented.outputs.watts?.told], [30, "maybe"]);
    const schema = z.object(fields.in("documented").schema(z));
    const valid = { name: "a", maxAge: "1m", color: "green" };
    assert.deepEqual(schema.parse(valid), { ...valid, maxAge: 60 });
    const placed = new Fields({ at: defaulted(pathName(), "here") }, snakeCase);
    assert.deepEqual(z.object(placed.in("documented").schema(z)).parse({}), { at: "here" });
    for (const wrong of [{}, { name: "" }, { name: "a", maxAge: 0 }, { name: "a", color: "blue" }]) {
      assert.equal(schema.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });

  it("the fields of a resource become the members of a request, with the dialect's names and values", () => {
    const values = { name: "a", maxAge: 60, color: "red", labels: ["x", "x"] } satisfies Lamplike;
    const all = { name: "a", max_age: 60, color: "rouge", labels: ["x"] };
    assert.deepEqual(fields.in("hashicorp").request(values), all);
    const one = fields.in("documented").request(values, (name) => name === "color");
    assert.deepEqual(one, { color: "red" });
  });

  it("the fields of a resource are read from a response; missing ones are unknown", () => {
    const read = (response: object) => fields.response(z, "hashicorp").parse(response);
    const response = { name: "a", max_age: "2m", color: "rouge", labels: null, watts: 5, other: 1 };
    assert.deepEqual(read(response), { name: "a", maxAge: 120, color: "red", labels: [], watts: 5 });
    assert.deepEqual(read({ name: "a", power: 7, watts: 5 }), { name: "a", watts: 7 });
    assert.throws(() => read({ max_age: 1 }), "a required argument has to be there");
    assert.throws(() => read({ name: "a", max_age: null }), "an argument is not null unless its row says so");
  });

  it("the fields of a resource define what null and a missing value mean in a response", () => {
    const read = (row: Row<unknown, unknown, Presence>, response: object, dialect: Dialect = "documented") =>
      new Fields({ row }, snakeCase).response(z, dialect).parse(response);
    const either = { nullable: true, told: { documented: "maybe", hashicorp: "always" } } as const;
    assert.deepEqual(read(text({ nullable: true }), { row: null }), { row: null });
    assert.deepEqual(read(text({ nullable: true }), {}), { row: null });
    assert.deepEqual(read(text({ nullable: true, told: "kept" }), {}), {});
    assert.deepEqual(read(text(either), { row: null }), { row: null });
    assert.deepEqual(read(text(either), {}), {});
    assert.deepEqual(read(text(either), {}, "hashicorp"), { row: null });
    assert.deepEqual(read(text({ told: "never" }), { row: "a" }), {});
    assert.deepEqual(read(seconds({ cleared: 30, told: "kept" }), { row: null }), { row: 30 });
    assert.deepEqual(read(seconds({ optional: true }), { row: null }), {});
    assert.deepEqual(read(output(text({ told: "maybe" })), { row: null }), {});
    assert.deepEqual(read(textMap(), { row: null }), { row: {} });
  });

  it("the fields of a resource exist in only one dialect if their row says so, and are neither sent nor read in the other", () => {
    const only = "hashicorp";
    const here = { region: text({ only, cleared: "" }), size: output(integer({ only })) };
    const some = new Fields({ ...here, name: text() }, snakeCase);
    const all = { region: "eu", size: 1, name: "a" };
    const seen = (dialect: Dialect) => [some.in(dialect).request(all), some.response(z, dialect).parse(all)];
    assert.deepEqual(seen("hashicorp"), [{ region: "eu", name: "a" }, all]);
    assert.deepEqual(seen("documented"), [{ name: "a" }, { name: "a" }]);
    const region = (dialect: Dialect) => some.in(dialect).schema(z).region ?? assert.fail();
    const refusal =
      "is only available in the hashicorp dialect, but this service uses the documented dialect";
    assert.equal(region("hashicorp").safeParse("eu").success, true);
    assert.equal(region("documented").safeParse("eu").error?.issues[0]?.message, refusal);
    assert.equal(region("documented").safeParse(undefined).success, true);
    const found = some.in("documented").result({ id: "1" }, { name: "a" }, () => assert.fail());
    assert.deepEqual(found, { id: "1", name: "a" });
  });

  it("the fields of a resource are sent as relationships if their kind requires it", () => {
    const place = "relationship";
    const row = { owner: text({ place }), groups: textSet({ place }), name: text(), id: pathName() };
    const relationships = new Fields(row, snakeCase);
    const values = { owner: "ann", groups: ["g", "g"], name: "n", id: "1" };
    assert.deepEqual(relationships.in("documented").request(values), { name: "n" });
    const related = relationships.in("documented").request(values, () => true, "relationship");
    assert.deepEqual(related, { groups: ["g"] });
  });

  it("the fields of a resource name the minimum that they accept", () => {
    for (const [row, value, message] of [
      [integer({ least: 2 }), 1, "must be at least 2"],
      [seconds({ least: 1 }), 0, "must be 1 second or more"],
      [seconds({ least: 60 }), 59, "must be 60 seconds or more"],
      [text({ least: 3 }), "xx", "must have at least 3 characters"],
    ] as const) {
      const { row: schema = assert.fail() } = new Fields({ row }, snakeCase).in("documented").schema(z);
      assert.deepEqual(
        schema.safeParse(value).error?.issues.map((issue) => issue.message),
        [message],
      );
    }
  });

  it("the fields of a resource list their valid values, and an open dialect accepts others", () => {
    const problems = (given: readonly string[], dialect: Dialect, words: Parameters<typeof wordSet>[0]) => {
      const { hues = assert.fail() } = new Fields({ hues: wordSet(words) }, snakeCase).in(dialect).schema(z);
      return hues.safeParse(given).error?.issues.map(({ path }) => path.join("."));
    };
    const open = { documented: ["red"] };
    assert.deepEqual(problems(["red", "blue"], "documented", open), ["1"]);
    assert.equal(problems(["red", "blue"], "hashicorp", open), undefined);
    assert.deepEqual(problems(["blue"], "hashicorp", ["red"]), ["0"]);
  });

  it("the fields of a resource accept a product's name for a value as the same value in its dialect", () => {
    const parsed = (dialect: Dialect) =>
      z.object(fields.in(dialect).schema(z)).safeParse({ name: "a", color: "rouge" });
    assert.deepEqual(parsed("hashicorp").data, { name: "a", color: "red" });
    assert.equal(parsed("documented").success, false);
    const { color = assert.fail() } = documented.arguments;
    assert.equal(equivalent(color, "rouge", "red"), true);
    assert.equal(equivalent(color, "rouge", "green"), false);
    assert.equal(equivalent(color, null, "red"), false);
  });

  it("the fields of a resource become the result of a function", () => {
    const refuse = (member: string): Error => new Error(member);
    const complete = { name: "a", maxAge: 1, color: "red", labels: [] } satisfies Lamplike;
    assert.deepEqual(documented.result({ id: "1" }, complete, refuse), { id: "1", ...complete, watts: null });
    assert.throws(() => documented.result({}, { name: "a" }, refuse), /max_age/);
    const others = { items: textSet(), limit: integer(), size: integer({ cleared: 3, told: "kept" }) };
    const actual = new Fields(others, snakeCase).in("documented").result({}, { limit: 0 }, refuse);
    assert.deepEqual(actual, { items: [], limit: 0, size: 3 });
  });
});
