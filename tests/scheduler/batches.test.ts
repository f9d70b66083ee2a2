import assert from "node:assert/strict";
import { Batches } from "../../sdk/scheduler/follow";

describe("Batches", () => {
  async function* ofLists(...lists: readonly (readonly number[])[]) {
    for (const list of lists) {
      await Promise.resolve();
      yield list[Symbol.iterator]();
    }
  }

  it("hands out the items of all in their order", async () => {
    const items: number[] = [];
    for await (const item of new Batches(ofLists([1, 2], [], [3]))) {
      items.push(item);
    }
    assert.deepEqual(items, [1, 2, 3]);
  });

  it("answers calls that do not wait for each other in their order, and each item once", async () => {
    const batches = new Batches(ofLists([1, 2], [3]));
    const responses = await Promise.all(Array.from({ length: 5 }, () => batches.next()));
    assert.deepEqual(
      responses.map(({ done, value }) => (done === true ? "end" : value)),
      [1, 2, 3, "end", "end"],
    );
  });

  it("throws an error of an iterator where the generator has yielded it, after the items before", async () => {
    const seen: unknown[] = [];
    function* failing() {
      yield 1;
      throw new Error("broken");
    }
    async function* generator() {
      try {
        yield failing();
      } catch (error) {
        seen.push((error as Error).message);
      }
      await Promise.resolve();
      yield [2][Symbol.iterator]();
    }
    for await (const item of new Batches(generator())) {
      seen.push(item);
    }
    assert.deepEqual(seen, [1, "broken", 2]);
  });

  it("ends the generator when it is left, and yields no more", async () => {
    let ended = false;
    async function* generator() {
      try {
        await Promise.resolve();
        yield [1, 2][Symbol.iterator]();
      } finally {
        ended = true;
      }
    }
    const batches = new Batches(generator());
    assert.equal((await batches.next()).value, 1);
    await batches.return();
    assert.ok(ended);
    assert.deepEqual(await batches.next(), { done: true, value: undefined });
  });
});
