import assert from "node:assert/strict";
import { type Row, table } from "../../bench/table";

describe("the table of figures", () => {
  const ratio: Row = {
    what: "reading",
    how: "beside writing",
    unit: "x",
    figures: [{ value: 0.876 }],
    goal: { bound: "least", value: 0.8 },
  };
  const times: Row = {
    what: "loading",
    how: "a | b",
    unit: "ms",
    figures: [
      { value: 20, label: "CPU" },
      { value: 25.4, label: "wall" },
    ],
    goal: { bound: "most", value: 25 },
  };
  const lastCell = (row: Row): string | undefined => table([row]).split("\n").at(-1)?.split(" | ").at(-1);

  it("has goals and results in readable columns", () => {
    assert.equal(
      table([ratio, times, { what: "beside it", how: "", unit: "bytes", figures: [{ value: 12 }] }]),
      [
        "| what      | how it is measured | goal       | result                    |             |",
        "| --------- | ------------------ | ---------- | ------------------------- | ----------- |",
        "| reading   | beside writing     | >= 0.80 x  | 0.88 x                    | reached     |",
        "| loading   | a \\| b             | <= 25.0 ms | 20.0 ms CPU, 25.4 ms wall | not reached |",
        "| beside it |                    | -          | 12 bytes                  |             |",
      ].join("\n"),
    );
  });

  it("tells how far the rounds lay apart, and why there is no figure", () => {
    const cells = (row: Row): string[] =>
      (table([row]).split("\n").at(-1) ?? "").split(" | ").map((cell) => cell.trim());
    assert.equal(
      cells({ ...ratio, figures: [{ value: 1, spread: [0.956, 1.2] }] })[3],
      "1.00 x (0.96 to 1.20)",
    );
    assert.deepEqual(cells({ ...ratio, figures: [], skipped: "no plugin" }).slice(2), [
      ">= 0.80 x",
      "skipped: no plugin",
      "|",
    ]);
  });

  it("says of a goal from below or from above whether it is reached, before rounding and with the limit included", () => {
    const verdicts = [0.7999, 0.8, 0.81].map((value) => lastCell({ ...ratio, figures: [{ value }] }));
    assert.deepEqual(verdicts, ["not reached |", "reached |", "reached |"]);
  });
});
