import { ContractError, ServiceError } from "../../base/errors";

export interface AliasKey {
  readonly name: string;
  readonly mountAccessor: string;
}

export interface Aliases<State extends AliasKey> {
  readonly foldsNames: boolean;
  /** Ids, with their keys if the list returns them. */
  readonly list: () => Promise<ReadonlyMap<string, AliasKey | undefined>>;
  readonly read: (id: string) => Promise<State | undefined>;
}

interface Entry extends AliasKey {
  readonly recordedAt: number;
}

/**
 * Finds aliases by name, because the service would silently move an existing one. If the list returns only ids, each
 * alias not read since the lookup began is read; one read serves all waiting lookups. A hit is read again.
 */
export class AliasIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly asked = new WeakMap<AliasKey, number>();
  private readonly unreadable = new Set<string>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A lookup waits for its turn: anything read from now on may settle it. */
  ask(desired: AliasKey): void {
    this.asked.set(desired, this.now());
  }

  note(id: string, { name, mountAccessor }: AliasKey, recordedAt = this.now()): void {
    this.entries.set(id, { name, mountAccessor, recordedAt });
  }

  forget(id: string): void {
    this.entries.delete(id);
  }

  /** Aliases that the last lookup could not read. */
  get notRead(): ReadonlySet<string> {
    return this.unreadable;
  }

  /** Whether the last lookup found the alias, readable or not. */
  has(id: string): boolean {
    return this.entries.has(id) || this.unreadable.has(id);
  }

  /** If case is ignored, an exact match comes first. */
  async find<State extends AliasKey>(
    aliases: Aliases<State>,
    desired: AliasKey,
  ): Promise<{ readonly id: string; readonly state: State } | undefined> {
    const askedAt = this.asked.get(desired) ?? this.now();
    // A repeated lookup is about the outcome of a write.
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
          // A failure may concern one alias only, so the others are still read.
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
