import assert from "node:assert/strict";
import { mock } from "node:test";
import type { AnswerStream } from "../../sdk/http/transport";
import { WatchedStream } from "../../sdk/scheduler/watched-stream";

const chunk = new Uint8Array([1]);

/** A stream that gives a chunk whenever it is told to. */
function playedStream(): AnswerStream & { readonly give: () => void; readonly isClosed: () => boolean } {
  let wake = (): void => undefined;
  let closed = false;
  let chunks = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (chunks === 0 && !closed) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (closed) {
        return;
      }
      chunks -= 1;
      yield chunk;
    }
  }
  return {
    status: 200,
    headers: {},
    body: body(),
    close() {
      closed = true;
      wake();
    },
    give() {
      chunks += 1;
      wake();
    },
    isClosed: () => closed,
  };
}

describe("WatchedStream", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("gives what comes, as long as it comes in time", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    for (let count = 0; count < 5; count++) {
      const reading = watched.read();
      mock.timers.tick(999);
      stream.give();
      assert.equal(await reading, chunk);
    }
    assert.deepEqual([watched.isAlive, watched.isIdle, stream.isClosed()], [true, false, false]);
  });

  it("closes the stream when nothing comes in time", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    const reading = watched.read();
    mock.timers.tick(1000);
    assert.equal(await reading, undefined);
    assert.deepEqual([watched.isAlive, watched.isIdle, stream.isClosed()], [false, true, true]);
  });

  it("does not take the slowness of its reader for silence", async () => {
    const stream = playedStream();
    const watched = new WatchedStream(stream, 1000);
    stream.give();
    await watched.read();
    mock.timers.tick(100_000);
    const reading = watched.read();
    stream.give();
    assert.equal(await reading, chunk);
    assert.deepEqual([watched.isIdle, stream.isClosed()], [false, false]);
  });
});
