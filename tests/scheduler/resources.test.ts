import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { events } from "../../sdk/scheduler";
import { startServer, stopServers } from "../http/server";
import { frameLine, type RawRequest, startRawScheduler, wireEvent } from "./raw-scheduler";

/** Writes one text after the other, no faster than they are taken. */
function writeAll({ begin, socket }: RawRequest, texts: Iterator<string>): void {
  begin();
  const go = (): void => {
    for (let next = texts.next(); next.done !== true; next = texts.next()) {
      if (!socket.write(next.value)) {
        socket.once("drain", go);
        return;
      }
    }
  };
  go();
}

describe("the memory use of following events", () => {
  afterEach(stopServers);

  it("a million events do not increase memory use", async function () {
    this.timeout(180_000);
    const count = 1_000_000;
    function* stream(): Generator<string> {
      // As many lines as make it worth a write; every third frame holds two events.
      for (let index = 1, sent = 0; sent < count;) {
        let lines = "";
        for (let frame = 0; frame < 200; frame++, index++) {
          const keys = index % 3 === 0 ? ["a", "b"] : ["a"];
          sent += keys.length;
          lines += frameLine(
            index,
            keys.map((Key) => wireEvent(index, { Key: `${Key}${index}` })),
          );
        }
        yield lines;
      }
    }
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const { address } = await startRawScheduler((request) => writeAll(request, stream()));
    let [read, first] = [0, 0];
    for await (const { key } of events({ address, token: "canary-token" })) {
      assert.notEqual(key, "");
      read += 1;
      if (read === count / 10) {
        first = used();
      } else if (read === count) {
        break;
      }
    }
    // To keep as little as ten bytes of each event would show.
    const growth = used() - first;
    assert.ok(growth < 9_000_000, `grew by ${growth} bytes`);
  });

  it("a slow consumer slows the scheduler down", async function () {
    this.timeout(120_000);
    const frames = 2000;
    const payload = { Node: { Name: "x".repeat(64 * 1024) } };
    let written = 0;
    function* lines(): Generator<string> {
      for (written = 1; written <= frames; written++) {
        yield frameLine(written, [wireEvent(written, { Payload: payload })]);
      }
    }
    const server = await startRawScheduler((request) => writeAll(request, lines()));
    const prober = await startServer((response) => response.end());
    const stream = events({ address: server.address, token: "canary-token" });
    await stream.next();
    // Until nothing moves any more, however many turns the event loop is given.
    for (let before = -1; before !== written;) {
      before = written;
      for (let turn = 0; turn < 50; turn++) {
        await (await fetch(prober.address)).arrayBuffer();
      }
    }
    assert.ok(written < frames / 2, `${written} of ${frames} frames were taken`);
    for (let expected = 2; expected <= frames; expected++) {
      assert.equal((await stream.next()).value?.index, expected);
    }
    await stream.return?.();
  });
});
