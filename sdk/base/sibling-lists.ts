import { KeyedMutex, Span } from "./timing";

interface Identified {
  readonly id: string;
}

type Pages<Item> = AsyncIterable<{ readonly items: readonly Item[] }>;

type Known = ReadonlyMap<string, Identified>;

interface RecentList {
  readonly life: Span;
  lookups: number;
  items?: Promise<Known>;
}

interface Waiting {
  readonly pages: () => Pages<Identified>;
  readonly serve: (served: Served | Promise<Known>) => void;
}

/** Or the object is read alone, either while the others wait for it or beside other reads. */
type Served = Known | "next" | "alone";

/** What this process knows about the objects of one list. */
class Siblings {
  recent: RecentList | undefined;
  /** The number of objects in the last list that was read; infinite if it could not be read. */
  size = 0;
  /** Lookups of objects that were written since the last list began, while another such lookup is running. */
  waiting: Waiting[] = [];
  isBusy = false;

  isWorthAList(lookups: number): boolean {
    return lookups > Math.max(readAlone, this.size / objectsPerRead);
  }
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;
/** How many objects a list can contain if it is to take no longer than one more read. */
const objectsPerRead = 50;

/**
 * Serves lookups of siblings from one list, from the third lookup on, until ten seconds after the first one.
 * The engine reads each object separately, about eight at a time, so there is no batch to detect. An object
 * that this process has written is served from a list that began afterwards, if several lookups wait. A list
 * never proves that an object is absent.
 */
export class SiblingLists {
  private readonly siblings = new Map<string, Siblings>();
  /** IDs, by list. */
  private readonly written = new Map<string, Set<string>>();
  private readonly next = new Map<string, Promise<unknown>>();
  private readonly complete = new Map<string, { readonly items: Promise<unknown>; life?: Span }>();
  private readonly turns = new KeyedMutex();

  /** @param now a monotonic clock, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * @param alone reads only this object, with a final result
   * @param contents what the items contain, if there are lists with more
   */
  async read<Item extends Identified>(
    list: string,
    id: string,
    pages: () => Pages<Item>,
    alone: () => Promise<Item | undefined>,
    contents = "",
  ): Promise<Item | undefined> {
    const key = `${list}?${contents}`;
    const siblings = this.siblings.get(key) ?? new Siblings();
    this.siblings.set(key, siblings);
    if (this.isWritten(list, id)) {
      return readWritten(siblings, id, pages, alone);
    }
    const item = (await this.recentList(siblings, pages))?.get(id);
    return item === undefined || this.isWritten(list, id) ? alone() : (item as Item);
  }

  private recentList(siblings: Siblings, pages: () => Pages<Identified>): Promise<Known> | undefined {
    let { recent } = siblings;
    if (recent === undefined || recent.life.left === 0) {
      recent = { life: this.life(), lookups: 0 };
      siblings.recent = recent;
    }
    const own = recent;
    own.lookups += 1;
    if (own.items === undefined && siblings.isWorthAList(own.lookups)) {
      own.items = collect(siblings, pages(), () => own.lookups - readAlone);
    }
    return own.items;
  }

  isWritten(list: string, id: string): boolean {
    return this.written.get(list)?.has(id) === true;
  }

  private life(): Span {
    return new Span(lifetimeMilliseconds, this.now);
  }

  /** Records that this process has written the object: a list that began before might be outdated. */
  note(list: string, id: string): void {
    const written = this.written.get(list) ?? new Set();
    this.written.set(list, written.add(id));
  }

  /** A complete list, shared until ten seconds after it was read or until an object is moved. */
  shared<List>(path: string, load: () => Promise<List>): Promise<List> {
    const known = this.complete.get(path);
    if (known !== undefined && known.life?.left !== 0) {
      // The failure might only concern the first caller, such as a cancellation.
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
      // The failure might only concern the first caller, such as a cancellation.
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

/**
 * One object is read alone; lookups that arrive meanwhile share a list, or are read alone if a list would
 * cost more.
 */
async function readWritten<Item extends Identified>(
  siblings: Siblings,
  id: string,
  pages: () => Pages<Item>,
  alone: () => Promise<Item | undefined>,
): Promise<Item | undefined> {
  if (siblings.isBusy) {
    const served = await new Promise<Served>((serve) => siblings.waiting.push({ pages, serve }));
    const item = (served instanceof Map ? served.get(id) : undefined) as Item | undefined;
    if (served !== "next") {
      return item ?? alone();
    }
  }
  siblings.isBusy = true;
  return alone().finally(() => serveWaiting(siblings));
}

function serveWaiting(siblings: Siblings): void {
  const { waiting } = siblings;
  const [first, ...others] = waiting;
  if (first !== undefined && waiting.length <= readAlone) {
    siblings.waiting = others;
    first.serve("next");
    return;
  }
  siblings.waiting = [];
  if (first !== undefined && siblings.isWorthAList(waiting.length)) {
    const list = collect(siblings, first.pages(), () => waiting.length - readAlone);
    waiting.forEach(({ serve }) => serve(list));
    void list.then(() => serveWaiting(siblings));
    return;
  }
  siblings.isBusy = false;
  waiting.forEach(({ serve }) => serve("alone"));
}

/**
 * A list with more pages than lookups costs more than it saves. After a failure, the remaining lookups read
 * their objects alone and fail with their own errors.
 */
async function collect(siblings: Siblings, pages: Pages<Identified>, limit: () => number): Promise<Known> {
  const known = new Map<string, Identified>();
  let read = 0;
  try {
    for await (const { items } of pages) {
      items.forEach((item) => known.set(item.id, item));
      read += 1;
      if (read >= limit()) {
        break;
      }
    }
  } catch {
    // The pages might have been read at different times, and another list would fail too.
    siblings.size = Number.POSITIVE_INFINITY;
    return new Map();
  }
  siblings.size = known.size;
  return known;
}
