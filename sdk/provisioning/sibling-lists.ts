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
  async read(place: Place<Item>, id: string): Promise<Item | undefined> {
    const state = this.state(place.list);
    if (state.written.has(id)) {
      return place.alone();
    }
    const snapshot = this.ask(state, place);
    return (await snapshot?.when(place.caller, (item) => item.id === id)) ?? place.alone();
  }

  /**
   * Lists all objects.
   *
   * @param alone asks for the list by itself
   */
  async all(place: Listed<Item>, alone: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
    const snapshot = this.look(this.state(place.list), place);
    await snapshot?.when(place.caller, () => false);
    return snapshot?.complete === true ? snapshot.everything() : alone();
  }

  /**
   * Notes that this process has written an object.
   *
   * @param item as the service returned it; `undefined` when it was deleted
   */
  note(list: string, id: string, item: Item | undefined): void {
    const { written, snapshot, latest } = this.state(list);
    written.add(id);
    snapshot?.note(id, item);
    latest?.note(id, item);
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
    const state: ListState<Item> = {
      questions: 0,
      snapshot: undefined,
      stale: 0,
      latest: undefined,
      next: undefined,
      written: new Set(),
      expires: 0,
    };
    this.prolong(list, state);
    return state;
  }

  private ask(state: ListState<Item>, place: Listed<Item>): Snapshot<Item> | undefined {
    if (state.snapshot === undefined || state.snapshot.isCancelled || this.now() >= state.stale) {
      this.prolong(place.list, state);
      state.stale = state.expires;
      state.questions += 1;
      state.snapshot = state.questions > readAlone ? new Snapshot(place.pages) : undefined;
    }
    return state.snapshot;
  }

  /**
   * A list that is begun after the question: an older one may lack what another client has created since, and
   * what is looked for is about to be created. Questions that come while a list is being read share the next
   * one.
   */
  private look(state: ListState<Item>, place: Listed<Item>): Snapshot<Item> | undefined {
    this.prolong(place.list, state);
    state.questions += 1;
    if (state.questions <= readAlone) {
      return undefined;
    }
    if (state.next === undefined || state.next.isCancelled) {
      const next = new Snapshot(place.pages, state.latest?.loaded, () => {
        state.next = state.next === next ? undefined : state.next;
        state.latest = next;
      });
      state.next = next;
    }
    return state.next;
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
  /** What serves reads until it is too old. */
  snapshot: Snapshot<Item> | undefined;
  stale: number;
  /** The list that was begun last, for those who are about to create something. */
  latest: Snapshot<Item> | undefined;
  /** The list that will be begun next. */
  next: Snapshot<Item> | undefined;
  /** The ids of what this process has written in the meantime; it is read back without a list. */
  readonly written: Set<string>;
  expires: number;
}

interface Question<Item> {
  readonly matches: (item: Item) => boolean;
  readonly resolve: (item: Item | undefined) => void;
}

/** A list while it is being read, and after. */
class Snapshot<Item extends { readonly id: string }> {
  /** Whether all of the list has been read, and nothing can have slipped through between two pages. */
  complete = false;
  private readonly items: Item[] = [];
  /**
   * Objects that were written since the list was started, which may have old values in it; `undefined` for
   * deleted ones.
   */
  private readonly written = new Map<string, Item | undefined>();
  private readonly waiting = new Set<Question<Item>>();
  private readonly work = new SharedWork();
  private questions = 0;
  private ended = false;

  /** Settles when no more of it will be read. */
  readonly loaded: Promise<void>;

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

  note(id: string, item: Item | undefined): void {
    this.written.set(id, item);
  }

  /** What the list holds by now; only once it is complete. */
  everything(): readonly Item[] {
    const written = [...this.written.values()].filter((item) => item !== undefined);
    return [...this.current(this.items), ...written];
  }

  /** @returns the item once it has been read; `undefined` when the list has none, or was given up */
  when(caller: Caller, matches: (item: Item) => boolean): Promise<Item | undefined> {
    this.questions += 1;
    const item = this.current(this.items).find(matches);
    if (item !== undefined || this.ended) {
      return Promise.resolve(item);
    }
    return this.work.wait(caller, new Promise((resolve) => this.waiting.add({ matches, resolve })));
  }

  private async load(pages: AsyncIterable<SiblingPage<Item>>): Promise<void> {
    let read = 0;
    try {
      for await (const page of pages) {
        read += 1;
        this.take(page.items);
        if (!page.last && read >= this.questions) {
          break;
        }
        this.complete = page.last && (read === 1 || !this.somethingWasDeleted());
      }
    } catch {
      // Remaining lookups read their object alone and fail with their own error.
    }
    this.ended = true;
    for (const { resolve } of this.waiting) {
      resolve(undefined);
    }
    this.waiting.clear();
  }

  private take(items: readonly Item[]): void {
    this.items.push(...items);
    const current = this.current(items);
    for (const question of this.waiting) {
      const item = current.find(question.matches);
      if (item !== undefined) {
        this.waiting.delete(question);
        question.resolve(item);
      }
    }
  }

  private current(items: readonly Item[]): readonly Item[] {
    return this.written.size === 0 ? items : items.filter(({ id }) => !this.written.has(id));
  }

  /** A deletion moves what follows one place ahead, so that the next page begins one too late. */
  private somethingWasDeleted(): boolean {
    return [...this.written.values()].includes(undefined);
  }
}
