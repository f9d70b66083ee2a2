import assert from "node:assert/strict";
import { requestsBeside } from "../../bench/operations";
import type { Requests } from "../../bench/service";

/** A round in which all operations but the first two sent nothing. */
function round(up: Requests, refresh: Requests): Parameters<typeof requestsBeside>[0][number] {
  const taken = (requests: Requests) => ({ duration: 1, requests });
  return { up: taken(up), again: taken({}), refresh: taken(refresh), destroy: taken({}) };
}

describe("bench: requests of two sides", () => {
  it("says once what both sent, for each resource", () => {
    const own = [round({ POST: 10, GET: 10 }, { GET: 10 })];
    assert.equal(requestsBeside(own, own, 10), "both: up 1 GET + 1 POST, refresh 1 GET");
  });

  it("names the operations whose requests differ", () => {
    const own = [round({ POST: 10 }, { GET: 2 })];
    const other = [round({ POST: 10 }, { GET: 10 })];
    assert.equal(
      requestsBeside(own, other, 10),
      "both: up 1 POST; not the same: refresh 0.2 GET beside 1 GET",
    );
  });

  it("counts all rounds", () => {
    const own = [round({ POST: 10 }, {}), round({ POST: 11 }, {})];
    const other = [round({ POST: 10 }, {}), round({ POST: 10 }, {})];
    assert.equal(requestsBeside(own, other, 10), "not the same: up 1.05 POST beside 1 POST");
  });
});
