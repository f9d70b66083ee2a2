import assert from "node:assert/strict";
import { formatted, tableOf } from "../../bench/table";

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
