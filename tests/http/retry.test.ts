import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decideRetry,
  type Failure,
  longestWait,
  patienceWithStrangers,
  rateLimitFactor,
  type RetryContext,
} from "../../sdk/http/retry";

const now = Date.parse("2026-03-01T12:00:00Z");

function decide(
  failure: Failure | number,
  change: Partial<RetryContext> = {},
): ReturnType<typeof decideRetry> {
  return decideRetry({
    idempotent: true,
    pureRead: false,
    sent: true,
    failure: typeof failure === "number" ? { kind: "status", status: failure } : failure,
    headers: {},
    retries: { rateLimited: 0, other: 0 },
    maxRetries: 5,
    everReached: true,
    waitedMilliseconds: 0,
    random: 0,
    now,
    ...change,
  });
}

function retryOf(
  ...parameters: Parameters<typeof decide>
): Extract<ReturnType<typeof decide>, { retry: true }> {
  const decision = decide(...parameters);
  assert.ok(decision.retry);
  return decision;
}

const connection: Failure = { kind: "connection" };
const unreachable: Failure = { kind: "connection", unreachable: true };
const timeout: Failure = { kind: "timeout" };
const wait = { "retry-after": "1" };

describe("a retry", () => {
  // Columns: pure read, idempotent write, other call sent, other call not sent.
  const table: readonly (readonly [Failure | number, Record<string, string>, ...boolean[]])[] = [
    [connection, {}, true, true, false, true],
    [timeout, {}, true, true, false, true],
    [{ kind: "permanent" }, {}, false, false, false, false],
    ...[301, 400, 401, 403, 404, 409, 422, 501].map(
      (status) => [status, {}, false, false, false, false] as const,
    ),
    [400, wait, false, false, false, false],
    ...[408, 412, 425, 502, 503, 504].map((status) => [status, {}, true, true, false, false] as const),
    ...[425, 502, 504].map((status) => [status, wait, true, true, false, false] as const),
    [429, {}, true, true, true, true],
    [429, wait, true, true, true, true],
    [500, {}, true, false, false, false],
    [500, wait, true, false, false, false],
    [503, wait, true, true, true, true],
  ];
  for (const [failure, headers, ...expected] of table) {
    const what = typeof failure === "number" ? String(failure) : failure.kind;
    it(`follows ${[what, ...Object.keys(headers)].join(" with ")} where it is safe: ${expected.join()}`, () => {
      const calls = [{ pureRead: true }, {}, { idempotent: false }, { idempotent: false, sent: false }].map(
        (change) => decide(failure, { ...change, headers }).retry,
      );
      assert.deepEqual(calls, expected);
    });
  }

  it("stops after the number that is set", () => {
    assert.equal(decide(502, { retries: { rateLimited: 0, other: 4 } }).retry, true);
    const exhausted = { retry: false, exhausted: true };
    assert.deepEqual(decide(502, { retries: { rateLimited: 0, other: 5 } }), exhausted);
    assert.deepEqual(decide(502, { maxRetries: 0 }), exhausted);
    assert.deepEqual(decide(404), { retry: false, exhausted: false });
  });

  it("has a larger budget of its own for rate limits, except beyond the longest wait", () => {
    const most = 5 * rateLimitFactor;
    const rows: readonly [status: number, rateLimited: number, other: number, after: string, boolean][] = [
      [429, most - 1, 5, "0", true],
      [429, most, 0, "0", false],
      [502, most, 0, "0", true],
      [429, 4, 0, "61", true],
      [429, 5, 0, "61", false],
      [429, 5, 0, "60", true],
    ];
    for (const [status, rateLimited, other, after, expected] of rows) {
      const headers = { "retry-after": after };
      assert.equal(decide(status, { retries: { rateLimited, other }, headers }).retry, expected);
    }
  });

  it("ends soon if the service was never reachable, but not if it was or if the connection broke", () => {
    const stranger = (waitedMilliseconds: number, failure = unreachable) =>
      decide(failure, { sent: false, everReached: false, waitedMilliseconds });
    assert.equal(stranger(patienceWithStrangers - 250).retry, true);
    assert.deepEqual(stranger(patienceWithStrangers), { retry: false, exhausted: true });
    assert.equal(stranger(10 * patienceWithStrangers, connection).retry, true);
    assert.equal(decide(unreachable, { waitedMilliseconds: 10 * patienceWithStrangers }).retry, true);
  });

  it("pauses all requests when the service says when to come back", () => {
    const pauses = [
      retryOf(429),
      retryOf(503, { headers: wait }),
      retryOf(503),
      retryOf(502, { headers: wait }),
      retryOf(connection),
    ].map(({ pausesAll }) => pausesAll);
    assert.deepEqual(pauses, [true, true, false, false, false]);
  });
});

describe("the delay of a retry", () => {
  it("doubles from half a second to ten, with jitter", () => {
    const delays = [0, 1, 2, 3, 4, 5].map(
      (other) =>
        retryOf(502, { retries: { rateLimited: 0, other }, maxRetries: 9, random: 0.999999 })
          .delayMilliseconds,
    );
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 10_000]);
    assert.equal(retryOf(502).delayMilliseconds, 250);
  });

  const own = { "retry-after": "Sun, 01 Mar 2026 09:00:03 GMT", date: "Sun, 01 Mar 2026 09:00:00 GMT" };
  const rows: readonly [
    status: number,
    headers: Record<string, string>,
    expected: number,
    random?: number,
  ][] = [
    [429, { "retry-after": "3" }, 3000],
    [503, { "retry-after": "3" }, 3000],
    [429, { "retry-after": " 3 " }, 3000],
    [503, { "retry-after": "Sun, 01 Mar 2026 12:00:07 GMT" }, 7000],
    [503, { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
    // By the service's own clock.
    [503, own, 3000],
    [429, { "x-ratelimit-reset": "0.375" }, 375],
    [429, { "x-ratelimit-reset": String(now / 1000 + 4) }, 4000],
    [429, { "retry-after": "2", "x-ratelimit-reset": "9" }, 2000],
    [503, { "x-ratelimit-reset": "9" }, 250],
    [429, { "retry-after": "soon" }, 250],
    [429, { "retry-after": "-5" }, 250],
    // Jitter keeps clients that were refused together apart.
    [429, { "retry-after": "4" }, 4500, 0.5],
    [429, { "retry-after": "1" }, 1150, 0.5],
    [429, { "retry-after": "3600" }, longestWait],
  ];
  for (const [status, headers, expected, random = 0] of rows) {
    it(`is ${expected} ms after ${status} with ${JSON.stringify(headers)}`, () => {
      assert.equal(retryOf(status, { headers, random }).delayMilliseconds, expected);
    });
  }

  const reasons: readonly [Failure | number, after: string | undefined, reason: string][] = [
    [timeout, undefined, "the request timed out, waiting 0.3 s"],
    [connection, undefined, "the connection failed, waiting 0.3 s"],
    [unreachable, undefined, "the service is not reachable, waiting 0.3 s"],
    [502, undefined, "the service returned 502, waiting 0.3 s"],
    [429, "0", "rate limited, waiting 0.1 s"],
    [429, "60", "rate limited, waiting 60 s"],
    [429, "61", "rate limited, waiting 60 s of the 61 s that the service requests"],
  ];
  for (const [failure, after, reason] of reasons) {
    it(`is shown: ${reason}`, () => {
      const headers: Record<string, string> = after === undefined ? {} : { "retry-after": after };
      assert.equal(retryOf(failure, { headers }).reason, reason);
    });
  }

  it("is never negative, nor longer than a minute, whatever the headers are", () => {
    const hostile = ["-5", "-0", "1e9", "NaN", "Infinity", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"];
    const date = fc.date({ noInvalidDate: true }).map((each) => each.toUTCString());
    const header = fc.oneof(fc.string(), fc.double().map(String), date, fc.constantFrom(...hostile));
    const names = { "retry-after": header, "x-ratelimit-reset": header };
    const headersOf = fc.record(names, { requiredKeys: [] });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(headersOf, chance, (headers, random) => {
        const delay = retryOf(429, { headers: { ...headers }, random }).delayMilliseconds;
        assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= longestWait, String(delay));
      }),
    );
  });
});
