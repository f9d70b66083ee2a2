/** Lets pieces of work with the same key happen one after the other, in the order in which they were given. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @returns what the work brings; that earlier work has failed does not concern it */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(key) === settled) {
          this.last.delete(key);
        }
      });
    this.last.set(key, settled);
    return result;
  }
}
