import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import {
  defineFields,
  type Desired,
  equivalent,
  type Field,
  Fields,
  output,
  snakeCase,
  type Validation,
} from "../../../sdk/resource/fields/field";
import {
  commaSeparated,
  integer,
  oneOf,
  pathName,
  seconds,
  text,
  textSet,
  wordSet,
} from "../../../sdk/resource/fields/kinds";

interface LampArgs {
  name: pulumi.Input<string>;
  maxAge?: pulumi.Input<string | number | null | undefined>;
  colour?: pulumi.Input<"red" | "green" | "rouge" | null | undefined>;
  labels?: pulumi.Input<pulumi.Input<string>[] | null | undefined>;
}

declare class Lamp extends pulumi.CustomResource {
  readonly name: pulumi.Output<string>;
  readonly maxAge: pulumi.Output<number>;
  readonly colour: pulumi.Output<"red" | "green" | "rouge">;
  readonly labels: pulumi.Output<string[]>;
  readonly watts: pulumi.Output<number | undefined>;
}

const rows = {
  name: text({ least: 1 }),
  maxAge: seconds({ least: 1, cleared: 30 }),
  colour: oneOf(["red", "green"], { cleared: "red", wireWords: { hashicorp: { red: "rouge" } } }),
  labels: textSet({ optional: true, whenNull: [] }),
  watts: output(integer({ mayBeMissing: true, wire: { hashicorp: ["power", "watts"] } })),
};
const define = defineFields<LampArgs, Lamp>(snakeCase);
const fields = define(rows);
type Lamplike = Desired<typeof rows>;

describe("the fields of a resource", () => {
  it("are what the lifecycle uses", () => {
    assert.deepEqual(Object.keys(fields.arguments), ["name", "maxAge", "colour", "labels"]);
    assert.equal(fields.arguments.maxAge?.cleared, 30);
    assert.deepEqual(Object.keys(fields.outputs), ["watts"]);
    assert.equal(fields.outputs.watts?.mayBeMissing, true);
  });

  it("validate arguments", () => {
    const schema = z.object(fields.schema(z, "documented"));
    const valid = { name: "a", maxAge: "1m", colour: "green" };
    assert.deepEqual(schema.parse(valid), { ...valid, maxAge: 60 });
    for (const wrong of [{}, { name: "" }, { name: "a", maxAge: 0 }, { name: "a", colour: "blue" }]) {
      assert.equal(schema.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });

  it("become the members of a request, by the names and words of the dialect", () => {
    const values = { name: "a", maxAge: 60, colour: "red", labels: ["x", "x"] } satisfies Lamplike;
    const all = { name: "a", max_age: 60, colour: "rouge", labels: ["x"] };
    assert.deepEqual(fields.request(values, "hashicorp"), all);
    const one = fields.request(values, "documented", (name) => name === "colour");
    assert.deepEqual(one, { colour: "red" });
  });

  it("are read from a response; what it does not hold is unknown", () => {
    const read = (response: object) => fields.response(z, "hashicorp").parse(response);
    const response = { name: "a", max_age: "2m", colour: "rouge", labels: null, watts: 5, other: 1 };
    assert.deepEqual(read(response), { name: "a", maxAge: 120, colour: "red", labels: [], watts: 5 });
    assert.deepEqual(read({ name: "a", power: 7, watts: 5 }), { name: "a", watts: 7 });
    assert.throws(() => read({ max_age: 1 }), "a required argument has to be there");
    assert.throws(() => read({ name: "a", max_age: null }), "an argument is not null unless its row says so");
  });

  it("may say that an optional argument is in every response, and what null means", () => {
    const row = { maxAge: seconds({ optional: true, mayBeMissing: false, whenNull: null }) };
    const always = new Fields(row, snakeCase).response(z, "documented");
    assert.deepEqual(always.parse({ max_age: null }), { maxAge: null });
    assert.throws(() => always.parse({}));
  });

  it("are sent among the relationships where their kind says how", () => {
    const place = "relationship";
    const row = { owner: text({ place }), groups: textSet({ place }), name: text(), id: pathName() };
    const relationships = new Fields(row, snakeCase);
    const values = { owner: "ann", groups: ["g", "g"], name: "n", id: "1" };
    assert.deepEqual(relationships.request(values, "documented"), { name: "n" });
    const related = relationships.request(values, "documented", () => true, "relationship");
    assert.deepEqual(related, { groups: ["g"] });
  });

  it("name the least that they accept", () => {
    const row = {
      a: integer({ least: 2 }),
      b: seconds({ least: 1 }),
      c: seconds({ least: 60 }),
      d: text({ least: 3 }),
    };
    const schema = z.object(new Fields(row, snakeCase).schema(z, "documented"));
    const { error } = schema.safeParse({ a: 1, b: 0, c: 59, d: "xx" });
    const problems = error?.issues.map(({ message }) => message);
    assert.deepEqual(problems, [
      "must be at least 2",
      "must be 1 second or more, in whole seconds",
      "must be 60 seconds or more, in whole seconds",
      "must have at least 3 characters",
    ]);
  });

  it("name the words of a list, in a dialect that is open others too", () => {
    const row = { hues: wordSet({ documented: ["red"] }) };
    const problems = (values: object, dialect: "documented" | "hashicorp") =>
      z
        .object(new Fields(row, snakeCase).schema(z, dialect))
        .safeParse(values)
        .error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
    assert.match(problems({ hues: ["red", "blue"] }, "documented")?.join() ?? "", /^hues\.1 /);
    assert.equal(problems({ hues: ["red", "blue"] }, "hashicorp"), undefined);
    const closed = new Fields({ hues: wordSet(["red"]) }, snakeCase).schema(z, "hashicorp");
    assert.equal(z.object(closed).safeParse({ hues: ["blue"] }).success, false);
  });

  it("take a product's word in its dialect, as the same value", () => {
    const parsed = (dialect: "documented" | "hashicorp") =>
      z.object(fields.schema(z, dialect)).safeParse({ name: "a", colour: "rouge" });
    assert.deepEqual(parsed("hashicorp").data, { name: "a", colour: "red" });
    assert.equal(parsed("documented").success, false);
    const { colour } = fields.arguments;
    assert.ok(colour);
    assert.equal(equivalent(colour, "rouge", "red"), true);
    assert.equal(equivalent(colour, "rouge", "green"), false);
    assert.equal(equivalent(colour, null, "red"), false);
  });

  it("send a list as text with commas where the service wants it so", () => {
    const items = (z: Validation) => z.array(z.string());
    const sent = (row: Field<string | string[], string[], "required">) =>
      new Fields({ row }, snakeCase).request({ row: ["a", "b"] }, "documented");
    assert.deepEqual(sent(commaSeparated(items)), { row: ["a", "b"] });
    assert.deepEqual(sent(commaSeparated(items, { sentAsText: true })), { row: "a,b" });
  });

  it("may say what it means that a response leaves them out", () => {
    const dated = new Fields({ at: text({ whenNull: null, whenMissing: { hashicorp: null } }) }, snakeCase);
    assert.deepEqual(dated.response(z, "hashicorp").parse({}), { at: null });
    assert.deepEqual(dated.response(z, "documented").parse({}), {});
    assert.deepEqual(dated.response(z, "documented").parse({ at: null }), { at: null });
  });

  it("are never missing among arguments where they have a default", () => {
    const placed = new Fields({ at: pathName({ default: "here" }) }, snakeCase);
    const given: { at: string } = z.object(placed.schema(z, "documented")).parse({}) as Desired<
      typeof placed.rows
    >;
    assert.equal(given.at, "here");
  });

  it("become the result of a function", () => {
    const refuse = (member: string): Error => new Error(member);
    const complete = { name: "a", maxAge: 1, colour: "red", labels: [] } satisfies Lamplike;
    assert.deepEqual(fields.result({ id: "1" }, complete, refuse), { id: "1", ...complete, watts: null });
    assert.throws(() => fields.result({}, { name: "a" }, refuse), /max_age/);
    const lists = new Fields({ items: textSet({ inResults: [] }), limit: integer() }, snakeCase);
    assert.deepEqual(lists.result({}, { limit: 0 }, refuse), { items: [], limit: 0 });
    assert.deepEqual(lists.result({}, { items: null }), { items: [], limit: null });
  });

  it("agree with the interface of the arguments and with the class, or do not compile", () => {
    const { name, labels, ...others } = rows;
    // @ts-expect-error a row is missing
    define({ labels, ...others });
    // @ts-expect-error an output is missing
    define({ name, labels, maxAge: rows.maxAge, colour: rows.colour });
    // @ts-expect-error it has another type
    define({ ...rows, name: integer() });
    // @ts-expect-error it is not optional
    define({ ...rows, labels: textSet() });
    // @ts-expect-error it is required
    define({ ...rows, name: text({ optional: true }) });
    // @ts-expect-error the interface has more words
    define({ ...rows, colour: oneOf(["red"], { optional: true }) });
    // @ts-expect-error the interface lacks a word
    define({ ...rows, colour: oneOf(["red", "green", "rouge", "blue"], { optional: true }) });
    const rojo = { cleared: "red", wireWords: { hashicorp: { red: "rojo" } } } as const;
    // @ts-expect-error the interface lacks the product's word
    define({ ...rows, colour: oneOf(["red", "green", "rouge"], rojo) });
  });
});
