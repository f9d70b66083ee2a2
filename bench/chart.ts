import { amount, type Figure, goalOf, isReached, resultOf, type Goal, type Row } from "./table";

const width = 820;
const margin = 20;
const rowHeight = 44;
const barHeight = 12;
const barsFrom = 56;
const headingHeight = 40;
const growthHeight = 22;
const growthBarsFrom = 340;
const growthResultWidth = 80;
/** So many figures show how something grows. */
const leastPoints = 3;
/** How much of its goal a bar can show. */
const scale = 1.6;
const goalAt = margin + (width - 2 * margin) / scale;

const style = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 15px; font-weight: 600; }
    .result { text-anchor: end; fill: #59636e; }
    .track { fill: #eaeef2; }
    .reached { fill: #1a7f64; }
    .missed { fill: #bf5b04; }
    .goal { stroke: #1f2328; stroke-width: 1.5; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .result { fill: #9198a1; }
      .track { fill: #262c36; }
      .reached { fill: #3fb68b; }
      .missed { fill: #e8833a; }
      .goal { stroke: #f0f6fc; }
    }`;

/**
 * Draws the rows that have a goal as bars, each measured by its own goal: what ends left of its mark has reached it.
 * Below them those that show growth, which have three figures or more and no goal, all by the same measure. The colours follow
 * the reader's preference for light or dark.
 *
 * @returns an SVG file
 */
export function chart(rows: readonly Row[]): string {
  const bars = rows.flatMap((row) => (row.goal && row.figures.length > 0 ? [{ row, goal: row.goal }] : []));
  const growing = rows.filter(({ goal, figures }) => goal === undefined && figures.length >= leastPoints);
  const points = growing.flatMap(({ what, unit, figures }) =>
    figures.map((figure) => ({ what, unit, ...figure })),
  );
  const most = Math.max(...points.map(({ value }) => value));
  const growthFrom = barsFrom + bars.length * rowHeight + headingHeight;
  const height = growthFrom + points.length * growthHeight + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>What was measured, in terms of its goal</title>`,
    `  <style>${style}\n  </style>`,
    `  <text class="title" x="${margin}" y="24">Measured, in terms of the goal: shorter is better</text>`,
    ...bars.flatMap(({ row, goal }, index) => bar(row, goal, barsFrom + index * rowHeight)),
    `  <text class="title" x="${margin}" y="${growthFrom - 16}">How it grows with their number: the engine saves its state at each step</text>`,
    ...points.flatMap((point, index) => growth(point, most, growthFrom + index * growthHeight)),
    `</svg>`,
    ``,
  ].join("\n");
}

function bar(row: Row, goal: Goal, top: number): readonly string[] {
  // Of several figures the one that is farthest from the goal.
  const [share = 0, value = 0] =
    row.figures
      .map((figure): [number, number] => [shareOf(figure.value, goal), figure.value])
      .sort(([left], [right]) => right - left)[0] ?? [];
  const result = resultOf({ ...row, figures: [{ value }] });
  const length = Math.max(2, Math.min(share, scale) * (goalAt - margin));
  const barTop = top + 8;
  const size = `y="${barTop}" height="${barHeight}" rx="3"`;
  return [
    `  <text x="${margin}" y="${top}">${escaped(row.what)}</text>`,
    `  <text class="result" x="${width - margin}" y="${top}">${escaped(`${result}; goal ${goalOf(row) ?? ""}`)}</text>`,
    `  <rect class="track" x="${margin}" width="${width - 2 * margin}" ${size}/>`,
    `  <rect class="${isReached(row, goal) ? "reached" : "missed"}" x="${margin}" width="${length.toFixed(1)}" ${size}/>`,
    `  <line class="goal" x1="${goalAt}" x2="${goalAt}" y1="${barTop - 4}" y2="${barTop + barHeight + 4}"/>`,
  ];
}

/** One figure of a row that shows growth, beside all others. */
function growth(
  { what, unit, value, label = "" }: Pick<Row, "what" | "unit"> & Figure,
  most: number,
  top: number,
): readonly string[] {
  const length = ((width - margin - growthBarsFrom - growthResultWidth) * value) / most;
  const name = `${what}, ${label}`;
  return [
    `  <text x="${margin}" y="${top + 12}">${escaped(name)}</text>`,
    `  <rect class="reached" x="${growthBarsFrom}" width="${length.toFixed(1)}" y="${top + 2}" height="${barHeight}" rx="3"/>`,
    `  <text class="result" x="${width - margin}" y="${top + 12}">${escaped(amount(value, unit))}</text>`,
  ];
}

/** How much of what is allowed is used; for what is to be large, how much of it is lacking counts in the same way. */
function shareOf(value: number, { bound, value: limit }: Goal): number {
  const [part, whole] = bound === "most" ? [value, limit] : [limit, value];
  return part === 0 ? 0 : part / whole;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
