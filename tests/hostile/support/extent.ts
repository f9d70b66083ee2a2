import { Tally } from "../../support/tally";

/** Whether everything is tried, as `npm run test:hostile` does, or a selection that takes seconds. */
export let everything = false;

export function tryEverything(): void {
  everything = true;
}

/**
 * Selects from what could be tried: everything, or every so many, always the same ones.
 *
 * @param step how many values one that is tried represents
 */
export class Selection {
  private count = 0;

  constructor(private readonly step: number) {}

  from<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => everything || this.count++ % this.step === 0);
  }
}

/** How many of each kind were tried, by who they were tried on. */
const responses = ["bodies", "responses", "absence", "lists", "streams", "provider process"] as const;
const inputs = ["arguments in paths", "ids", "arguments of wrong types", "texts"] as const;
export const tally = new Tally([...responses, ...inputs], "");

/** Notes that something was tried. */
export const tried = tally.add.bind(tally);
