import { ContractError, ServiceError } from "../../base/errors";

/** How long, in milliseconds, a name that this process has written is trusted. */
const trusted = 60_000;

/** What makes an alias the same as another. */
export interface AliasKey {
  readonly name: string;
  readonly mountAccessor: string;
}

/** The requests by which aliases are found. */
export interface Aliases<State extends AliasKey> {
  /** Whether case does not count in names. */
  readonly foldsNames: boolean;
  /** @returns the ids of all aliases, each with its key where the list tells it */
  readonly list: () => Promise<ReadonlyMap<string, AliasKey | undefined>>;
  /** @returns `undefined` when there is no such alias */
  readonly read: (id: string) => Promise<State | undefined>;
}

interface Entry extends AliasKey {
  readonly recordedAt: number;
  /** Whether this process wrote the name, rather than only read it. */
  readonly written: boolean;
}

/** An alias that exists. */
export interface FoundAlias<State> {
  readonly id: string;
  readonly state: State;
}

/**
 * Finds aliases by name. The service only lists their ids, and would move an existing alias silently. So each
 * question begins with a list, and where that tells no names, each alias is read that was not read since the
 * question was asked: one read serves all questions that wait for it. Only the names that this process has
 * just given to aliases are not read again. A hit is read again before it counts.
 */
export class AliasIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly asked = new WeakMap<AliasKey, number>();
  private readonly unreadable = new Set<string>();

  /** @param now milliseconds of a clock that is never set back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Records that a lookup waits for its turn: anything read from now on may settle it. */
  ask(desired: AliasKey): void {
    this.asked.set(desired, this.now());
  }

  /** Remembers what this process has called an alias. */
  note(id: string, { name, mountAccessor }: AliasKey): void {
    this.entries.set(id, { name, mountAccessor, recordedAt: this.now(), written: true });
  }

  /** Notes what an alias was called a moment ago: that it is there, and no more. */
  saw(id: string, { name, mountAccessor }: AliasKey, at = this.now()): void {
    this.entries.set(id, { name, mountAccessor, recordedAt: at, written: false });
  }

  /** Has an alias read again before it is next looked at. */
  forget(id: string): void {
    this.entries.delete(id);
  }

  /** The aliases that could not be read when they were last looked through. */
  get notRead(): ReadonlySet<string> {
    return this.unreadable;
  }

  /** Whether an alias was there when the aliases were last looked through. */
  has(id: string): boolean {
    return this.entries.has(id) || this.unreadable.has(id);
  }

  /** Finds the alias of a name on a mount. Where case does not count, an alias in the same case goes before. */
  async find<State extends AliasKey>(
    aliases: Aliases<State>,
    desired: AliasKey,
  ): Promise<FoundAlias<State> | undefined> {
    const askedAt = this.asked.get(desired) ?? this.now();
    // A repeated question is about the outcome of a write.
    this.asked.delete(desired);
    await this.refresh(aliases, askedAt);
    const { foldsNames } = aliases;
    const ids = [...this.entries.entries()]
      .filter(([, entry]) => isSame(entry, desired, foldsNames))
      .sort(([, left], [, right]) => Number(right.name === desired.name) - Number(left.name === desired.name))
      .map(([id]) => id);
    for (const id of ids) {
      const state = await this.read(aliases, id);
      if (state !== undefined && isSame(state, desired, foldsNames)) {
        return { id, state };
      }
    }
    return undefined;
  }

  private async refresh(aliases: Aliases<AliasKey>, askedAt: number): Promise<void> {
    const listed = await aliases.list();
    for (const id of [...this.entries.keys()].filter((known) => !listed.has(known))) {
      this.entries.delete(id);
    }
    const unread: string[] = [];
    for (const [id, key] of listed) {
      if (key !== undefined) {
        this.saw(id, key);
      } else if (!this.isKnownSince(id, askedAt)) {
        unread.push(id);
      }
    }
    this.unreadable.clear();
    const failures: unknown[] = [];
    await Promise.all(
      unread.map(async (id) => {
        try {
          await this.read(aliases, id);
        } catch (error) {
          if (!isAboutOne(error)) {
            throw error;
          }
          this.entries.delete(id);
          this.unreadable.add(id);
          failures.push(error);
        }
      }),
    );
    // If none of them can be read, the lookup fails.
    if (failures.length > 0 && failures.length === unread.length && failures.every(isRefusal)) {
      throw failures[0];
    }
  }

  private async read<State extends AliasKey>(
    aliases: Aliases<State>,
    id: string,
  ): Promise<State | undefined> {
    const begun = this.now();
    const state = await aliases.read(id);
    if (state === undefined) {
      this.forget(id);
    } else {
      this.saw(id, state, begun);
    }
    return state;
  }

  private isKnownSince(id: string, askedAt: number): boolean {
    const entry = this.entries.get(id);
    return (
      entry !== undefined &&
      (entry.written ? this.now() - entry.recordedAt < trusted : entry.recordedAt > askedAt)
    );
  }
}

/** Whether a failure may be one alias's own, so that the others can still be looked at. */
function isAboutOne(error: unknown): boolean {
  return (
    ContractError.isInstance(error) || (ServiceError.isInstance(error) && ![401, 429].includes(error.status))
  );
}

function isRefusal(error: unknown): boolean {
  return ServiceError.isInstance(error) && error.status === 403;
}

function isSame(left: AliasKey, right: AliasKey, foldsNames: boolean): boolean {
  const nameOf = ({ name }: AliasKey): string => (foldsNames ? name.toLowerCase() : name);
  return left.mountAccessor === right.mountAccessor && nameOf(left) === nameOf(right);
}
