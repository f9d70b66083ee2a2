/** Whether everything is tried, as `npm run test:hostile` does, or a selection that takes seconds. */
export const everything = process.env.TRIVIUM_HOSTILE === "all";

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
