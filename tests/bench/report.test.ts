import assert from "node:assert/strict";
import { summaryOf } from "../../bench/report";
import type { Row } from "../../bench/table";

describe("the figures in docs/performance.md", () => {
  const circumstances = {
    command: "npm run bench",
    date: "2026-11-22",
    node: "v20",
    pulumi: "v3",
    machine: "two",
  };
  const operation = (column: string, line: string, value: number): Row => ({
    what: `${column} of ${line}`,
    how: "with care",
    unit: "x",
    figures: [{ value, spread: [0, 9], label: "9 s beside 8 s" }],
    goal: { bound: "most", value: 1.05 },
    cell: { line, column },
  });
  const linesOf = (rows: readonly Row[]): readonly string[] =>
    summaryOf(rows, { ...circumstances, seconds: 90 })
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.replaceAll(/ +/g, " "));

  it("have the operations of the same resources in one line, without details", () => {
    const rows = [operation("up", "one", 1), operation("refresh", "one", 2), operation("up", "two", 3)];
    assert.deepEqual(linesOf(rows).slice(0, 4), [
      "| time of operations | goal | up | refresh |",
      "| ------------------ | --------- | ------ | ------- |",
      "| one | <= 1.05 x | 1.00 x | 2.00 x |",
      "| two | <= 1.05 x | 3.00 x | |",
    ]);
  });

  it("have what several figures are of, and why there is none", () => {
    const rows: readonly Row[] = [
      {
        what: "loading",
        how: "",
        unit: "ms",
        figures: [
          { value: 1, label: "CPU" },
          { value: 2, label: "wall" },
        ],
      },
      { what: "flying", how: "", unit: "ms", figures: [], skipped: "no wings" },
    ];
    assert.deepEqual(linesOf(rows).slice(-2), [
      "| loading | - | 1.0 ms CPU, 2.0 ms wall |",
      "| flying | - | skipped: no wings |",
    ]);
  });
});
