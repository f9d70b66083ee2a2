/** Per-key mutex, first come first served. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Earlier failures do not affect the work. */
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
