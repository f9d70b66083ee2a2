import assert from "node:assert/strict";
import { requestsBeside } from "../../bench/operations";
import { type Requests, Service } from "../../bench/service";
import { formatted, tableOf } from "../../bench/table";
import { divide, spreadOf, takeTurns } from "../../bench/turns";

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
    assert.equal(requestsBeside(own, other, 10), "both: up 1 POST; not the same: refresh 0.2 GET vs. 1 GET");
  });

  it("counts all rounds", () => {
    const own = [round({ POST: 10 }, {}), round({ POST: 11 }, {})];
    const other = [round({ POST: 10 }, {}), round({ POST: 10 }, {})];
    assert.equal(requestsBeside(own, other, 10), "not the same: up 1.05 POST vs. 1 POST");
  });
});

describe("bench: service", () => {
  it("counts the requests of all services by method, until they are taken", async () => {
    const service = await Service.start();
    try {
      const { PROVISIONING_ADDR = "", SECRETS_ADDR = "" } = service.environment;
      await service.empty();
      for (const [address, method] of [
        [SECRETS_ADDR, "GET"],
        [SECRETS_ADDR, "POST"],
        [PROVISIONING_ADDR, "GET"],
      ] as const) {
        const response = await fetch(`${address}/v1/anything`, { method });
        await response.text();
      }
      assert.deepEqual(service.requests(), { GET: 2, POST: 1 });
      assert.deepEqual(service.requests(), {});
    } finally {
      service.close();
    }
  });
});

describe("bench: table", () => {
  it("says for each row whether its goal is reached, in columns", async () => {
    const text = tableOf([
      { what: "speed", how: "ratio", figure: 0.94, unit: "x", goal: [">=", 0.95] },
      { what: "size", how: "bytes", figure: 100, unit: "bytes", goal: ["<=", 100], detail: "a|b" },
    ]);
    assert.equal(
      await formatted(text),
      [
        "| what  | how it is measured | goal         | result           |             |",
        "| ----- | ------------------ | ------------ | ---------------- | ----------- |",
        "| speed | ratio              | >= 0.95 x    | 0.94 x           | not reached |",
        "| size  | bytes              | <= 100 bytes | 100 bytes (a\\|b) | reached     |",
        "",
      ].join("\n"),
    );
  });
});

describe("bench: turns", () => {
  it("lets another side begin each round", async () => {
    const order: string[] = [];
    const turn = (name: string) => () => Promise.resolve(order.push(name));
    const taken = await takeTurns({ a: turn("a"), b: turn("b") }, 2);
    assert.deepEqual(order, ["a", "b", "b", "a"]);
    assert.deepEqual(taken, { a: [1, 4], b: [2, 3] });
  });

  it("compares within rounds, not across them", () => {
    assert.deepEqual(spreadOf([10, 200, 9], [10, 100, 10], divide), { least: 0.9, median: 1, most: 2 });
  });
});
