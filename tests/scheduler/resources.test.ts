import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { events } from "../../sdk/scheduler";
import { startServer, stopServers } from "../http/server";
import { repository } from "../support/packed-library";
import { frameLine, startRawScheduler, wireEvent } from "./raw-scheduler";

/** Writes one text after the other, no faster than they are taken. */
function writeAll(socket: Socket, texts: Iterator<string>): void {
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

describe("following events uses no more memory than it needs:", () => {
  afterEach(stopServers);

  it("a million events leave the memory as it was", async function () {
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
    const server = await startRawScheduler((request) => {
      request.begin();
      writeAll(request.socket, stream());
    });
    const script = join(__dirname, "children", "read-many.ts");
    const child = spawn(process.execPath, ["--expose-gc", "--require", "ts-node/register", script], {
      cwd: repository,
      env: {
        ...process.env,
        ...{ SCHEDULER_ADDR: server.address, SCHEDULER_TOKEN: "canary-token", EVENT_COUNT: String(count) },
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    assert.deepEqual(await once(child, "close"), [0, null]);
    const { read, first, last } = JSON.parse(output) as Record<string, number>;
    assert.equal(read, count);
    // To keep as little as ten bytes of each event would show.
    assert.ok((last ?? 0) - (first ?? 0) < 9_000_000, `grew from ${first} to ${last} bytes`);
  });

  it("a slow consumer holds the scheduler back", async function () {
    this.timeout(120_000);
    const frames = 2000;
    const payload = { Node: { Name: "x".repeat(64 * 1024) } };
    let written = 0;
    const server = await startRawScheduler((request) => {
      request.begin();
      const lines = (function* (): Generator<string> {
        for (let index = 1; index <= frames; index++) {
          written = index;
          yield frameLine(index, [wireEvent(index, { Payload: payload })]);
        }
      })();
      writeAll(request.socket, lines);
    });
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
