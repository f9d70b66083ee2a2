/** Whether everything is tried, as `npm run test:hostile` does, or a selection that takes seconds. */
export let everything = false;

export function tryEverything(): void {
  everything = true;
}

/**
 * Selects from what could be tried: everything, or every so many, always the same ones.
 *
 * @param step how many one that is tried stands for
 */
export class Selection {
  private count = 0;

  constructor(private readonly step: number) {}

  from<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => everything || this.count++ % this.step === 0);
  }
}

/** How many of each kind were tried, by who they were tried on. */
const counts = new Map<string, Map<string, number>>();

/** The columns of the table. */
export const columns = [
  "bodies",
  "responses",
  "lists",
  "streams",
  "provider process",
  "arguments in paths",
  "ids",
  "arguments of wrong types",
  "texts",
] as const;

/** One of them. */
type Column = (typeof columns)[number];

/** Notes that something was tried. */
export function tried(tested: string, column: Column, number = 1): void {
  const row = counts.get(tested) ?? new Map<string, number>();
  row.set(column, (row.get(column) ?? 0) + number);
  counts.set(tested, row);
}

/** What was tried in this process, as a table in Markdown; empty when nothing was. */
export function table(): string {
  const rows = [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
  const used = columns.filter((column) => rows.some(([, row]) => row.has(column)));
  const sums = used.map((column) => rows.reduce((sum, [, row]) => sum + (row.get(column) ?? 0), 0));
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return rows.length === 0
    ? ""
    : [
        line(["", ...used]),
        line(["---", ...used.map(() => "--:")]),
        ...rows.map(([tested, row]) => line([tested, ...used.map((column) => row.get(column) ?? "")])),
        line(["all", ...sums]),
      ].join("\n");
}
