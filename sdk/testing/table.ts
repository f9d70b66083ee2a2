/** Records are replaced, never changed. */
export class Table<Item> {
  private readonly records = new Map<string, Item>();

  /** @param kind what messages call a record, such as `entity` */
  constructor(
    private readonly kind: string,
    private readonly keyOf: (record: Item) => string,
  ) {}

  set(record: Item): Item {
    this.records.set(this.keyOf(record), record);
    return record;
  }

  /** For setup. @throws Error if the key exists, which is a mistake in the test */
  add(record: Item): Item {
    this.requireNew(this.keyOf(record));
    return this.set(record);
  }

  requireNew(key: string): void {
    if (this.records.has(key)) {
      throw new Error(`The emulator already has the ${this.kind} ${JSON.stringify(key)}.`);
    }
  }

  find(key: string): Item | undefined {
    return this.records.get(key);
  }

  /** For setup. @throws Error if there is none, which is a mistake in the test */
  get(key: string): Item {
    const record = this.records.get(key);
    if (record === undefined) {
      throw new Error(`The emulator has no ${this.kind} ${JSON.stringify(key)}.`);
    }
    return record;
  }

  /** @throws Error if it does not exist */
  change(key: string, change: Partial<Item>): Item {
    return this.set({ ...this.get(key), ...change });
  }

  /** @throws Error if it does not exist */
  remove(key: string): void {
    this.get(key);
    this.records.delete(key);
  }

  delete(key: string): boolean {
    return this.records.delete(key);
  }

  deleteWhere(matches: (record: Item) => boolean): void {
    for (const record of this.all()) {
      if (matches(record)) {
        this.records.delete(this.keyOf(record));
      }
    }
  }

  /** In order of insertion. */
  all(): Item[] {
    return [...this.records.values()];
  }

  /** Sorted, as the secrets service lists them. */
  keys(): string[] {
    return [...this.records.keys()].sort();
  }

  sorted(): Item[] {
    return this.keys().map((key) => this.get(key));
  }
}
