import assert from "node:assert/strict";
import { figureRow, tableOf } from "../../bench/table";

describe("bench: table", () => {
  it("says for each row with a goal whether it is reached", () => {
    const text = tableOf([
      figureRow({ what: "speed", how: "ratio", goal: { bound: ">=", value: 0.95 } }, 0.94, "x"),
      figureRow({ what: "size", how: "bytes", goal: { bound: "<=", value: 100 } }, 100, "bytes", "a|b"),
      figureRow({ what: "time", how: "median" }, 12.34, "ms"),
    ]);
    assert.equal(
      text,
      [
        "| what  | how it is measured | goal         | result           |             |",
        "| ----- | ------------------ | ------------ | ---------------- | ----------- |",
        "| speed | ratio              | >= 0.95 x    | 0.94 x           | not reached |",
        "| size  | bytes              | <= 100 bytes | 100 bytes (a\\|b) | reached     |",
        "| time  | median             | -            | 12.3 ms          |             |",
      ].join("\n"),
    );
  });
});
