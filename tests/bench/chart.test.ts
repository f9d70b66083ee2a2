import assert from "node:assert/strict";
import { chart } from "../../bench/chart";
import type { Row } from "../../bench/table";

describe("the chart of figures", () => {
  const row = (value: number, bound: "least" | "most", limit: number): Row => ({
    what: "a <b> & c",
    how: "",
    unit: "x",
    figures: [{ value }],
    goal: { bound, value: limit },
  });
  const barsIn = (svg: string): (readonly [string, number])[] =>
    [...svg.matchAll(/<rect class="(reached|missed)" x="20" width="([\d.]+)"/g)].map(
      ([, kind = "", width]) => [kind, Number(width)] as const,
    );
  const goalIn = (svg: string): number => Number(/class="goal" x1="([\d.]+)"/.exec(svg)?.[1]) - 20;

  it("has a bar for each row with a goal, which ends where the goal is when it is just reached", () => {
    const svg = chart([
      row(1.1, "most", 1.1),
      row(0.8, "least", 0.8),
      { ...row(1, "most", 1), goal: undefined },
    ]);
    const goal = goalIn(svg);
    assert.deepEqual(barsIn(svg), [
      ["reached", goal],
      ["reached", goal],
    ]);
  });

  it("has bars that are longer than that where less was reached, whichever way is better", () => {
    const svg = chart([
      row(1.32, "most", 1.1),
      row(0.5, "least", 0.75),
      row(0.6, "most", 1.2),
      row(3, "least", 1.5),
    ]);
    const goal = goalIn(svg);
    const shares = barsIn(svg).map(([kind, width]) => [kind, Math.round((width / goal) * 10) / 10]);
    assert.deepEqual(shares, [
      ["missed", 1.2],
      ["missed", 1.5],
      ["reached", 0.5],
      ["reached", 0.5],
    ]);
  });

  it("ends where the picture ends, and shows nothing as nearly nothing", () => {
    const svg = chart([row(1, "most", 0), row(0, "most", 0)]);
    assert.deepEqual(barsIn(svg), [
      ["missed", 780],
      ["reached", 2],
    ]);
  });

  it("shows below how what has no goal grows, as bars of one measure", () => {
    const growing = (...values: readonly number[]): Row => ({
      what: "time",
      how: "",
      unit: "ms",
      figures: values.map((value) => ({ value, label: `at ${value}` })),
    });
    const svg = chart([growing(10, 20, 40), growing(5, 80, 40), growing(1, 2)]);
    const widths = [...svg.matchAll(/<rect class="reached" x="\d+" width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    const [least = 0] = widths;
    assert.deepEqual(
      widths.map((width) => Math.round((width / least) * 10)),
      [10, 20, 40, 5, 80, 40],
    );
    assert.match(svg, />time, at 80</);
  });

  it("leaves out what was not measured", () => {
    assert.deepEqual(barsIn(chart([{ ...row(1, "most", 1), figures: [], skipped: "it is not there" }])), []);
  });

  it("names what was measured, the results and the goals, in colours for light and dark", () => {
    const svg = chart([row(1.05, "most", 1.1)]);
    assert.match(svg, />a &lt;b&gt; &amp; c</);
    assert.match(svg, />1\.05 x; goal &lt;= 1\.10 x</);
    assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
  });
});
