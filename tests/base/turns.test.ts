import assert from "node:assert/strict";
import { Turns } from "../../sdk/base/turns";

describe("Turns", () => {
  let turns: Turns;
  let notes: string[];
  beforeEach(() => {
    turns = new Turns();
    notes = [];
  });

  /** Work that ends when the test says so. */
  function start(key: string, name: string, failure?: Error) {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const result = turns.run(key, async () => {
      notes.push(`${name} begins`);
      await ended;
      if (failure !== undefined) {
        throw failure;
      }
      notes.push(`${name} ends`);
      return name;
    });
    return { result, end };
  }

  it("run work with the same key in order, also after a failure, which its own caller gets", async () => {
    const failing = start("mount", "one", new Error("one failed"));
    const [two, three] = [start("mount", "two"), start("mount", "three")];
    [three, two, failing].forEach(({ end }) => end());
    await assert.rejects(failing.result, /one failed/);
    assert.deepEqual([await two.result, await three.result], ["two", "three"]);
    assert.deepEqual(notes, ["one begins", "two begins", "two ends", "three begins", "three ends"]);
  });

  it("run work with another key at once", async () => {
    const waiting = start("mount", "one");
    const other = start("another mount", "two");
    other.end();
    assert.equal(await other.result, "two");
    assert.deepEqual(notes, ["one begins", "two begins", "two ends"]);
    waiting.end();
    await waiting.result;
  });
});
