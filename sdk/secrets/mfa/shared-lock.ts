/** Keeps work that has to be alone apart from work that only has to be apart from that. First come, first served. */
export class SharedLock {
  private alone: Promise<unknown> = Promise.resolve();
  private readonly together = new Set<Promise<unknown>>();

  /** Runs beside other shared work. */
  shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.alone.then(work);
    const settled = settlementOf(result);
    this.together.add(settled);
    void settled.then(() => this.together.delete(settled));
    return result;
  }

  /** Runs when everything that came before has ended; what comes later waits for its end. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = Promise.all([this.alone, ...this.together]).then(work);
    this.alone = settlementOf(result);
    return result;
  }
}

function settlementOf(result: Promise<unknown>): Promise<unknown> {
  return result.catch(() => undefined);
}
