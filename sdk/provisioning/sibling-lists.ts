import type { Caller } from "../base/caller";
import { SharedWork } from "../base/shared-work";

/** One page of objects. */
export interface SiblingPage<Item> {
  readonly items: readonly Item[];
  /** Whether no page follows and the list lacks nothing that it says it has. */
  readonly last: boolean;
}

/** A list of siblings. */
export interface Listed<Item> {
  /** Names the list; the same text is the same list. */
  readonly list: string;
  /** On whose behalf it is read. */
  readonly caller: Caller;
  /** Reads the list, page by page, on behalf of all who ask. */
  readonly pages: (caller: Caller) => AsyncIterable<SiblingPage<Item>>;
}

/** How to find an object: the list of its siblings, and a request for the object alone. */
export interface Place<Item> extends Listed<Item> {
  /** Asks for the one object. The result is final, even if the object does not exist. */
  readonly alone: () => Promise<Item | undefined>;
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;

/**
 * Serves many lookups of objects with one parent from one list. The engine reads every object separately,
 * with only about eight concurrent reads, so there is no batch to detect: from the third lookup on, the list
 * is read and serves all lookups for ten seconds.
 *
 * A lookup before a creation uses a list that was started after the lookup.
 *
 * A list with more pages than lookups is abandoned, since it costs more than it saves. Objects that this
 * process writes are not served from a list, which may be older, and an object that is missing from a list is
 * not proven absent.
 */
export class SiblingLists<Item extends { readonly id: string }> {
  /** In the order in which they expire. */
  private readonly lists = new Map<string, ListState<Item>>();

  /** @param now milliseconds of a clock that is never set back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** How many lists are remembered: those that somebody asked about a moment ago. */
  get size(): number {
    return this.lists.size;
  }

  /** Finds an object by its id. */
  async read({ list, caller, pages, alone }: Place<Item>, id: string): Promise<Item | undefined> {
    const state = this.state(list);
    if (state.written.has(id)) {
      return alone();
    }
    if (state.shared === undefined || state.shared.isCancelled || this.now() >= state.stale) {
      this.prolong(list, state);
      state.stale = state.expires;
      state.questions += 1;
      state.shared = state.questions > readAlone ? new SharedList(pages) : undefined;
    }
    const found = await state.shared?.known(caller);
    return found?.find((item) => item.id === id && !state.written.has(id)) ?? alone();
  }

  /**
   * Lists all objects, in a list that is begun after the question: an older one may lack what another client has
   * created since, and what is looked for is about to be created. Questions that come while a list is being read
   * share the next one.
   *
   * @param alone asks for the list by itself
   */
  async all(
    { list, caller, pages }: Listed<Item>,
    alone: () => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> {
    const state = this.state(list);
    this.prolong(list, state);
    state.questions += 1;
    if (state.questions <= readAlone) {
      return alone();
    }
    if (state.next === undefined || state.next.isCancelled) {
      const created = new SharedList(pages, state.latest?.loaded, () => {
        state.next = state.next === created ? undefined : state.next;
        state.latest = created;
      });
      state.next = created;
    }
    const { next } = state;
    const items = await next.known(caller);
    return next.isComplete ? items : alone();
  }

  /**
   * Notes that this process has written an object.
   *
   * @param item as the service returned it; `undefined` when it was deleted
   */
  note(list: string, id: string, item: Item | undefined): void {
    const { written, shared, latest } = this.state(list);
    written.add(id);
    shared?.written.set(id, item);
    latest?.written.set(id, item);
  }

  private state(list: string): ListState<Item> {
    const now = this.now();
    for (const [name, { expires }] of this.lists) {
      if (now < expires) {
        break;
      }
      this.lists.delete(name);
    }
    const known = this.lists.get(list);
    if (known !== undefined) {
      return known;
    }
    const state: ListState<Item> = { questions: 0, stale: 0, written: new Set(), expires: 0 };
    this.prolong(list, state);
    return state;
  }

  private prolong(list: string, state: ListState<Item>): void {
    state.expires = this.now() + lifetimeMilliseconds;
    this.lists.delete(list);
    this.lists.set(list, state);
  }
}

/** What is known about a list for ten seconds, counted from the last question before it was begun. */
interface ListState<Item extends { readonly id: string }> {
  questions: number;
  /** The list that serves reads until it is too old. */
  shared?: SharedList<Item> | undefined;
  stale: number;
  /** For those who are about to create something: the list that was begun last, and the one after it. */
  latest?: SharedList<Item>;
  next?: SharedList<Item> | undefined;
  /** The ids of what this process has written in the meantime; it is read back without a list. */
  readonly written: Set<string>;
  expires: number;
}

/** A list while it is being read, and after. */
class SharedList<Item extends { readonly id: string }> {
  /** Whether all of the list has been read, and nothing can have slipped through between two pages. */
  isComplete = false;
  /** What this process has written since the list was begun; `undefined` for deleted objects. */
  readonly written = new Map<string, Item | undefined>();
  /** Settles when no more of it will be read. */
  readonly loaded: Promise<void>;
  private readonly items: Item[] = [];
  private readonly work = new SharedWork();
  private questions = 0;
  private hasEnded = false;

  /**
   * @param earlier what it waits for. Default: it begins at once
   * @param begins called when the list begins
   */
  constructor(pages: Listed<Item>["pages"], earlier: Promise<void> = Promise.resolve(), begins?: () => void) {
    this.loaded = earlier.then(() => {
      begins?.();
      return this.load(pages(this.work.caller));
    });
  }

  /** Whether it was given up because all who asked were cancelled. */
  get isCancelled(): boolean {
    return this.work.isCancelled;
  }

  /** What the list holds, with what this process has written since. */
  async known(caller: Caller): Promise<readonly Item[]> {
    this.questions += 1;
    if (!this.hasEnded) {
      await this.work.wait(caller, this.loaded);
    }
    const written = [...this.written.values()].filter((item) => item !== undefined);
    return [...this.items.filter(({ id }) => !this.written.has(id)), ...written];
  }

  private async load(pages: AsyncIterable<SiblingPage<Item>>): Promise<void> {
    let read = 0;
    try {
      for await (const { items, last } of pages) {
        read += 1;
        this.items.push(...items);
        if (!last && read >= this.questions) {
          break;
        }
        // A deletion moves what follows one place ahead, so that the next page begins one too late.
        this.isComplete = last && (read === 1 || ![...this.written.values()].includes(undefined));
      }
    } catch {
      // Remaining lookups read their object alone and fail with their own error.
    }
    this.hasEnded = true;
  }
}
