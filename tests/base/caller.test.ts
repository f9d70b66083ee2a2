import assert from "node:assert/strict";
import { type Caller, SharedWork } from "../../sdk/base/caller";
import { CancelledError } from "../../sdk/base/errors";

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

  const waitingFor = (promise: Promise<string>, ...waiters: readonly Waiter[]): Promise<string>[] =>
    waiters.map(({ caller }) => work.wait(caller, promise));
  const rejected = async (all: readonly Promise<string>[], error: RegExp | typeof CancelledError) => {
    for (const each of all) {
      await assert.rejects(each, error);
    }
  };

  it("gives all of them its value, or its failure", async () => {
    const both = waitingFor(value, first, second);
    finish("done");
    assert.deepEqual(await Promise.all(both), ["done", "done"]);
    await rejected(waitingFor(Promise.reject(new Error("refused")), first, second), /refused/);
    first.cancel();
    assert.equal(work.isCancelled, false);
  });

  it("continues for one if the other is cancelled", async () => {
    const cancelled = waitingFor(value, first);
    const other = waitingFor(value, second);
    first.cancel();
    await rejected(cancelled, CancelledError);
    assert.equal(work.caller.signal.aborted, false);
    finish("done");
    assert.deepEqual(await Promise.all(other), ["done"]);
  });

  it("is cancelled if all are, also if one waits twice", async () => {
    for (const count of [1, 2]) {
      work = new SharedWork();
      const waiters = [first, count === 1 ? first : second];
      const both = waitingFor(value, ...waiters);
      waiters.forEach((waiter) => waiter.cancel());
      await rejected(both, CancelledError);
      assert.deepEqual([work.isCancelled, work.caller.signal.aborted], [true, true]);
      [first, second] = [new Waiter(), new Waiter()];
    }
  });

  it("is cancelled with the last that waits, although others have got something of it", async () => {
    finish("done");
    await Promise.all(waitingFor(value, first));
    const rest = waitingFor(new Promise<string>(() => undefined), second);
    second.cancel();
    await rejected(rest, CancelledError);
    assert.equal(work.isCancelled, true);
  });

  it("refuses a caller that was cancelled before", async () => {
    first.cancel();
    await rejected(waitingFor(value, first), CancelledError);
  });

  it("shows its progress to all that wait, and announces to one of them", async () => {
    const cancelled = waitingFor(value, first);
    const other = waitingFor(value, second);
    work.caller.progress("page 1");
    work.caller.announce("warning", "deprecated");
    first.cancel();
    await rejected(cancelled, CancelledError);
    work.caller.progress("page 2");
    work.caller.announce("warning", "old");
    finish("done");
    await Promise.all(other);
    work.caller.announce("information", "after the end");
    assert.deepEqual(first.shown, ["page 1", "warning: deprecated"]);
    assert.deepEqual(second.shown, ["page 1", "page 2", "warning: old"]);
  });
});
