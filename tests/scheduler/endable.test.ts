import assert from "node:assert/strict";
import { endable } from "../../sdk/scheduler/endable";

async function* waitFor(signal: AbortSignal): AsyncGenerator<number, void, undefined> {
  yield 1;
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
}

describe("endable", () => {
  it("starts when it is first asked", async () => {
    let started = 0;
    const items = endable(undefined, (signal) => {
      started += 1;
      return Promise.resolve(waitFor(signal));
    });
    assert.equal(started, 0);
    assert.deepEqual(await items.next(), { done: false, value: 1 });
    assert.equal(started, 1);
    await items.return?.();
  });

  it("ends while it waits, when it is left", async () => {
    const items = endable(undefined, (signal) => Promise.resolve(waitFor(signal)));
    await items.next();
    const next = items.next();
    assert.deepEqual(await items.return?.(), { done: true, value: undefined });
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("ends while it waits, when the caller's signal is aborted", async () => {
    const abort = new AbortController();
    const items = endable(abort.signal, (signal) => Promise.resolve(waitFor(signal)));
    await items.next();
    const next = items.next();
    abort.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("fails as its start does, and can be left then", async () => {
    const items = endable<number>(undefined, () => Promise.reject(new Error("no start")));
    await assert.rejects(items.next(), /no start/);
    assert.deepEqual(await items.return?.(), { done: true, value: undefined });
  });
});
