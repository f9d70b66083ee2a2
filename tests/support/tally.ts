/** Counts what was tried, for a report in Markdown. */
export class Tally<Column extends string> {
  readonly rows = new Map<string, Partial<Record<Column, number>>>();

  /** @param untried what stands where nothing was tried */
  constructor(
    readonly columns: readonly Column[],
    private readonly untried: string | number = 0,
  ) {}

  add(row: string, column: Column, number = 1): void {
    const counts: Partial<Record<Column, number>> = this.rows.get(row) ?? {};
    this.rows.set(row, { ...counts, [column]: (counts[column] ?? 0) + number });
  }

  sum(column: Column): number {
    return [...this.rows.values()].reduce((sum, counts) => sum + (counts[column] ?? 0), 0);
  }

  /** Without columns and rows of which nothing was tried. */
  table(): string {
    const columns = this.columns.filter((column) => [...this.rows.values()].some((row) => column in row));
    const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
    return [
      line(["", ...columns]),
      line(["---", ...columns.map(() => "--:")]),
      ...[...this.rows]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, counts]) => line([name, ...columns.map((column) => counts[column] ?? this.untried)])),
      line(["all", ...columns.map((column) => this.sum(column))]),
    ].join("\n");
  }
}
