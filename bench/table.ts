/** One thing that was measured. */
export interface Row {
  readonly what: string;
  /** How it was measured; for a ratio, what exactly the other side does. */
  readonly how: string;
  /** The figures in words; why there are none where something is missing. */
  readonly result: string;
  readonly goal?: string;
  /** `undefined` without a goal or a figure. */
  readonly reached?: boolean;
}

/** A row with one figure. */
export function figureRow(
  { what, how, goal }: { what: string; how: string; goal?: Goal },
  value: number,
  unit: string,
  remark?: string,
): Row {
  const digits = unit === "bytes" ? 0 : unit === "ms" ? 1 : 2;
  const amount = (number: number): string => `${number.toFixed(digits)} ${unit}`;
  const result = remark === undefined ? amount(value) : `${amount(value)} (${remark})`;
  return goal === undefined
    ? { what, how, result }
    : { what, how, result, goal: `${goal.bound} ${amount(goal.value)}`, reached: isReached(goal, value) };
}

/** `>=` is reached by as much or more, `<=` by as much or less. */
export interface Goal {
  readonly bound: ">=" | "<=";
  readonly value: number;
}

export function isReached({ bound, value }: Goal, figure: number): boolean {
  return bound === ">=" ? figure >= value : figure <= value;
}

/**
 * A Markdown table that can also be read as it stands, in the form that the formatter gives it.
 *
 * @param lines the cells of each line, those of the head first
 */
export function layOut(lines: readonly (readonly string[])[]): string {
  const escaped = lines.map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (escaped[0] ?? []).map((_, column) =>
    Math.max(3, ...escaped.map((line) => line[column]?.length ?? 0)),
  );
  const [head = [], ...rest] = escaped.map((line) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  return [head, widths.map((width) => "-".repeat(width)), ...rest]
    .map((line) => `| ${line.join(" | ")} |`)
    .join("\n");
}

/** Rows as a table: with the verdict on each goal. */
export function tableOf(rows: readonly Row[]): string {
  const verdict = ({ reached }: Row): string =>
    reached === undefined ? "" : reached ? "reached" : "not reached";
  const lines = rows.map((row) => [row.what, row.how, row.goal ?? "-", row.result, verdict(row)]);
  return layOut([["what", "how it is measured", "goal", "result", ""], ...lines]);
}
