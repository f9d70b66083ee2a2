/**
 * Flattens the iterators that a generator yields. An available item costs one promise; a generator that
 * yields each item itself costs several, which dominates with many thousand events.
 *
 * An error of an iterator is thrown in the generator, where it yielded the iterator.
 */
export class Batches<Item> implements AsyncIterableIterator<Item, void, undefined> {
  private items: Iterator<Item, void, undefined> | undefined;
  private failure: { readonly error: unknown } | undefined;
  /** Pending calls of `next`, which are resolved in order. */
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly batches: AsyncGenerator<Iterator<Item, void, undefined>, void, undefined>) {}

  next(): Promise<IteratorResult<Item, void>> {
    const item = this.waiting === 0 ? this.take() : undefined;
    if (item !== undefined) {
      return Promise.resolve(item);
    }
    this.waiting += 1;
    const next = this.last.then(() => this.advance());
    this.last = next.catch(() => undefined);
    return next;
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.items = undefined;
    await this.batches.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next available item. */
  private take(): IteratorYieldResult<Item> | undefined {
    try {
      const next = this.items?.next();
      return next?.done === true ? undefined : next;
    } catch (error) {
      this.failure = { error };
      return undefined;
    }
  }

  private async advance(): Promise<IteratorResult<Item, void>> {
    try {
      for (let item = this.take(); ; item = this.take()) {
        if (item !== undefined) {
          return item;
        }
        const { failure } = this;
        this.failure = undefined;
        const batch = await (failure === undefined ? this.batches.next() : this.batches.throw(failure.error));
        if (batch.done === true) {
          return { done: true, value: undefined };
        }
        this.items = batch.value;
      }
    } finally {
      this.waiting -= 1;
    }
  }
}
