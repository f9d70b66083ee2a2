import assert from "node:assert/strict";
import { Body } from "../../../sdk/testing/secrets/body";
import {
  boolean,
  FieldTable,
  integer,
  list,
  never,
  oneOf,
  requiredText,
  seconds,
  text,
} from "../../../sdk/testing/secrets/fields";

interface Cake {
  readonly name: string;
  readonly bakingTime: number;
  readonly layers: number;
  readonly shape: "round" | "square";
  readonly toppings: readonly string[];
  readonly isVegan: boolean;
  readonly secretRecipe: string;
  readonly bakedAt: string | null;
}

describe("the fields of an object", () => {
  const fields = new FieldTable<Cake>({
    name: requiredText(),
    bakingTime: seconds({ initial: 60, answeredAs: "time" }),
    layers: integer({ initial: 1, resets: true, rule: [(count) => count > 0, "layers must be positive"] }),
    shape: oneOf(["round", "square"], "no such shape", { initial: "round" }),
    toppings: list(),
    isVegan: boolean(),
    secretRecipe: text({ answered: never }),
    bakedAt: { initial: null, answered: (at) => at ?? undefined },
  });
  const bodyOf = (values: object): Body =>
    Body.parse(JSON.stringify(values), {
      known: Object.keys(values),
      rules: { unknown: "refused", emptyDuration: "refused" },
    });
  const initial: Cake = {
    name: "x",
    bakingTime: 60,
    layers: 1,
    shape: "round",
    toppings: [],
    isVegan: false,
    secretRecipe: "",
    bakedAt: null,
  };
  const other: Cake = {
    name: "y",
    bakingTime: 90,
    layers: 3,
    shape: "square",
    toppings: ["nuts"],
    isVegan: true,
    secretRecipe: "butter",
    bakedAt: "noon",
  };

  it("have names for bodies, but for what no request sets", () => {
    assert.deepEqual(fields.names, [
      "name",
      "baking_time",
      "layers",
      "shape",
      "toppings",
      "is_vegan",
      "secret_recipe",
    ]);
  });

  it("are what they are initially when nothing is sent", () => {
    assert.deepEqual(fields.read(bodyOf({ name: "x" })), initial);
    assert.deepEqual(fields.with({ name: "x", layers: undefined }), initial);
    assert.deepEqual(fields.with({ name: "x", id: 5 }), { ...initial, id: 5 });
  });

  it("are what is sent, and else stay, unless they fall back", () => {
    const { bakedAt, ...sent } = other;
    const body = bodyOf({
      name: sent.name,
      baking_time: "90s",
      layers: sent.layers,
      shape: sent.shape,
      toppings: sent.toppings,
      is_vegan: sent.isVegan,
      secret_recipe: sent.secretRecipe,
    });
    assert.deepEqual(fields.read(body), { ...other, bakedAt: null });
    assert.deepEqual(fields.read(bodyOf({}), other), { ...other, layers: 1 });
    assert.deepEqual(fields.read(bodyOf({ is_vegan: false, toppings: "" }), other), {
      ...other,
      layers: 1,
      isVegan: false,
      toppings: [],
    });
  });

  for (const [values, refusal] of [
    [{}, "missing name"],
    [{ name: "" }, "missing name"],
    [{ name: "x", layers: 0 }, "layers must be positive"],
    [{ name: "x", shape: "oval" }, "no such shape"],
  ] as const) {
    it(`refuse ${JSON.stringify(values)}`, () => {
      assert.throws(() => fields.read(bodyOf(values)), { status: 400, message: refusal });
    });
  }

  it("are answered by the names of the wire, secrets not at all", () => {
    assert.deepEqual(fields.answer(other), {
      name: "y",
      time: 90,
      layers: 3,
      shape: "square",
      toppings: ["nuts"],
      is_vegan: true,
      baked_at: "noon",
    });
    assert.equal("baked_at" in fields.answer(initial), false);
  });
});
