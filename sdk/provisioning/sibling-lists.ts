import { KeyedMutex, Span } from "../base/timing";
import type { Identified } from "./kind";
import { ListChanged } from "./pages";

type Pages<Item> = AsyncIterable<{ readonly items: readonly Item[] }>;

interface RecentList {
  readonly life: Span;
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
  private readonly next = new Map<string, Promise<unknown>>();
  private readonly complete = new Map<string, { readonly items: Promise<unknown>; life?: Span }>();
  private readonly turns = new KeyedMutex();

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
    if (recent === undefined || recent.life.left === 0) {
      recent = { life: this.life(), written: new Set(), lookups: 0 };
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

  private life(): Span {
    return new Span(lifetimeMilliseconds, this.now);
  }

  /** @param list without its query */
  note(list: string, id: string): void {
    for (const [key, { written }] of this.recent) {
      if (key.split("?", 1)[0] === list) {
        written.add(id);
      }
    }
  }

  /** A complete list, shared until ten seconds after it was read, or until something is moved. */
  shared<List>(path: string, load: () => Promise<List>): Promise<List> {
    const known = this.complete.get(path);
    if (known !== undefined && known.life?.left !== 0) {
      // The failure may be the first caller's alone, such as a cancellation.
      return (known.items as Promise<List>).catch(load);
    }
    // While it is read, it is shared without a limit.
    const own: { readonly items: Promise<List>; life?: Span } = { items: load() };
    this.complete.set(path, own);
    return own.items.then(
      (list) => {
        own.life = this.life();
        return list;
      },
      (error: unknown) => {
        own.life = new Span(0, this.now);
        throw error;
      },
    );
  }

  noteMove(): void {
    this.complete.clear();
  }

  /** Loads a list that begins after the call: an object is about to be created. Concurrent calls share it. */
  together<List>(list: string, load: () => Promise<List>): Promise<List> {
    const next = this.next.get(list) as Promise<List> | undefined;
    if (next !== undefined) {
      // The failure may be the first caller's alone, such as a cancellation.
      return next.catch(load);
    }
    const own = this.turns.run(list, () => {
      this.next.delete(list);
      return load();
    });
    this.next.set(list, own);
    return own;
  }
}

/** A list with more pages than lookups costs more than it saves. */
async function collect(recent: RecentList, pages: Pages<Identified>) {
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
  } catch (error) {
    // The remaining lookups read their object alone and fail with their own error.
    if (error instanceof ListChanged) {
      known.clear();
    }
  }
  return known;
}
