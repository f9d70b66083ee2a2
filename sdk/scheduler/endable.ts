/**
 * Makes an iterable of a generator that waits for what may never come. To leave it, by the caller's signal or by
 * `return`, ends a wait that is under way: a generator alone would only end after it.
 *
 * @param start called when the first item is asked for, with a signal that is aborted when the caller's is, or when
 *   the iterable is left
 */
export function endable<Item>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<AsyncGenerator<Item, void, undefined>>,
): AsyncIterableIterator<Item, void, undefined> {
  const left = new AbortController();
  let items: Promise<AsyncGenerator<Item, void, undefined>> | undefined;
  return {
    async next() {
      if (left.signal.aborted) {
        return { done: true, value: undefined };
      }
      // What is no signal is refused with all the other arguments.
      items ??= start(signal instanceof AbortSignal ? AbortSignal.any([signal, left.signal]) : left.signal);
      return (await items).next();
    },
    async return() {
      left.abort();
      await (await items?.catch(() => undefined))?.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
