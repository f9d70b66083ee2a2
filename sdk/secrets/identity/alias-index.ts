import { ContractError, ServiceError } from "../../base/errors";

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
}

/**
 * Finds aliases by name. The service only lists their ids, and would move an existing alias silently. So each
 * question begins with a list, and where that tells no names, each alias is read that was not read since the
 * question was asked: one read serves all questions that wait for it. A hit is read again before it counts.
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

  /** Remembers what an alias was called at a time. */
  note(id: string, { name, mountAccessor }: AliasKey, recordedAt = this.now()): void {
    this.entries.set(id, { name, mountAccessor, recordedAt });
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
  ): Promise<{ readonly id: string; readonly state: State } | undefined> {
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
        this.note(id, key);
      } else if ((this.entries.get(id)?.recordedAt ?? askedAt) <= askedAt) {
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
          // A failure may be one alias's own, so that the others can still be looked at.
          const isOwn = ServiceError.isInstance(error)
            ? ![401, 429].includes(error.status)
            : ContractError.isInstance(error);
          if (!isOwn) {
            throw error;
          }
          this.entries.delete(id);
          this.unreadable.add(id);
          failures.push(error);
        }
      }),
    );
    // If none of them can be read, the lookup fails.
    const refused = failures.filter((error) => ServiceError.isInstance(error) && error.status === 403);
    if (refused.length > 0 && refused.length === unread.length) {
      throw refused[0];
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
      this.note(id, state, begun);
    }
    return state;
  }
}

function isSame(left: AliasKey, right: AliasKey, foldsNames: boolean): boolean {
  const nameOf = ({ name }: AliasKey): string => (foldsNames ? name.toLowerCase() : name);
  return left.mountAccessor === right.mountAccessor && nameOf(left) === nameOf(right);
}
