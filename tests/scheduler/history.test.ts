import assert from "node:assert/strict";
import type { Frame } from "../../sdk/scheduler/event";
import { readFrame } from "../../sdk/scheduler/decoder";
import { type Gap, History } from "../../sdk/scheduler/history";
import { wireEvent, wireFrame } from "./raw-scheduler";

function frame(index: number, ...events: readonly Readonly<Record<string, unknown>>[]): Frame {
  return readFrame(wireFrame(index, events.length === 0 ? undefined : events)) ?? assert.fail();
}

describe("History", () => {
  let history: History;
  const gaps: Gap[] = [];
  const begin = (index: number, sendsNewest = false): void => {
    history = new History(index, sendsNewest, (gap) => gaps.push(gap));
  };
  beforeEach(() => begin(0));

  /** What is new of a frame: the keys of its events, and the gap before it. */
  const news = (sent: Frame): readonly unknown[] => {
    const keys = history.note(sent)?.events.map(({ key }) => key) ?? [];
    return [...keys, ...gaps.splice(0)];
  };
  const resumeWith = (...sent: readonly Frame[]): readonly (readonly unknown[])[] => {
    history.reconnected(false);
    return sent.map(news);
  };

  it("the history passes a connection's frames, even several with one index", () => {
    const found = [frame(3), frame(3, wireEvent(3, { Key: "other" })), frame(5)].map(news);
    assert.deepEqual(found, [["n3"], ["other"], ["n5"]]);
    assert.equal(history.index, 5);
  });

  it("the history passes several events of one object that share an index but have different or incomparable payloads", () => {
    const again = wireEvent(3, { Payload: { Node: { ID: "n3", Status: "ready" } } });
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as unknown;
    const event = wireEvent(3, { Payload: deep });
    assert.deepEqual(news(frame(3, wireEvent(3), again)), ["n3", "n3"]);
    assert.deepEqual(news(frame(3, again)), ["n3"]);
    assert.deepEqual(news(frame(3, event, event)), ["n3", "n3"]);
    // The same event twice.
    assert.deepEqual(news(frame(3, wireEvent(3), wireEvent(4), wireEvent(3))), ["n3", "n4"]);
  });

  it("the history compares each of many events with one index once", () => {
    const events = Array.from({ length: 50_000 }, (_, index) => wireEvent(3, { Payload: { index } }));
    assert.equal(news(frame(3, ...events, ...events)).length, events.length);
  });

  it("the history after an interruption omits repeated events exactly as often as they were seen, and reports no gap", () => {
    [frame(3), frame(4), frame(5)].forEach(news);
    const other = wireEvent(5, { Payload: { Node: { ID: "n5", Status: "ready" } } });
    const key = (Key: string) => wireEvent(5, { Key });
    assert.deepEqual(resumeWith(frame(5)), [[]]);
    assert.deepEqual(resumeWith(frame(5, wireEvent(5), other)), [["n5"]]);
    assert.deepEqual(resumeWith(frame(5, wireEvent(5), other), frame(5, key("a"))), [[], ["a"]]);
    assert.deepEqual(resumeWith(frame(5, key("a"), key("b")), frame(5, key("c"))), [["b"], ["c"]]);
    // The scheduler itself might not have come that far.
    assert.deepEqual(resumeWith(frame(4), frame(5), frame(6)), [[], [], ["n6"]]);
  });

  for (const member of ["Topic", "Type", "Key", "Namespace"]) {
    it(`the history after an interruption distinguishes events by their ${member}`, () => {
      news(frame(5));
      assert.equal(resumeWith(frame(5, wireEvent(5, { [member]: "Another" })))[0]?.length, 1);
    });
  }

  it("the history after an interruption reports a possible gap when the first index is larger than the last", () => {
    news(frame(5));
    assert.deepEqual(resumeWith(frame(7), frame(9)), [["n7", { after: 5, next: 7 }], ["n9"]]);
  });

  it("the history after an interruption reports a possible gap when a scheduler counts from the beginning again, and continues from there", () => {
    news(frame(500));
    assert.deepEqual(resumeWith(frame(2), frame(3)), [["n2", { after: 500, next: 2 }], ["n3"]]);
    assert.equal(history.index, 3);
  });

  it("the history after an interruption reports a possible gap before the next event when the scheduler has dropped events", () => {
    history.reconnected(true);
    assert.deepEqual([frame(5), frame(7)].map(news), [["n5", { after: 0, next: 5 }], ["n7"]]);
    history.reconnected(true);
    assert.deepEqual(resumeWith(frame(7), frame(9), frame(10)), [[], ["n9", { after: 7, next: 9 }], ["n10"]]);
  });

  it("the history after an interruption does not report a gap if nothing has been seen before", () =>
    assert.deepEqual(resumeWith(frame(7)), [["n7"]]));

  describe("from an index on", () => {
    beforeEach(() => begin(5));

    it("the history from an index begins with the event of that index", () => {
      assert.equal(history.index, 5);
      assert.deepEqual([frame(5), frame(6)].map(news), [["n5"], ["n6"]]);
    });

    it("the history from an index reports a possible gap when the scheduler no longer has that index", () =>
      assert.deepEqual(news(frame(9)), ["n9", { after: 5, next: 9 }]));

    it("the history from an index delivers the next available event when the scheduler counts again, and reports a gap", () =>
      assert.deepEqual([frame(1), frame(2)].map(news), [["n1", { after: 5, next: 1 }], ["n2"]]));

    it("the history from an index omits the newest event that a product sends before it reaches the index, and reports a gap", () => {
      begin(5, true);
      assert.deepEqual([frame(3), frame(6)].map(news), [[{ after: 5, next: 3 }], ["n6"]]);
    });

    it("the history from an index also omits that newest event after an interruption, and continues with a possible gap", () => {
      begin(5, true);
      news(frame(3));
      assert.equal(history.index, 3);
      assert.deepEqual(resumeWith(frame(3), frame(6)), [[], ["n6"]]);
      begin(5, true);
      news(frame(3));
      assert.deepEqual(resumeWith(frame(6)), [["n6", { after: 3, next: 6 }]]);
    });
  });

  it("the history remembers at least the latest thousand events, and all of the last index", () => {
    for (let index = 1; index <= 5000; index++) {
      news(frame(index));
    }
    const many = Array.from({ length: 3000 }, (_, number) => wireEvent(5001, { Key: `k${number}` }));
    news(frame(5001, ...many));
    history.reconnected(false);
    for (let index = 4001; index <= 5000; index++) {
      assert.deepEqual(news(frame(index)), []);
    }
    assert.deepEqual(news(frame(5001, ...many)), []);
  });

  it("the history forgets events that are older than the latest thousand", () => {
    for (let index = 1; index <= 100_000; index++) {
      news(frame(index));
    }
    const held = Object.values(history as unknown as Record<string, unknown>).filter(Array.isArray);
    assert.ok(held.length > 0);
    // Of each event five members.
    assert.ok(held.every((list) => list.length <= 5 * 2048));
  });
});
