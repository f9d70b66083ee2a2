/** Readers-writer lock, first come first served. */
export class SharedLock {
  private alone: Promise<unknown> = Promise.resolve();
  private readonly together = new Set<Promise<unknown>>();

  /** Runs concurrently with other shared work. */
  shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.alone.then(work);
    const settled = settlementOf(result);
    this.together.add(settled);
    void settled.then(() => this.together.delete(settled));
    return result;
  }

  /** Runs after all earlier work, and before all later work. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = Promise.all([this.alone, ...this.together]).then(work);
    this.alone = settlementOf(result);
    return result;
  }
}

function settlementOf(result: Promise<unknown>): Promise<unknown> {
  return result.catch(() => undefined);
}
