import type { Caller } from "../../sdk/base/caller";
import type { Place, SiblingPage } from "../../sdk/provisioning/sibling-lists";
import { settle } from "../http/clock";

/** An object of a list. */
export interface Thing {
  readonly id: string;
  readonly name: string;
}

/** So many things, numbered from 1. */
export function things(count: number): Thing[] {
  return Array.from({ length: count }, (_, index) => ({ id: `t-${index + 1}`, name: `name ${index + 1}` }));
}

/** A request that a test answers when it likes. */
interface Pending {
  response(): void;
  fail(error: Error): void;
}

/** A list of things whose pages, and whose single answers, come when a test says so. */
export class DrivenList {
  /** What the service holds. */
  readonly things = new Map<string, Thing>();
  /** Requests under way, oldest first. */
  readonly pages: Pending[] = [];
  readonly singles: Pending[] = [];
  /** Requests made so far. */
  readonly requests = { pages: 0, lists: 0, singles: 0 };

  /**
   * @param name the text that names the list
   * @param cut cuts the things, as they are when a page is answered, into pages
   */
  constructor(
    readonly name: string,
    private readonly cut: (things: readonly Thing[], number: number) => SiblingPage<Thing>,
  ) {}

  /** Answers what is under way until there is nothing. */
  async respondToAll(): Promise<void> {
    await settle();
    while (this.pages.length + this.singles.length > 0) {
      [...this.pages.splice(0), ...this.singles.splice(0)].forEach((pending) => pending.response());
      await settle();
    }
  }

  put(...things: readonly Thing[]): void {
    things.forEach((thing) => this.things.set(thing.id, thing));
  }

  /** The place of a thing that is asked for by its id. */
  placeOf(id: string, caller = patientCaller()): Place<Thing> {
    return this.place(caller, () => this.things.get(id));
  }

  /** The place of a thing that is asked for by its name. */
  placeNamed(name: string, caller = patientCaller()): Place<Thing> {
    return this.place(caller, () => [...this.things.values()].find((thing) => thing.name === name));
  }

  private place(caller: Caller, single: () => Thing | undefined): Place<Thing> {
    return {
      list: this.name,
      caller,
      pages: (reader) => this.read(reader),
      alone: () => {
        this.requests.singles += 1;
        return this.pending(this.singles, single);
      },
    };
  }

  private async *read({ signal }: Caller): AsyncGenerator<SiblingPage<Thing>> {
    this.requests.lists += 1;
    for (let number = 1; ; number += 1) {
      signal.throwIfAborted();
      this.requests.pages += 1;
      const page = await this.pending(this.pages, () => this.cut([...this.things.values()], number));
      yield page;
      if (page.last) {
        return;
      }
    }
  }

  /** What is answered is true when it is answered. */
  private pending<Value>(queue: Pending[], value: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      queue.push({ response: () => resolve(value()), fail: reject });
    });
  }
}

/** Somebody who asks, and is never cancelled unless a test does it. */
export function patientCaller(signal = new AbortController().signal): Caller {
  return { signal, progress: () => undefined, announce: () => undefined };
}

/** Pages of a fixed size, as they are at the moment: what is deleted moves the rest ahead. */
export function pagesOf(size: number): (things: readonly Thing[], number: number) => SiblingPage<Thing> {
  return (things, number) => ({
    items: things.slice((number - 1) * size, number * size),
    last: number * size >= things.length,
  });
}
