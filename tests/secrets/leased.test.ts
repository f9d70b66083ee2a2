import assert from "node:assert/strict";
import fc from "fast-check";
import { ContractError, ServiceError, TriviumError } from "../../sdk/base/errors";
import {
  endOf,
  expiryAfter,
  explainLostAnswer,
  hasExpired,
  renewBeforeDefinition,
  warnOfConstantRenewal,
} from "../../sdk/secrets/leased";
import { unknownValues } from "../contract/support/values";

const now = Date.parse("2030-01-01T00:00:00.000Z");
const inAnHour = "2030-01-01T01:00:00.000Z";

describe("what is issued for a time", () => {
  describe("ends", () => {
    for (const [seconds, end] of [
      [3600, inAnHour],
      [0.5, "2030-01-01T00:00:00.500Z"],
      [0, null],
      [Number.MAX_SAFE_INTEGER, null],
    ] as const) {
      it(`${seconds} s after it was asked for: ${String(end)}`, () => {
        assert.equal(expiryAfter(now, seconds), end);
      });
    }

    it("as soon as its time has come, and not before", () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ max: 10 ** 9 }), (seconds, later) => {
          const end = expiryAfter(now, seconds);
          assert.equal(hasExpired(end, now + later * 1000), later >= seconds);
        }),
      );
    });

    for (const never of [null, undefined, "", "soon", 12]) {
      it(`never, when its end is ${JSON.stringify(never)}`, () => {
        assert.equal(hasExpired(never, Number.MAX_SAFE_INTEGER), false);
        assert.equal(endOf("It", { expiresAt: never as string }, { renewBefore: "100d" }, now), undefined);
      });
    }
  });

  describe("is replaced", () => {
    const replaced: readonly [expiresAt: string, renewBefore: string | number | null, sentence: string][] = [
      ["2030-01-01T00:00:00.000Z", null, "has ended (2030-01-01T00:00:00.000Z) and is replaced."],
      ["2029-12-31T23:59:59.000Z", "1h", "has ended (2029-12-31T23:59:59.000Z) and is replaced."],
      [inAnHour, "1h", `ends at ${inAnHour}, which is within renewBefore (3600 s), and is replaced.`],
      [inAnHour, 7200, `ends at ${inAnHour}, which is within renewBefore (7200 s), and is replaced.`],
    ];
    for (const [expiresAt, renewBefore, sentence] of replaced) {
      it(`in one line that says why: ends ${expiresAt}, renewBefore ${String(renewBefore)}`, () => {
        const text = endOf("The token t-1", { expiresAt }, { renewBefore }, now);
        assert.equal(text, `The token t-1 ${sentence}`);
      });
    }

    const kept: readonly [string, Readonly<Record<string, string | number | null>>][] = [
      ["without renewBefore", {}],
      ["with a cleared one", { renewBefore: null }],
      ["with one that is shorter than what is left", { renewBefore: "59m" }],
      ["with one that a preview does not know", { renewBefore: unknownValues.string }],
    ];
    for (const [what, inputs] of kept) {
      it(`not ${what}`, () => {
        assert.equal(endOf("It", { expiresAt: inAnHour }, inputs, now), undefined);
      });
    }
  });

  it("brings a warning when renewBefore is not shorter than its life", () => {
    const said: string[] = [];
    const caller = {
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (kind: string, message: string) => void said.push(`${kind}: ${message}`),
    };
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: 3599 }, now);
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: null }, now);
    warnOfConstantRenewal(caller, "It", { expiresAt: null, renewBefore: 3600 }, now);
    assert.deepEqual(said, []);
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: 3600 }, now);
    assert.deepEqual(said, [
      "warning: It lives no longer than renewBefore (3600 s), so that each run replaces it.",
    ]);
  });

  it("counts renewBefore in every spelling, without a request", () => {
    assert.equal(renewBeforeDefinition.role, "behaviour");
    assert.equal(renewBeforeDefinition.canonical?.("1h"), 3600);
  });

  describe("and whose answer is lost", () => {
    const request = { summary: "mint a thing", method: "GET", url: "https://service.example/creds" };

    it("is explained, and may exist", () => {
      const lost = new ContractError({ request: "GET /creds", problem: "no password" });
      const error = explainLostAnswer(lost, "One may exist.");
      assert.ok(TriviumError.isInstance(error));
      assert.equal(error.message, `${lost.message} One may exist.`);
      assert.equal(error.mayHaveBeenProcessed, true);
    });

    it("is not there when the service refused it", () => {
      const refused = new ServiceError({ request, status: 404, words: [] });
      assert.equal(explainLostAnswer(refused, "One may exist."), refused);
    });
  });
});
