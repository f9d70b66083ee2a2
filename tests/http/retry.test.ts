import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decideRetry,
  longestWait,
  longestWaitIfUnreached,
  rateLimitFactor,
  type Failure,
  type RetryContext,
  type RetryDecision,
} from "../../sdk/http/retry";

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

const limited = (after: string) => ({ status: 429, headers: { "retry-after": after } });
const after = (rateLimited: number, other: number) => ({ retries: { rateLimited, other } });

describe("a retry", () => {
  const statuses = (...all: readonly number[]) => all.map((status) => ({ status }));
  const calls = [
    { idempotent: true, method: "GET" },
    { idempotent: true, method: "PATCH" },
    // Some requests that are not idempotent are a GET.
    { idempotent: false, method: "GET" },
    { idempotent: false, method: "POST", mayHaveBeenProcessed: false },
  ] as const;
  // Columns: those of the calls.
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
    it(`a retry follows ${what} if it is safe: ${expected.join()}`, () => {
      for (const failure of failures.flatMap((each) => [each, { ...each, headers: wait }])) {
        const retried = calls.map(
          (operation) => typeof decide({ ...failure, ...operation }, { operation }) !== "string",
        );
        assert.deepEqual(retried, expected);
      }
    });
  }

  const most = 5 * rateLimitFactor;
  const never = (waitedMilliseconds: number) => ({ everReached: false, waitedMilliseconds });
  for (const [what, failure, change, expected] of [
    ["is the last of the configured number", badGateway, after(most, 4), "made"],
    ["would exceed the configured number", badGateway, after(0, 5), "exhausted"],
    ["would exceed a number of 0", badGateway, { maxRetries: 0 }, "exhausted"],
    ["would be useless", { status: 404 }, {}, "final"],
    ["is the last one allowed after rate limits", limited("0"), after(most - 1, 5), "made"],
    ["would exceed the number allowed after rate limits", limited("0"), after(most, 0), "exhausted"],
    ["waits for the maximum time", limited("60"), after(5, 0), "made"],
    ["is the last one before which the service requests a longer wait", limited("61"), after(4, 0), "made"],
    [
      "would exceed the number before which the service requests a longer wait",
      limited("61"),
      after(5, 0),
      "exhausted",
    ],
    ["is soon enough for a service never reached", unreachable, never(longestWaitIfUnreached - 250), "made"],
    ["is too late for a service never reached", unreachable, never(longestWaitIfUnreached), "exhausted"],
    ["follows a broken connection", connection, never(30_000), "made"],
    ["waits for a service that was reachable", unreachable, { waitedMilliseconds: 30_000 }, "made"],
  ] as const) {
    it(`a retry that ${what} is ${expected === "made" ? "made" : `refused as ${expected}`}`, () => {
      const decision = decide(failure, change);
      assert.equal(typeof decision === "string" ? decision : "made", expected);
    });
  }

  it("a retry pauses all requests if the service says how long to wait", () => {
    const ask: Partial<Failure>[] = [{ status: 429 }, { status: 503, headers: wait }];
    const others = [{ status: 503 }, { status: 502, headers: wait }, connection];
    const pauses = [...ask, ...others].map((failure) => retryOf(failure).pausesAll);
    assert.deepEqual(pauses, [true, true, false, false, false]);
  });
});

describe("the delay of a retry", () => {
  it("the delay of a retry doubles from half a second to ten seconds, with jitter", () => {
    const delays = [0, 1, 2, 3, 4, 5].map(
      (other) =>
        retryOf(badGateway, { ...after(0, other), maxRetries: 9, random: 0.999999 }).delayMilliseconds,
    );
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 10_000]);
    assert.equal(retryOf(badGateway).delayMilliseconds, 250);
  });

  const own = { "retry-after": "Sun, 01 Mar 2026 09:00:03 GMT", date: "Sun, 01 Mar 2026 09:00:00 GMT" };
  type Row = readonly [status: number, headers: Record<string, string>, expected: number, random?: number];
  const rows: readonly Row[] = [
    [429, { "retry-after": "3" }, 3000],
    [503, { "retry-after": "3" }, 3000],
    [429, { "retry-after": " 3 " }, 3000],
    // Sent twice, by the service and by a gateway.
    [429, { "retry-after": "3, 3" }, 3000],
    [503, { "retry-after": "2, 5" }, 5000],
    [503, { "retry-after": "Sun, 01 Mar 2026 12:00:07 GMT, Sun, 01 Mar 2026 12:00:04 GMT" }, 7000],
    [429, { "retry-after": "2, Sun, 01 Mar 2026 12:00:07 GMT" }, 7000],
    [503, { ...own, date: `${own.date}, ${own.date}` }, 3000],
    [429, { "x-ratelimit-reset": "3, 3" }, 3000],
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

  const reasons: readonly [Partial<Failure>, reason: string][] = [
    [timeout, "the request timed out, waiting 0.3 s"],
    [connection, "the connection failed, waiting 0.3 s"],
    [unreachable, "the service is not reachable, waiting 0.3 s"],
    [badGateway, "the service returned 502, waiting 0.3 s"],
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
