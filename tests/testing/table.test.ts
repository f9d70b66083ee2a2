import assert from "node:assert/strict";
import { Table } from "../../sdk/testing/table";

interface Fruit {
  readonly name: string;
  readonly colour: string;
}

describe("a table of records", () => {
  let fruits: Table<Fruit>;
  beforeEach(() => {
    fruits = new Table("fruit", ({ name }) => name);
    fruits.set({ name: "plum", colour: "blue" });
    fruits.set({ name: "apple", colour: "red" });
  });
  const names = (): string[] => fruits.all().map(({ name }) => name);

  it("replaces what has the same key, unless told otherwise", () => {
    fruits.set({ name: "plum", colour: "yellow" });
    assert.deepEqual([names(), fruits.find("plum")?.colour], [["plum", "apple"], "yellow"]);
    assert.throws(() => fruits.add({ name: "plum", colour: "green" }), /already has the fruit "plum"/);
    assert.equal(fruits.add({ name: "fig", colour: "green" }).colour, "green");
  });

  it("changes what is given, and gives a copy away", () => {
    const changed = fruits.change("plum", { colour: "green" });
    assert.deepEqual(changed, { name: "plum", colour: "green" });
    assert.deepEqual(fruits.find("plum"), changed);
    assert.notEqual(fruits.find("plum"), changed);
    assert.throws(() => fruits.change("fig", {}), /no fruit "fig"/);
  });

  it("finds, and says what it does not have", () => {
    assert.equal(fruits.known("apple"), fruits.find("apple"));
    assert.equal(fruits.find("constructor"), undefined);
    assert.throws(() => fruits.known("fig"), /no fruit "fig"/);
    assert.throws(() => fruits.remove("fig"), /no fruit "fig"/);
  });

  it("lists as they came, and by key", () => {
    assert.deepEqual(
      [names(), fruits.keys(), fruits.sorted().map(({ name }) => name)],
      [
        ["plum", "apple"],
        ["apple", "plum"],
        ["apple", "plum"],
      ],
    );
  });

  it("removes one, some and all", () => {
    fruits.set({ name: "cherry", colour: "red" });
    fruits.deleteWhere(({ colour }) => colour === "red");
    assert.deepEqual(names(), ["plum"]);
    assert.deepEqual([fruits.delete("plum"), fruits.delete("plum")], [true, false]);
    fruits.set({ name: "fig", colour: "green" });
    fruits.remove("fig");
    assert.deepEqual(names(), []);
    fruits.set({ name: "fig", colour: "green" });
    fruits.clear();
    assert.deepEqual(names(), []);
  });
});
