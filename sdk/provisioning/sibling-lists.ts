import type { Caller } from "../base/caller";
import { SharedWork } from "../base/shared-work";
import { Turns } from "../base/turns";
import type { Identified } from "./kind";

/** How to find an object: the list of its siblings, and a request for the object alone. */
export interface Place<Item> {
  /** Names the list; the same text is the same list. */
  readonly list: string;
  /** On whose behalf it is read. */
  readonly caller: Caller;
  /** Reads the list, page by page, on behalf of all who ask. */
  readonly pages: (caller: Caller) => AsyncIterable<{ readonly items: readonly Item[] }>;
  /** Asks for the one object. The result is final, even if the object does not exist. */
  readonly alone: () => Promise<Item | undefined>;
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;

/** What is known about a list for ten seconds from the first question. */
class RecentList<Item extends Identified> {
  /** The ids of what this process has written in the meantime; the list may be older. */
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
      // Remaining lookups read their object alone and fail with their own error.
    }
    return known;
  }
}

/**
 * Serves many lookups of objects with one parent from one list. The engine reads every object separately,
 * with only about eight concurrent reads, so there is no batch to detect: from the third lookup on, the list
 * is read and serves all lookups until ten seconds after the first one.
 *
 * A list with more pages than lookups is abandoned, since it costs more than it saves. Objects that this
 * process writes are not served from a list, which may be older, and an object that is missing from a list is
 * not proven absent.
 */
export class SiblingLists<Item extends Identified> {
  private readonly recent = new Map<string, RecentList<Item>>();
  private readonly next = new Map<
    string,
    { readonly work: SharedWork; readonly items: Promise<readonly Item[]> }
  >();
  private readonly turns = new Turns();

  /** @param now milliseconds of a clock that is never set back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Finds an object by its id. */
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

  /** Notes that this process has written an object. */
  note(list: string, id: string): void {
    this.recent.get(list)?.written.add(id);
  }
  /**
   * Lists all objects, in a list that is begun after the question: what is looked for is about to be created.
   * Questions that come while a list is being read share the next one.
   */
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
