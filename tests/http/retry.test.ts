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

function question(change: Partial<RetryContext> & { readonly failure: Failure }): RetryContext {
  return {
    idempotent: true,
    pureRead: false,
    sent: true,
    headers: {},
    retries: { rateLimited: 0, other: 0 },
    maxRetries: 5,
    everReached: true,
    waitedMilliseconds: 0,
    random: 0,
    now,
    ...change,
  };
}

const status = (code: number): Failure => ({ kind: "status", status: code });

describe("retry policy", () => {
  describe("of a service that is not reachable", () => {
    const failure: Failure = { kind: "connection", unreachable: true };
    const isRetried = (change: Partial<RetryContext>): boolean =>
      decideRetry(question({ failure, sent: false, ...change })).retry;

    it("ends soon if it never was, whatever is left of the retries", () => {
      assert.equal(isRetried({ everReached: false }), true);
      assert.equal(isRetried({ everReached: false, waitedMilliseconds: patienceWithStrangers - 250 }), true);
      assert.equal(isRetried({ everReached: false, waitedMilliseconds: patienceWithStrangers }), false);
      assert.deepEqual(
        decideRetry(question({ failure, everReached: false, waitedMilliseconds: patienceWithStrangers })),
        { retry: false, exhausted: true },
      );
    });

    it("is as patient as ever if it was, or if the connection only broke", () => {
      const waitedMilliseconds = 10 * patienceWithStrangers;
      assert.equal(isRetried({ waitedMilliseconds }), true);
      const broken: Failure = { kind: "connection", unreachable: false };
      assert.equal(isRetried({ failure: broken, everReached: false, waitedMilliseconds }), true);
    });

    it("is shown", () => {
      const decision = decideRetry(question({ failure, everReached: false }));
      assert.ok(decision.retry);
      assert.match(decision.reason, /^the service is not reachable, waiting /);
    });
  });

  describe("which failures are retried", () => {
    const wait = { "retry-after": "1" };
    // Columns: pure read, idempotent write, other call sent, other call not sent.
    const table: readonly [string, Failure, Record<string, string>, boolean, boolean, boolean, boolean][] = [
      ["a broken connection", { kind: "connection" }, {}, true, true, false, true],
      ["a timeout", { kind: "timeout" }, {}, true, true, false, true],
      ["what cannot be mended", { kind: "permanent" }, {}, false, false, false, false],
      ["301", status(301), {}, false, false, false, false],
      ["400", status(400), {}, false, false, false, false],
      ["400 with Retry-After", status(400), wait, false, false, false, false],
      ["401", status(401), {}, false, false, false, false],
      ["403", status(403), {}, false, false, false, false],
      ["404", status(404), {}, false, false, false, false],
      ["408", status(408), {}, true, true, false, false],
      ["409", status(409), {}, false, false, false, false],
      ["412", status(412), {}, true, true, false, false],
      ["422", status(422), {}, false, false, false, false],
      ["425", status(425), {}, true, true, false, false],
      ["425 with Retry-After", status(425), wait, true, true, false, false],
      ["429", status(429), {}, true, true, true, true],
      ["429 with Retry-After", status(429), wait, true, true, true, true],
      ["500", status(500), {}, true, false, false, false],
      ["500 with Retry-After", status(500), wait, true, false, false, false],
      ["501", status(501), {}, false, false, false, false],
      ["502", status(502), {}, true, true, false, false],
      ["502 with Retry-After", status(502), wait, true, true, false, false],
      ["503", status(503), {}, true, true, false, false],
      ["503 with Retry-After", status(503), wait, true, true, true, true],
      ["504", status(504), {}, true, true, false, false],
      ["504 with Retry-After", status(504), wait, true, true, false, false],
    ];
    for (const [name, failure, headers, read, idempotentWrite, sentCall, unsentCall] of table) {
      const cases = {
        "a pure read": [{ pureRead: true, idempotent: true, sent: true }, read],
        "an idempotent write": [{ idempotent: true, sent: true }, idempotentWrite],
        "another call that was sent": [{ idempotent: false, sent: true }, sentCall],
        "another call that was not sent": [{ idempotent: false, sent: false }, unsentCall],
      } as const;
      for (const [call, [change, expected]] of Object.entries(cases)) {
        it(`${name}, ${call}: ${expected ? "yes" : "no"}`, () => {
          assert.equal(decideRetry(question({ ...change, failure, headers })).retry, expected);
        });
      }
    }
  });

  describe("how long it waits", () => {
    const delay = (change: Partial<RetryContext> & { readonly failure: Failure }): number => {
      const decision = decideRetry(question(change));
      assert.ok(decision.retry);
      return decision.delayMilliseconds;
    };

    it("doubles from half a second to ten, by up to a half less", () => {
      const delays = [0, 1, 2, 3, 4, 5].map((other) =>
        delay({ failure: status(502), retries: { rateLimited: 0, other }, maxRetries: 9, random: 0.999999 }),
      );
      assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 10_000]);
      assert.equal(delay({ failure: status(502), random: 0 }), 250);
    });

    const asked: readonly [string, Failure, Record<string, string>, number][] = [
      ["Retry-After in seconds", status(429), { "retry-after": "3" }, 3000],
      ["Retry-After in seconds with 503", status(503), { "retry-after": "3" }, 3000],
      ["Retry-After as a date", status(503), { "retry-after": "Sun, 01 Mar 2026 12:00:07 GMT" }, 7000],
      [
        "Retry-After as a date that is over",
        status(503),
        { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" },
        0,
      ],
      [
        "Retry-After as a date by the service's own clock",
        status(503),
        { "retry-after": "Sun, 01 Mar 2026 09:00:03 GMT", date: "Sun, 01 Mar 2026 09:00:00 GMT" },
        3000,
      ],
      ["X-RateLimit-Reset as a fraction", status(429), { "x-ratelimit-reset": "0.375" }, 375],
      ["blanks around Retry-After", status(429), { "retry-after": " 3 " }, 3000],
      ["X-RateLimit-Reset as a time", status(429), { "x-ratelimit-reset": String(now / 1000 + 4) }, 4000],
      [
        "Retry-After before X-RateLimit-Reset",
        status(429),
        { "retry-after": "2", "x-ratelimit-reset": "9" },
        2000,
      ],
      ["X-RateLimit-Reset not with 503", status(503), { "x-ratelimit-reset": "9" }, 250],
      ["nothing that can be understood", status(429), { "retry-after": "soon" }, 250],
      ["a negative number", status(429), { "retry-after": "-5" }, 250],
    ];
    for (const [name, failure, headers, expected] of asked) {
      it(`follows ${name}`, () => {
        assert.equal(delay({ failure, headers }), expected);
      });
    }

    it("spreads those who were turned away together", () => {
      const headers = { "retry-after": "4" };
      assert.equal(delay({ failure: status(429), headers, random: 0 }), 4000);
      assert.equal(delay({ failure: status(429), headers, random: 0.5 }), 4500);
      assert.equal(delay({ failure: status(429), headers: { "retry-after": "1" }, random: 0.5 }), 1150);
    });

    const reasons: readonly [Failure, string | undefined, string][] = [
      [{ kind: "timeout" }, undefined, "the request timed out, waiting 0.3 s"],
      [{ kind: "connection" }, undefined, "the connection failed, waiting 0.3 s"],
      [status(502), undefined, "the service returned 502, waiting 0.3 s"],
      [status(429), "0", "rate limited, waiting 0.1 s"],
      [status(429), "60", "rate limited, waiting 60 s"],
      [status(429), "61", "rate limited, waiting 60 s of the 61 s that the service requests"],
    ];
    for (const [failure, after, reason] of reasons) {
      it(`says: ${reason}`, () => {
        const headers: Record<string, string> = after === undefined ? {} : { "retry-after": after };
        const decision = decideRetry(question({ failure, headers }));
        assert.ok(decision.retry);
        assert.equal(decision.reason, reason);
      });
    }

    it("waits a minute at most, and says how long it should have been", () => {
      const decision = decideRetry(question({ failure: status(429), headers: { "retry-after": "3600" } }));
      assert.ok(decision.retry);
      assert.equal(decision.delayMilliseconds, longestWait);
      assert.equal(decision.reason, "rate limited, waiting 60 s of the 3600 s that the service requests");
    });

    it("is never negative, nor longer than a minute, whatever the headers are", () => {
      const hostile = [
        "-5",
        "-0",
        "1e9",
        "NaN",
        "Infinity",
        "9".repeat(400),
        "Fri, 31 Dec 9999 23:59:59 GMT",
      ];
      const date = fc.date({ noInvalidDate: true }).map((each) => each.toUTCString());
      const header = fc.option(
        fc.oneof(fc.string(), fc.double().map(String), date, fc.constantFrom(...hostile)),
        { nil: undefined },
      );
      fc.assert(
        fc.property(
          header,
          header,
          fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          (after, reset, random) => {
            const headers = {
              ...(after === undefined ? {} : { "retry-after": after }),
              ...(reset === undefined ? {} : { "x-ratelimit-reset": reset }),
            };
            const wait = delay({ failure: status(429), headers, random });
            assert.ok(Number.isInteger(wait) && wait >= 0 && wait <= longestWait, String(wait));
          },
        ),
      );
    });
  });

  describe("how often", () => {
    const retried = (failure: Failure, retries: RetryContext["retries"], headers = {}): boolean =>
      decideRetry(question({ failure, retries, headers })).retry;

    it("stops after the number that was set", () => {
      assert.equal(retried(status(502), { rateLimited: 0, other: 4 }), true);
      assert.equal(retried(status(502), { rateLimited: 0, other: 5 }), false);
      assert.deepEqual(decideRetry(question({ failure: status(502), maxRetries: 0 })), {
        retry: false,
        exhausted: true,
      });
    });

    it("has a larger budget of its own for rate limits", () => {
      const most = 5 * rateLimitFactor;
      assert.equal(retried(status(429), { rateLimited: most - 1, other: 5 }), true);
      assert.equal(retried(status(429), { rateLimited: most, other: 0 }), false);
      assert.equal(retried(status(502), { rateLimited: most, other: 0 }), true);
    });

    it("has the ordinary budget for a service that asks for longer than anybody waits", () => {
      const headers = { "retry-after": "61" };
      assert.equal(retried(status(429), { rateLimited: 4, other: 0 }, headers), true);
      assert.equal(retried(status(429), { rateLimited: 5, other: 0 }, headers), false);
      assert.equal(retried(status(429), { rateLimited: 5, other: 0 }, { "retry-after": "60" }), true);
    });

    it("tells what is not worth repeating from what was repeated enough", () => {
      assert.deepEqual(decideRetry(question({ failure: status(404) })), { retry: false, exhausted: false });
    });
  });

  it("makes everybody wait when the service says when to come back", () => {
    const waits = (failure: Failure, headers = {}): boolean => {
      const decision = decideRetry(question({ failure, headers }));
      return decision.retry && decision.pausesAll;
    };
    assert.equal(waits(status(429)), true);
    assert.equal(waits(status(503), { "retry-after": "1" }), true);
    assert.equal(waits(status(503)), false);
    assert.equal(waits(status(502), { "retry-after": "1" }), false);
    assert.equal(waits({ kind: "connection" }), false);
  });
});
