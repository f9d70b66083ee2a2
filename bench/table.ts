import { format, resolveConfig } from "prettier";

/** A figure with its goal. */
export interface Row {
  readonly what: string;
  /** How it was measured; for a ratio, what exactly the other side does. */
  readonly how: string;
  readonly figure: number;
  readonly unit: "bytes" | "MB" | "ms" | "x";
  readonly goal: Goal;
  /** What else the result says. */
  readonly detail?: string;
}

/** `>=` is reached by as much or more, `<=` by as much or less. */
export type Goal = readonly [bound: ">=" | "<=", value: number];

const digits = { bytes: 0, MB: 2, ms: 1, x: 2 } as const;

/** Rows as a table: with the verdict on each goal. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ what, how, figure, unit, goal: [bound, value], detail }) => {
    const amount = (number: number): string => `${number.toFixed(digits[unit])} ${unit}`;
    const isReached = bound === ">=" ? figure >= value : figure <= value;
    const result = amount(figure) + (detail === undefined ? "" : ` (${detail})`);
    return [what, how, `${bound} ${amount(value)}`, result, isReached ? "reached" : "not reached"];
  });
  return markdownTable([["what", "how it is measured", "goal", "result", ""], ...lines]);
}

/** @param lines the cells of each line, those of the head first */
export function markdownTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...others] = lines.map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  return [head, head.map(() => "---"), ...others].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** Markdown as the project formats it: its tables can be read as they stand. */
export async function formatted(markdown: string): Promise<string> {
  return format(markdown, { ...(await resolveConfig(__filename)), parser: "markdown" });
}
