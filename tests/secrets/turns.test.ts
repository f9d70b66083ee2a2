import assert from "node:assert/strict";
import { Turns } from "../../sdk/base/turns";

describe("Turns", () => {
  /** Work that ends when it is told to, and notes what happens. */
  function workshop() {
    const turns = new Turns();
    const notes: string[] = [];
    const start = (key: string, name: string, fail = false) => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const result = turns.run(key, async () => {
        notes.push(`${name} begins`);
        await ended;
        if (fail) {
          throw new Error(`${name} failed`);
        }
        notes.push(`${name} ends`);
        return name;
      });
      return { result, end };
    };
    return { notes, start };
  }

  it("come one after the other for one key, in order", async () => {
    const { notes, start } = workshop();
    const works = ["one", "two", "three"].map((name) => start("mount", name));
    works.toReversed().forEach(({ end }) => end());
    assert.deepEqual(await Promise.all(works.map(({ result }) => result)), ["one", "two", "three"]);
    assert.deepEqual(
      notes,
      ["one", "two", "three"].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it("do not wait for those of another key", async () => {
    const { notes, start } = workshop();
    const waiting = start("mount", "one");
    const other = start("another mount", "two");
    other.end();
    assert.equal(await other.result, "two");
    assert.deepEqual(notes, ["one begins", "two begins", "two ends"]);
    waiting.end();
    await waiting.result;
  });

  it("go on after one that failed, which its own caller hears of", async () => {
    const { start } = workshop();
    const failing = start("mount", "one", true);
    const next = start("mount", "two");
    failing.end();
    next.end();
    await assert.rejects(failing.result, /one failed/);
    assert.equal(await next.result, "two");
  });
});
