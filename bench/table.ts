/** One thing that was measured. */
export interface Row {
  readonly what: string;
  /** How it was measured; for a ratio, what exactly the other side does. */
  readonly how: string;
  /** `x` is a ratio. */
  readonly unit: Unit;
  readonly figures: readonly Figure[];
  /** Each figure has to reach it. A row without a goal is there to compare with. */
  readonly goal?: Goal;
}

/** A result, and what it is called where a row has several. */
export interface Figure {
  readonly value: number;
  readonly label?: string;
}

/** `least` is reached by as much or more, `most` by as much or less. */
export interface Goal {
  readonly bound: "least" | "most";
  readonly value: number;
}

export type Unit = keyof typeof decimals;

const decimals = { x: 2, ms: 1, MB: 2, bytes: 0 } as const;
const head = ["what", "how it is measured", "goal", "result", ""] as const;

/** @returns the rows as a table in Markdown, laid out so that it can also be read as it stands */
export function table(rows: readonly Row[]): string {
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  const [first, ...others] = lines.map((line) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  return [first ?? [], rule, ...others].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function cells({ what, how, unit, figures, goal }: Row): readonly string[] {
  const result = figures.map(({ value, label }) =>
    [amount(value, unit), ...(label ? [label] : [])].join(" "),
  );
  const asked = goal && `${goal.bound === "least" ? ">=" : "<="} ${amount(goal.value, unit)}`;
  return [what, how, asked ?? "-", result.join(", "), goal ? verdict(figures, goal) : ""].map(escaped);
}

function verdict(figures: readonly Figure[], goal: Goal): string {
  return figures.every(({ value }) => (goal.bound === "least" ? value >= goal.value : value <= goal.value))
    ? "reached"
    : "not reached";
}

function amount(value: number, unit: Unit): string {
  return `${value.toFixed(decimals[unit])} ${unit}`;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}
