import { format, resolveConfig } from "prettier";

export interface Row {
  readonly what: string;
  readonly how: string;
  readonly figure: number;
  readonly unit: "bytes" | "MB" | "ms" | "x";
  readonly goal: Goal;
  readonly detail?: string;
}

export type Goal = readonly [bound: ">=" | "<=", value: number];

const digits = { bytes: 0, MB: 2, ms: 1, x: 2 } as const;

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ what, how, figure, unit, goal: [bound, value], detail }) => {
    const amount = (number: number): string => `${number.toFixed(digits[unit])} ${unit}`;
    const isReached = bound === ">=" ? figure >= value : figure <= value;
    const result = amount(figure) + (detail === undefined ? "" : ` (${detail})`);
    return [what, how, `${bound} ${amount(value)}`, result, isReached ? "reached" : "not reached"];
  });
  return markdownTable([["what", "how it is measured", "goal", "result", ""], ...lines]);
}

/** @param lines the head first */
export function markdownTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...others] = lines.map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  return [head, head.map(() => "---"), ...others].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

export async function formatted(markdown: string): Promise<string> {
  return format(markdown, { ...(await resolveConfig(__filename)), parser: "markdown" });
}
