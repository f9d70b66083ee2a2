import assert from "node:assert/strict";
import { type Caller, SharedWork } from "../../sdk/base/caller";
import { CancelledError } from "../../sdk/base/errors";

const waiterOf = (controller: AbortController, shown: string[] = []) => ({
  shown,
  signal: controller.signal,
  progress: (message: string): void => void shown.push(message),
  cancel: () => controller.abort(),
});
type Waiter = ReturnType<typeof waiterOf>;

describe("work that several callers wait for", () => {
  let work: SharedWork<string>;
  let caller: Pick<Caller, "signal" | "progress">;
  let first: Waiter;
  let second: Waiter;
  let finish: (value: string) => void;
  let fail: (error: Error) => void;

  beforeEach(() => {
    [first, second] = [waiterOf(new AbortController()), waiterOf(new AbortController())];
    work = new SharedWork((given) => {
      caller = given;
      return new Promise((resolve, reject) => {
        [finish, fail] = [resolve, reject];
      });
    });
  });

  const waitingFor = (...waiters: readonly Waiter[]) => waiters.map((waiter) => work.wait(waiter));
  const rejected = async (all: readonly Promise<string>[], error: RegExp | typeof CancelledError) => {
    for (const each of all) {
      await assert.rejects(each, error);
    }
  };

  it("shared work returns its value to all callers, including one that cannot be canceled", async () => {
    const all = [...waitingFor(first, second), work.wait({})];
    caller.progress("page 1");
    assert.equal(work.hasEnded, false);
    finish("done");
    assert.deepEqual(await Promise.all(all), ["done", "done", "done"]);
    assert.equal(work.hasEnded, true);
  });

  it("shared work returns its failure to all callers", async () => {
    const both = waitingFor(first, second);
    fail(new Error("refused"));
    await rejected(both, /refused/);
    assert.equal(work.hasEnded, true);
  });

  it("shared work continues for one caller if the other is canceled, and shows its progress to callers that wait", async () => {
    const cancelled = waitingFor(first);
    const other = waitingFor(second);
    caller.progress("page 1");
    first.cancel();
    await rejected(cancelled, CancelledError);
    assert.equal(caller.signal.aborted, false);
    caller.progress("page 2");
    finish("done");
    assert.deepEqual(await Promise.all(other), ["done"]);
    caller.progress("after the end");
    assert.deepEqual([first.shown, second.shown], [["page 1"], ["page 1", "page 2"]]);
  });

  for (const [who, waiters] of [
    ["one", () => [first]],
    ["two", () => [first, second]],
    ["one that waits twice", () => [first, first]],
  ] as const) {
    it(`shared work is canceled if all its callers are, and rejects callers afterwards: ${who}`, async () => {
      const all = waitingFor(...waiters());
      waiters().forEach((waiter) => waiter.cancel());
      await rejected(all, CancelledError);
      assert.deepEqual([work.hasEnded, caller.signal.aborted], [true, true]);
      await rejected(waitingFor(first), CancelledError);
    });
  }
});
