import assert from "node:assert/strict";
import { CancelledError } from "../../sdk/base/errors";
import { type Caller, SharedWork } from "../../sdk/base/caller";

/** Somebody who waits, and notes what is shown. */
class Waiter {
  readonly shown: string[] = [];
  private readonly controller = new AbortController();
  readonly caller: Caller = {
    signal: this.controller.signal,
    progress: (message) => this.shown.push(message),
    announce: (kind, message) => this.shown.push(`${kind}: ${message}`),
  };

  cancel(): void {
    this.controller.abort();
  }
}

describe("work that several callers wait for", () => {
  let work: SharedWork;
  let first: Waiter;
  let second: Waiter;
  let finish: (value: string) => void;
  let value: Promise<string>;

  beforeEach(() => {
    work = new SharedWork();
    [first, second] = [new Waiter(), new Waiter()];
    value = new Promise((resolve) => (finish = resolve));
  });

  it("brings all of them its value", async () => {
    const both = [work.wait(first.caller, value), work.wait(second.caller, value)];
    finish("done");
    assert.deepEqual(await Promise.all(both), ["done", "done"]);
    assert.equal(work.isCancelled, false);
  });

  it("fails for all of them", async () => {
    const failing = Promise.reject(new Error("refused"));
    const both = [work.wait(first.caller, failing), work.wait(second.caller, failing)];
    for (const one of both) {
      await assert.rejects(one, /refused/);
    }
  });

  it("goes on for one when the other is cancelled", async () => {
    const cancelled = work.wait(first.caller, value);
    const other = work.wait(second.caller, value);
    first.cancel();
    await assert.rejects(cancelled, CancelledError);
    assert.equal(work.caller.signal.aborted, false);
    finish("done");
    assert.equal(await other, "done");
  });

  it("is cancelled when both are", async () => {
    const both = [work.wait(first.caller, value), work.wait(second.caller, value)];
    first.cancel();
    second.cancel();
    for (const one of both) {
      await assert.rejects(one, CancelledError);
    }
    assert.deepEqual([work.isCancelled, work.caller.signal.aborted], [true, true]);
  });

  it("is cancelled when one is who waits for it twice", async () => {
    const both = [work.wait(first.caller, value), work.wait(first.caller, value)];
    first.cancel();
    for (const one of both) {
      await assert.rejects(one, CancelledError);
    }
    assert.equal(work.isCancelled, true);
  });

  it("is not cancelled by somebody who has what was waited for", async () => {
    finish("done");
    await work.wait(first.caller, value);
    first.cancel();
    assert.equal(work.isCancelled, false);
  });

  it("is cancelled when the last who waits is, although others have got something of it", async () => {
    finish("done");
    await work.wait(first.caller, value);
    const rest = work.wait(second.caller, new Promise<string>(() => undefined));
    second.cancel();
    await assert.rejects(rest, CancelledError);
    assert.equal(work.isCancelled, true);
  });

  it("refuses somebody who was cancelled before", async () => {
    first.cancel();
    await assert.rejects(work.wait(first.caller, value), CancelledError);
  });

  it("shows its progress to all who wait, and announces to one of them", async () => {
    const waiting = [work.wait(first.caller, value), work.wait(second.caller, value)];
    work.caller.progress("page 1");
    work.caller.announce("warning", "deprecated");
    first.cancel();
    await assert.rejects(waiting[0] ?? Promise.resolve(), CancelledError);
    work.caller.progress("page 2");
    work.caller.announce("warning", "old");
    finish("done");
    await waiting[1];
    work.caller.announce("information", "nobody listens");
    assert.deepEqual(first.shown, ["page 1", "warning: deprecated"]);
    assert.deepEqual(second.shown, ["page 1", "page 2", "warning: old"]);
  });
});
