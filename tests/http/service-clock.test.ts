import assert from "node:assert/strict";
import { httpDate, ServiceClock } from "../../sdk/http/service-clock";

const noon = Date.parse("2026-03-01T12:00:00Z");
const date = "Sun, 01 Mar 2026 12:00:00 GMT";

describe("ServiceClock", () => {
  it("is this machine's until the service has told its time", () => {
    const clock = new ServiceClock();
    assert.equal(clock.known, false);
    assert.equal(clock.at(noon), noon);
    clock.note(undefined, noon, noon);
    clock.note("12", noon, noon);
    assert.equal(clock.known, false);
  });

  const rows: readonly [string, sentAt: number, receivedAt: number, ahead: number][] = [
    ["the same clock", noon, noon, 0],
    ["a response that took a second of its own", noon - 1000, noon, 0],
    ["a truncated second", noon + 900, noon + 950, 0],
    ["a machine two seconds ahead", noon + 2000, noon + 2000, 0],
    ["a machine more than two seconds ahead", noon + 2001, noon + 2001, -1501],
    ["a machine a second behind", noon - 1000, noon - 1000, 0],
    ["a machine more than a second behind", noon - 1001, noon - 1001, 1501],
    ["a slow response", noon - 20_000, noon + 5, 0],
    ["a machine an hour ahead", noon + 3_600_000, noon + 3_600_000, -3_599_500],
    ["a machine an hour behind", noon - 3_600_000, noon - 3_600_000, 3_600_500],
  ];
  for (const [what, sentAt, receivedAt, ahead] of rows) {
    it(`is ${ahead / 1000} s ahead after ${what}`, () => {
      const clock = new ServiceClock();
      clock.note(date, sentAt, receivedAt);
      assert.deepEqual([clock.known, clock.at(noon) - noon], [true, ahead]);
    });
  }

  it("uses the latest response", () => {
    const clock = new ServiceClock();
    clock.note(date, noon + 60_000, noon + 60_000);
    clock.note(date, noon, noon);
    assert.equal(clock.at(noon), noon);
  });
});

describe("httpDate", () => {
  it("takes dates as HTTP writes them, and nothing else", () => {
    assert.equal(httpDate(date), noon);
    assert.equal(httpDate("Sunday, 01-Mar-26 12:00:00 GMT"), noon);
    for (const text of [undefined, "", "5", "soon", "2026-03-01", "May 5", "Sun, nonsense GMT"]) {
      assert.equal(httpDate(text), undefined, text);
    }
  });
});
