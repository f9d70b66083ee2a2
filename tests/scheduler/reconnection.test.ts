import assert from "node:assert/strict";
import {
  ConfigurationError,
  ConnectionError,
  ContractError,
  requestTimedOut,
  ServiceError,
  TriviumError,
} from "../../sdk/base/errors";
import { TooLongFrame } from "../../sdk/scheduler/decoder";
import { type ConnectionEnd, Reconnections } from "../../sdk/scheduler/reconnections";
import type { Silence } from "../../sdk/scheduler/refusal";

const request = { summary: "follow events", method: "GET", url: "http://127.0.0.1:9/v1/event/stream" };
const lost = new ConnectionError({ request, code: "ECONNREFUSED", problem: "nothing listens" });
const status = (code: number, words: readonly string[] = [], headers = {}): ServiceError =>
  new ServiceError({ request, status: code, messages: words, headers });

const nothing = { events: false, objects: false };
const old = { events: false, objects: true };
const ended: ConnectionEnd = {
  stream: { isAlive: true, isIdle: false },
  brought: { events: true, objects: true },
  text: undefined,
  openMilliseconds: 0,
  error: undefined,
};
const refusal = new TriviumError("refused in silence");
const unlikely: Silence = { meaning: "unlikely", error: refusal };
const closed: ConnectionEnd = { ...ended, stream: { isAlive: false, isIdle: false }, brought: nothing };
const silent: ConnectionEnd = { ...closed, silence: unlikely };
const idle: ConnectionEnd = { ...closed, stream: { isAlive: false, isIdle: true } };
const failed = (error: unknown): ConnectionEnd => ({ ...closed, stream: undefined, error });

describe("Reconnections", () => {
  let reconnections: Reconnections;
  let now = 0;
  const create = (random = 0): Reconnections =>
    new Reconnections(2, { now: () => now, random: () => random, date: () => 0 });
  beforeEach(() => {
    now = 0;
    reconnections = create();
  });

  const certificate = { request, code: "CERT_HAS_EXPIRED", problem: "it has expired", permanent: true };
  const invalid = new ContractError({ request: "GET /", problem: "no frames" });
  const refusals: readonly [string, unknown][] = [
    ["401", status(401)],
    ["403", status(403)],
    ["a 500 that reports a denied permission", status(500, ["Permission denied"])],
    ["a token file that cannot be read", new ConfigurationError("no token")],
    ["a login that does not return a token", new TriviumError("no identity")],
  ];
  const strange: readonly [string, unknown][] = [
    ...[302, 400, 404, 405].map((code): [string, unknown] => [String(code), status(code)]),
    ["a response that is not as documented", invalid],
    ["a certificate that has expired", new ConnectionError(certificate)],
  ];
  const throws = (end: ConnectionEnd, error: unknown = end.error): void =>
    assert.throws(
      () => reconnections.after(end),
      (thrown) => thrown === error,
    );

  /** @returns the delays after so many of these ends */
  const delaysAfter = (end: ConnectionEnd, count: number): number[] =>
    Array.from({ length: count }, () => reconnections.after(end).delayMilliseconds);

  for (const [title, error] of refusals) {
    it(`the reconnection gives up a first connection at once after ${title}, and an established stream if that repeats for a few seconds`, () => {
      throws(failed(error));
      // The stream lived in between, or the scheduler was away.
      for (const between of [ended, ended, failed(lost)]) {
        reconnections.after(between);
        assert.match(reconnections.after(failed(error)).reason, /403|401|500|token|identity/);
        now += 10_000;
      }
      reconnections.after(ended);
      for (const start = now; now < start + 5_000; now += 500) {
        reconnections.after(failed(error));
      }
      throws(failed(error));
    });
  }

  for (const [title, error] of strange) {
    it(`the reconnection gives up a first connection at once after ${title}, and always resumes an established stream`, () => {
      throws(failed(error));
      reconnections.after(ended);
      for (let attempt = 0; attempt < 100; attempt++, now += 10_000) {
        reconnections.after(failed(error));
      }
    });
  }

  it("the reconnection gives up on an invalid frame that is repeated without new frames before it", () => {
    const broken = { ...ended, brought: old, error: invalid };
    for (const end of [broken, { ...broken, brought: ended.brought }, ended, broken]) {
      reconnections.after(end);
    }
    throws(broken);
  });

  for (const [title, error] of [
    ["a frame longer than the caller allows", new TooLongFrame({ request: "GET /", problem: "too long" })],
    ["an error in a callback", new RangeError("out of range")],
  ] as const) {
    it(`the reconnection gives up an established stream at once after ${title}`, () => {
      reconnections.after(ended);
      throws({ ...ended, error });
    });
  }

  it("the reconnection treats a text instead of a frame as the reason for the end, and a page as a dead connection", () => {
    reconnections.after(ended);
    const closed = reconnections.after({ ...ended, text: "subscription closed by server\n" });
    assert.deepEqual(closed, { reason: "subscription closed by server", delayMilliseconds: 50 });
    const page = { ...ended, brought: nothing, text: "<html><h1>Sign in</h1></html>" };
    assert.deepEqual(delaysAfter(page, 3), [50, 100, 200]);
    assert.match(reconnections.after(page).reason, /Sign in/);
  });

  const worthwhile: readonly [string, unknown][] = [
    ["a connection that could not be opened", lost],
    ["a time-out", requestTimedOut({ request, phase: "connect", timeoutMilliseconds: 30_000 })],
    ...[408, 425, 429, 500, 502, 503, 504].map((code): [string, unknown] => [String(code), status(code)]),
  ];
  for (const [title, error] of worthwhile) {
    it(`the reconnection retries after ${title}: as often as allowed, or forever once there has been a connection`, () => {
      delaysAfter(failed(error), 2);
      throws(failed(error));
      reconnections = create();
      reconnections.after(ended);
      assert.equal(delaysAfter(failed(error), 101).at(-1), 15_000);
    });
  }

  it("the reconnection keeps trying a scheduler that has not begun to respond, because it might do so with its first event", () => {
    const withoutResponse = requestTimedOut({ request, phase: "headers", timeoutMilliseconds: 30_000 });
    const delays = delaysAfter(failed(withoutResponse), 20);
    assert.ok(Math.max(...delays) <= 200, delays.join());
  });

  it("the reconnection treats five connections in a row that end within seconds without a byte as a refusal", () => {
    delaysAfter(silent, 4);
    throws(silent, refusal);
    reconnections = create();
    const delays = delaysAfter({ ...closed, openMilliseconds: 5_001 }, 20);
    assert.ok(Math.max(...delays) <= 200, delays.join());
  });

  const idleIn = (meaning: Silence["meaning"]): ConnectionEnd => ({
    ...idle,
    openMilliseconds: 10_000,
    silence: { meaning, error: refusal },
  });
  for (const [meaning, end, connections] of [
    ["refused", silent, 1],
    ["refused", idle, 1],
    ["likely", silent, 2],
    ["likely", idle, 1],
    ["unlikely", idle, 5],
  ] as const) {
    it(`the reconnection gives up after ${connections} connections ${end === idle ? "that stay open" : "that end"} in a silence that is ${meaning === "refused" ? meaning : `${meaning} a refusal`}`, () => {
      const silence = { ...idleIn(meaning), stream: end.stream };
      if (connections > 1) {
        delaysAfter(silence, connections - 1);
      }
      throws(silence, refusal);
      reconnections = create();
      reconnections.after(ended);
      for (now = 0; now < 5_000; now += 1_000) {
        reconnections.after(silence);
      }
      delaysAfter({ ...silence, silence: undefined }, 1);
    });
  }

  it("the reconnection treats connections without a byte as a refusal of an established stream only after a few seconds, because a restarted scheduler might replay its log", () => {
    reconnections.after(ended);
    for (now = 0; now < 5_000; now += 500) {
      reconnections.after(silent);
    }
    throws(silent, refusal);
  });

  for (const [title, step] of [
    ["stands still", 0],
    ["goes back", -3_600_000],
  ] as const) {
    it(`the reconnection gives up a refused stream after a few seconds of waits even if the clock ${title}`, () => {
      reconnections.after(ended);
      const waits: number[] = [];
      assert.throws(() => {
        for (; waits.length < 20; now += step) {
          waits.push(reconnections.after(silent).delayMilliseconds);
        }
      }, refusal);
      const waited = waits.reduce((sum, each) => sum + each, 0);
      assert.ok(waits.length > 3 && waited >= 5_000 && waited < 15_000, waits.join());
    });
  }

  it("the reconnection does not treat short connections as a refusal if a byte arrived in between, or if they were abandoned as idle", () => {
    for (let round = 1; round < 5; round++) {
      delaysAfter(silent, 3);
      reconnections.after({ ...ended, brought: old });
    }
    delaysAfter(idle, 20);
  });

  it("the reconnection describes each interruption by its cause", () => {
    assert.equal(reconnections.after(ended).reason, "the connection to the scheduler ended");
    assert.match(reconnections.after(silent).reason, /without a response/);
    const idleAfterEvents = { ...ended, stream: { isAlive: true, isIdle: true } };
    for (const end of [idle, idleAfterEvents]) {
      assert.match(reconnections.after(end).reason, /sent nothing for too long/);
    }
    assert.match(reconnections.after(failed(lost)).reason, /nothing listens/);
  });

  const delays = (ends: readonly ConnectionEnd[], random = 0): number[] => {
    reconnections = create(random);
    reconnections.after(ended);
    return ends.map((end) => reconnections.after(end).delayMilliseconds);
  };
  const alive = { ...ended, brought: old };
  const dead = failed(lost);

  it("the reconnection doubles the delay while connections bring no events, up to 30 seconds with jitter", () => {
    const found = delays(Array<ConnectionEnd>(11).fill(dead));
    assert.deepEqual(found, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
    assert.deepEqual(delays(Array<ConnectionEnd>(3).fill(dead), 0.999_999), [100, 200, 400]);
    assert.deepEqual(delays([dead, dead, dead, ended, dead]), [50, 100, 200, 50, 50]);
  });

  it("the reconnection waits for the time that the scheduler requests, or for its own delay if that is longer", () => {
    const asked = (code: number) => failed(status(code, [], { "retry-after": "7" }));
    assert.deepEqual(delays([asked(429), asked(500), asked(503)]), [7000, 7000, 7000]);
    assert.deepEqual(delays([asked(429)], 0.5), [7500]);
    assert.equal(delays([...Array<ConnectionEnd>(10).fill(dead), asked(429)]).at(-1), 15_000);
    const later = failed(status(429, [], { "x-ratelimit-reset": "7" }));
    assert.deepEqual(delays([asked(501), later]), [50, 100]);
  });

  it("the reconnection increases the delay slowly while connections are live but without events", () => {
    const each = delays(Array<ConnectionEnd>(250).fill(alive));
    assert.deepEqual([each[0], each[15], each[30], each[50], each.at(-1)], [50, 50, 100, 200, 15_000]);
  });
});
