import type { Identified } from "./kind";

type Pages<Item> = AsyncIterable<{ readonly items: readonly Item[] }>;

interface RecentList {
  readonly expires: number;
  /** Written by this process in the meantime: the list may be older. */
  readonly written: Set<string>;
  lookups: number;
  items?: Promise<ReadonlyMap<string, Identified>>;
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;

/**
 * Serves lookups of siblings from one list, from the third lookup on, until ten seconds after the first one. The engine
 * reads each object separately, about eight at a time, so there is no batch to detect. What this process has written is
 * not served from the list, and a missing object is not proven absent.
 */
export class SiblingLists {
  private readonly recent = new Map<string, RecentList>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param alone reads only this object; its result is final */
  async read<Item extends Identified>(
    list: string,
    id: string,
    pages: () => Pages<Item>,
    alone: () => Promise<Item | undefined>,
  ): Promise<Item | undefined> {
    let recent = this.recent.get(list);
    if (recent === undefined || this.now() >= recent.expires) {
      recent = { expires: this.now() + lifetimeMilliseconds, written: new Set(), lookups: 0 };
      this.recent.set(list, recent);
    }
    recent.lookups += recent.written.has(id) ? 0 : 1;
    if (recent.written.has(id) || recent.lookups <= readAlone) {
      return alone();
    }
    recent.items ??= collect(recent, pages());
    const item = (await recent.items).get(id);
    return item === undefined || recent.written.has(id) ? alone() : (item as Item);
  }

  note(list: string, id: string): void {
    this.recent.get(list)?.written.add(id);
  }
}

/** A list with more pages than lookups costs more than it saves. */
async function collect(
  recent: RecentList,
  pages: Pages<Identified>,
): Promise<ReadonlyMap<string, Identified>> {
  const known = new Map<string, Identified>();
  let read = 0;
  try {
    for await (const { items } of pages) {
      items.forEach((item) => known.set(item.id, item));
      read += 1;
      if (read >= recent.lookups - readAlone) {
        break;
      }
    }
  } catch {
    // The remaining lookups read their object alone and fail with their own error.
  }
  return known;
}
