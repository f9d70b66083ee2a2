import { type Caller, SharedWork } from "../base/caller";
import { Turns } from "../base/turns";
import type { Identified } from "./kind";

export interface Place<Item> {
  /** The key of the list. */
  readonly list: string;
  readonly caller: Caller;
  /** Reads the list for all lookups that wait for it. */
  readonly pages: (caller: Caller) => AsyncIterable<{ readonly items: readonly Item[] }>;
  /** Reads only this object. The result is final, even if the object does not exist. */
  readonly alone: () => Promise<Item | undefined>;
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;

/** Serves lookups for ten seconds from the first one. */
class RecentList<Item extends Identified> {
  /** Written by this process in the meantime: the list may be older. */
  readonly written = new Set<string>();
  questions = 0;
  private readonly work = new SharedWork();
  private items: Promise<ReadonlyMap<string, Item>> | undefined;

  constructor(readonly expires: number) {}

  async find(id: string, { caller, pages }: Place<Item>): Promise<Item | undefined> {
    this.items ??= this.load(pages(this.work.caller));
    const item = (await this.work.wait(caller, this.items)).get(id);
    return this.written.has(id) ? undefined : item;
  }

  private async load(
    pages: AsyncIterable<{ readonly items: readonly Item[] }>,
  ): Promise<ReadonlyMap<string, Item>> {
    const known = new Map<string, Item>();
    let read = 0;
    try {
      for await (const { items } of pages) {
        items.forEach((item) => known.set(item.id, item));
        read += 1;
        if (read >= this.questions - readAlone) {
          break;
        }
      }
    } catch {
      // The remaining lookups read their object alone and fail with their own error.
    }
    return known;
  }
}

/**
 * Serves lookups of siblings from one list, from the third lookup on. The engine reads each object separately, about
 * eight at a time, so there is no batch to detect. A list with more pages than lookups costs more than it saves.
 * What this process has written is not served from it, and a missing object is not proven absent.
 */
export class SiblingLists<Item extends Identified> {
  private readonly recent = new Map<string, RecentList<Item>>();
  private readonly next = new Map<
    string,
    { readonly work: SharedWork; readonly items: Promise<readonly Item[]> }
  >();
  private readonly turns = new Turns();

  /** @param now a monotonic clock, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  async read(place: Place<Item>, id: string): Promise<Item | undefined> {
    const { list, alone } = place;
    let state = this.recent.get(list);
    if (state === undefined || this.now() >= state.expires) {
      state = new RecentList(this.now() + lifetimeMilliseconds);
      this.recent.set(list, state);
    }
    if (state.written.has(id)) {
      return alone();
    }
    state.questions += 1;
    return (state.questions > readAlone ? await state.find(id, place) : undefined) ?? alone();
  }

  note(list: string, id: string): void {
    this.recent.get(list)?.written.add(id);
  }

  /** Reads the list after the call: the object is about to be created. Concurrent calls share the next list. */
  all(
    list: string,
    caller: Caller,
    load: (caller: Caller) => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> {
    let next = this.next.get(list);
    if (next === undefined || next.work.isCancelled) {
      const work = new SharedWork();
      const items = this.turns.run(list, () => {
        this.next.delete(list);
        return load(work.caller);
      });
      next = { work, items };
      this.next.set(list, next);
    }
    return next.work.wait(caller, next.items);
  }
}
