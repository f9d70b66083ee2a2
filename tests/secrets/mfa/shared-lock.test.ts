import assert from "node:assert/strict";
import { SharedLock } from "../../../sdk/secrets/mfa/unnamed-creations";

describe("SharedLock", () => {
  /** Work of both kinds that ends when it is told to. */
  function workshop() {
    const lock = new SharedLock();
    const begun: string[] = [];
    const start = (kind: "shared" | "exclusive", name: string) => {
      let end = (): void => undefined;
      let fail = (): void => undefined;
      const ended = new Promise<void>((resolve, reject) => {
        end = resolve;
        fail = () => reject(new Error(name));
      });
      const result = lock[kind](async () => {
        begun.push(name);
        await ended;
        return name;
      });
      return { result, end, fail };
    };
    return { begun, start };
  }
  /** Lets everything that can begin do so. */
  const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("lets shared work run side by side", async () => {
    const { begun, start } = workshop();
    const works = [start("shared", "a"), start("shared", "b")];
    await soon();
    assert.deepEqual(begun, ["a", "b"]);
    works.forEach(({ end }) => end());
    assert.deepEqual(await Promise.all(works.map(({ result }) => result)), ["a", "b"]);
  });

  it("lets exclusive work begin when all before it has ended, and what comes later wait for it", async () => {
    const { begun, start } = workshop();
    const [a, b] = [start("shared", "a"), start("shared", "b")];
    const alone = start("exclusive", "alone");
    const later = start("shared", "later");
    const last = start("exclusive", "last");
    a.end();
    await soon();
    assert.deepEqual(begun, ["a", "b"]);
    b.end();
    await soon();
    assert.deepEqual(begun, ["a", "b", "alone"]);
    alone.end();
    await soon();
    assert.deepEqual(begun, ["a", "b", "alone", "later"]);
    later.end();
    last.end();
    assert.equal(await last.result, "last");
  });

  it("goes on after work that failed, which its own caller hears of", async () => {
    const { start } = workshop();
    const [shared, exclusive, next] = [start("shared", "a"), start("exclusive", "b"), start("shared", "c")];
    shared.fail();
    exclusive.fail();
    next.end();
    await assert.rejects(shared.result, { message: "a" });
    await assert.rejects(exclusive.result, { message: "b" });
    assert.equal(await next.result, "c");
  });
});
