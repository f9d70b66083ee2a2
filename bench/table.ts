/** One thing that was measured. */
export interface Row {
  readonly what: string;
  /** How it was measured; for a ratio, what exactly the other side does. */
  readonly how: string;
  /** `x` is a ratio. */
  readonly unit: Unit;
  /** None where it could not be measured here; `skipped` then says why. */
  readonly figures: readonly Figure[];
  readonly skipped?: string;
  /** Each figure has to reach it. A row without a goal is there to compare with. */
  readonly goal?: Goal;
  /** Where it stands in a table of several operations of the same resources. */
  readonly cell?: { readonly line: string; readonly column: string };
}

/** A result, and what it is called where a row has several. */
export interface Figure {
  readonly value: number;
  readonly label?: string;
  /** The least and the most of several rounds, of which the value is the median. */
  readonly spread?: readonly [least: number, most: number];
}

/** `least` is reached by as much or more, `most` by as much or less. */
export interface Goal {
  readonly bound: "least" | "most";
  readonly value: number;
}

export type Unit = keyof typeof decimals;

const decimals = { x: 2, s: 1, ms: 1, MB: 2, bytes: 0, requests: 2, modules: 0, min: 0 } as const;
const head = ["what", "how it is measured", "goal", "result", ""] as const;

/** @returns the rows as a table in Markdown, laid out so that it can also be read as it stands */
export function table(rows: readonly Row[]): string {
  return layOut([head, ...rows.map(cells)]);
}

/**
 * @param lines the cells of each, those of the head first
 * @returns a table in Markdown whose columns are aligned
 */
export function layOut(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  const [first, ...others] = lines.map((line) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  return [first ?? [], rule, ...others].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function cells(row: Row): readonly string[] {
  const { what, how, goal } = row;
  return [what, how, goalOf(row) ?? "-", resultOf(row), goal ? verdict(row, goal) : ""].map(escaped);
}

/** What is to be reached, in words: `<= 1.10 x`; `undefined` where a row is only there to compare with. */
export function goalOf({ goal, unit }: Row): string | undefined {
  return goal && `${goal.bound === "least" ? ">=" : "<="} ${amount(goal.value, unit)}`;
}

/** All figures of a row, in words, with how far apart the rounds lay. */
export function resultOf({ figures, unit, skipped }: Row): string {
  return figures.length === 0
    ? `skipped: ${skipped ?? "not measured"}`
    : figures.map((figure) => figureOf(figure, unit)).join(", ");
}

/** Whether all figures of a row reach its goal. */
export function isReached({ figures }: Row, goal: Goal): boolean {
  return figures.every(({ value }) => (goal.bound === "least" ? value >= goal.value : value <= goal.value));
}

function verdict(row: Row, goal: Goal): string {
  return row.figures.length === 0 ? "" : isReached(row, goal) ? "reached" : "not reached";
}

function figureOf({ value, label, spread }: Figure, unit: Unit): string {
  const digits = decimals[unit];
  const between = spread && `(${spread[0].toFixed(digits)} to ${spread[1].toFixed(digits)})`;
  return [amount(value, unit), between, label].filter((part) => part !== undefined).join(" ");
}

/** A value with its unit, in as many decimals as make sense for that. */
export function amount(value: number, unit: Unit): string {
  return `${value.toFixed(decimals[unit])} ${unit}`;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}
