/** One page of objects. */
export interface SiblingPage<Item> {
  readonly items: readonly Item[];
  /** Whether no page follows. */
  readonly last: boolean;
}

/** Where an object stands: the list of its siblings, and how to ask for it alone. */
export interface Place<Item> {
  /** Names the list; the same text is the same list. */
  readonly list: string;
  /** Reads the list, page by page. */
  readonly pages: () => AsyncIterable<SiblingPage<Item>>;
  /** Asks for the one object. Its answer is final, also when there is none. */
  readonly alone: () => Promise<Item | undefined>;
}

const lifetimeMilliseconds = 10_000;
const readAlone = 2;

/**
 * Answers many questions about objects of one parent with one list of them. The engine asks for every object by
 * itself, and keeps only about eight questions under way, so there is no batch to see: from the third question
 * about a list on, the list is read and answers everything for ten seconds.
 *
 * A list is given up when it has more pages than questions: then it costs more than it saves. What this process
 * writes is not answered from a list that may be older, and that a list lacks an object proves nothing.
 */
export class SiblingLists<Item extends { readonly id: string }> {
  private readonly lists = new Map<string, ListState<Item>>();

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** Finds an object by its id. */
  async read(place: Place<Item>, id: string): Promise<Item | undefined> {
    const state = this.state(place.list);
    if (state.written.has(id)) {
      return place.alone();
    }
    const snapshot = this.ask(state, place);
    return (await snapshot?.when((item) => item.id === id)) ?? place.alone();
  }

  /**
   * Finds the object that a new one would collide with.
   *
   * @returns the first that matches; `undefined` when the whole list has none
   */
  async find(place: Place<Item>, matches: (item: Item) => boolean): Promise<Item | undefined> {
    const state = this.state(place.list);
    const snapshot = this.ask(state, place);
    const listed = await snapshot?.when((item) => !state.written.has(item.id) && matches(item));
    if (snapshot?.complete !== true) {
      return listed ?? place.alone();
    }
    return listed ?? [...state.written.values()].find((item) => item !== undefined && matches(item));
  }

  /**
   * Notes that this process has written an object.
   *
   * @param item as the service answered it; `undefined` when it was deleted
   */
  note(list: string, id: string, item: Item | undefined): void {
    this.state(list).written.set(id, item);
  }

  private state(list: string): ListState<Item> {
    let state = this.lists.get(list);
    if (state === undefined) {
      state = { questions: 0, snapshot: undefined, written: new Map() };
      this.lists.set(list, state);
    }
    return state;
  }

  private ask(state: ListState<Item>, place: Place<Item>): Snapshot<Item> | undefined {
    const now = this.now();
    if (state.snapshot !== undefined && now - state.snapshot.begun >= lifetimeMilliseconds) {
      state.snapshot = undefined;
      state.questions = 0;
      // What was written before a new list is begun, the new list has.
      state.written.clear();
    }
    state.questions += 1;
    if (state.questions <= readAlone) {
      return undefined;
    }
    state.snapshot ??= new Snapshot(now, place.pages());
    return state.snapshot;
  }
}

interface ListState<Item> {
  questions: number;
  snapshot: Snapshot<Item> | undefined;
  /** What this process has written since the list was begun. */
  readonly written: Map<string, Item | undefined>;
}

interface Question<Item> {
  readonly matches: (item: Item) => boolean;
  readonly answer: (item: Item | undefined) => void;
}

/** A list while it is being read, and after. */
class Snapshot<Item> {
  /** Whether all of the list has been read. */
  complete = false;
  private readonly items: Item[] = [];
  private readonly waiting = new Set<Question<Item>>();
  private questions = 0;
  private ended = false;

  constructor(
    readonly begun: number,
    pages: AsyncIterable<SiblingPage<Item>>,
  ) {
    void this.load(pages);
  }

  /** @returns the item once it has been read; `undefined` when the list has none, or was given up */
  when(matches: (item: Item) => boolean): Promise<Item | undefined> {
    this.questions += 1;
    const item = this.items.find(matches);
    if (item !== undefined || this.ended) {
      return Promise.resolve(item);
    }
    return new Promise((answer) => this.waiting.add({ matches, answer }));
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
        this.complete = page.last;
      }
    } catch {
      // Whoever still waits asks for its object alone, and meets the same failure with its own words.
    }
    this.ended = true;
    for (const { answer } of this.waiting) {
      answer(undefined);
    }
    this.waiting.clear();
  }

  private take(items: readonly Item[]): void {
    this.items.push(...items);
    for (const question of this.waiting) {
      const item = items.find(question.matches);
      if (item !== undefined) {
        this.waiting.delete(question);
        question.answer(item);
      }
    }
  }
}
