import assert from "node:assert/strict";
import fc from "fast-check";
import { decideRetry, longestWait, longestWaitIfUnreached, rateLimitFactor } from "../../sdk/http/retry";
import type { Failure, RetryContext, RetryDecision } from "../../sdk/http/retry";

const now = Date.parse("2026-03-01T12:00:00Z");

function decide(failure: Partial<Failure>, change: Partial<RetryContext> = {}) {
  return decideRetry({
    operation: { idempotent: true, method: "PATCH" },
    failure: { kind: "status", mayHaveBeenProcessed: true, ...failure },
    retries: { rateLimited: 0, other: 0 },
    maxRetries: 5,
    random: 0,
    now,
    ...change,
  });
}

function retryOf(...parameters: Parameters<typeof decide>): RetryDecision {
  const decision = decide(...parameters);
  return typeof decision === "string" ? assert.fail(decision) : decision;
}

const connection = { kind: "connection" } as const;
const unreachable = { kind: "connection", unreachable: true } as const;
const timeout = { kind: "timeout" } as const;
const badGateway = { status: 502 };
const wait = { "retry-after": "1" };

describe("a retry", () => {
  const statuses = (...all: readonly number[]) => all.map((status) => ({ status }));
  // Columns: pure read, idempotent write, other call that may have been processed, other call that has not.
  const table: readonly (readonly [readonly Partial<Failure>[], ...boolean[]])[] = [
    [[connection, timeout], true, true, false, true],
    [[{ kind: "permanent" }], false, false, false, false],
    [statuses(301, 400, 401, 403, 404, 409, 422, 501), false, false, false, false],
    [statuses(408, 425, 429, 502, 503, 504), true, true, false, true],
    [statuses(412), true, true, false, false],
    [statuses(500), true, false, false, false],
  ];
  for (const [failures, ...expected] of table) {
    const what = failures.map(({ kind, status }) => status ?? kind).join();
    it(`a retry follows ${what} where it is safe: ${expected.join()}`, () => {
      const calls = [
        { idempotent: true, method: "GET" },
        { idempotent: true, method: "PATCH" },
        // Some requests that are not idempotent are a GET.
        { idempotent: false, method: "GET" },
        { idempotent: false, method: "POST", mayHaveBeenProcessed: false },
      ] as const;
      for (const failure of failures) {
        for (const headers of [{}, wait]) {
          const found = calls.map((operation) => {
            const known = { headers, ...failure, ...operation };
            return typeof decide(known, { operation }) !== "string";
          });
          assert.deepEqual(found, expected);
        }
      }
    });
  }

  it("a retry stops after the number that is set", () => {
    assert.notEqual(decide(badGateway, { retries: { rateLimited: 0, other: 4 } }), "exhausted");
    assert.equal(decide(badGateway, { retries: { rateLimited: 0, other: 5 } }), "exhausted");
    assert.equal(decide(badGateway, { maxRetries: 0 }), "exhausted");
    assert.equal(decide({ status: 404 }), "final");
  });

  it("a retry has a larger budget of its own for rate limits, except beyond the longest wait", () => {
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
      const failure = { status, headers: { "retry-after": after } };
      assert.equal(decide(failure, { retries: { rateLimited, other } }) !== "exhausted", expected);
    }
  });

  it("a retry ends soon if the service was never reachable, but not if it was or if the connection broke", () => {
    const stranger = (waitedMilliseconds: number, failure: Partial<Failure> = unreachable) =>
      decide(failure, { everReached: false, waitedMilliseconds });
    assert.notEqual(stranger(longestWaitIfUnreached - 250), "exhausted");
    assert.equal(stranger(longestWaitIfUnreached), "exhausted");
    assert.notEqual(stranger(10 * longestWaitIfUnreached, connection), "exhausted");
    assert.notEqual(decide(unreachable, { waitedMilliseconds: 10 * longestWaitIfUnreached }), "exhausted");
  });

  it("a retry pauses all requests when the service says when to come back", () => {
    const pauses = [
      retryOf({ status: 429 }),
      retryOf({ status: 503, headers: wait }),
      retryOf({ status: 503 }),
      retryOf({ status: 502, headers: wait }),
      retryOf(connection),
    ].map(({ pausesAll }) => pausesAll);
    assert.deepEqual(pauses, [true, true, false, false, false]);
  });
});

describe("the delay of a retry", () => {
  it("the delay of a retry doubles from half a second to ten, with jitter", () => {
    const delays = [0, 1, 2, 3, 4, 5].map((other) => {
      const change = { retries: { rateLimited: 0, other }, maxRetries: 9, random: 0.999999 };
      return retryOf(badGateway, change).delayMilliseconds;
    });
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 10_000]);
    assert.equal(retryOf(badGateway).delayMilliseconds, 250);
  });

  const own = { "retry-after": "Sun, 01 Mar 2026 09:00:03 GMT", date: "Sun, 01 Mar 2026 09:00:00 GMT" };
  type Row = readonly [status: number, headers: Record<string, string>, expected: number, random?: number];
  const rows: readonly Row[] = [
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
    it(`the delay of a retry is ${expected} ms after ${status} with ${JSON.stringify(headers)}`, () =>
      assert.equal(retryOf({ status, headers }, { random }).delayMilliseconds, expected));
  }

  const limited = (after: string) => ({ status: 429, headers: { "retry-after": after } });
  const reasons: readonly [Partial<Failure>, reason: string][] = [
    [timeout, "the request timed out, waiting 0.3 s"],
    [connection, "the connection failed, waiting 0.3 s"],
    [unreachable, "the service is not reachable, waiting 0.3 s"],
    [{ status: 502 }, "the service returned 502, waiting 0.3 s"],
    [limited("0"), "rate limited, waiting 0.1 s"],
    [limited("60"), "rate limited, waiting 60 s"],
    [limited("61"), "rate limited, waiting 60 s of the 61 s that the service requests"],
  ];
  for (const [failure, reason] of reasons) {
    it(`the delay of a retry is shown: ${reason}`, () => assert.equal(retryOf(failure).reason, reason));
  }

  it("the delay of a retry is never negative, nor longer than a minute, whatever the headers are", () => {
    const hostile = ["-5", "-0", "1e9", "NaN", "Infinity", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"];
    const date = fc.date({ noInvalidDate: true }).map((each) => each.toUTCString());
    const header = fc.oneof(fc.string(), fc.double().map(String), date, fc.constantFrom(...hostile));
    const names = { "retry-after": header, "x-ratelimit-reset": header };
    const headersOf = fc.record(names, { requiredKeys: [] });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(headersOf, chance, (headers, random) => {
        const delay = retryOf({ status: 429, headers: { ...headers } }, { random }).delayMilliseconds;
        assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= longestWait, String(delay));
      }),
    );
  });
});
