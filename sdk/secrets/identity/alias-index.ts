import type { SecretsClient } from "../client";
import { type AliasKey, type AliasState, listAliases, readAlias } from "./entity-alias-wire";

/** How long, in milliseconds, it is believed that an alias still has the name that it was read with. */
const trusted = 60_000;

interface Entry extends AliasKey {
  readonly notedAt: number;
}

/** An alias that exists. */
export interface FoundAlias {
  readonly id: string;
  readonly state: AliasState;
}

/**
 * Finds aliases by name. The service only lists their ids, so each alias is read once and its name remembered: many
 * aliases can be made without reading all of them for each. What is remembered only saves reads. Each question
 * begins with a list, what that names and is not known is read, and a hit is read again before it counts.
 */
export class AliasIndex {
  private readonly entries = new Map<string, Entry>();

  /** @param now milliseconds of a clock that is never set back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Remembers what an alias is called. */
  note(id: string, { name, mountAccessor }: AliasKey): void {
    this.entries.set(id, { name, mountAccessor, notedAt: this.now() });
  }

  /** Has an alias read again before it is next looked at. */
  forget(id: string): void {
    this.entries.delete(id);
  }

  /** Whether an alias was there when the aliases were last looked through. */
  has(id: string): boolean {
    return this.entries.has(id);
  }

  /** Finds the alias of a name on a mount. Where case does not count, an alias in the same case goes before. */
  async find(client: SecretsClient, wanted: AliasKey): Promise<FoundAlias | undefined> {
    await this.refresh(client);
    const { foldsNames } = client.dialect;
    const ids = [...this.entries.entries()]
      .filter(([, entry]) => isSame(entry, wanted, foldsNames))
      .sort(([, left], [, right]) => Number(right.name === wanted.name) - Number(left.name === wanted.name))
      .map(([id]) => id);
    for (const id of ids) {
      const state = await this.read(client, id);
      if (state !== undefined && isSame(state, wanted, foldsNames)) {
        return { id, state };
      }
    }
    return undefined;
  }

  private async refresh(client: SecretsClient): Promise<void> {
    const listed = await listAliases(client);
    for (const id of [...this.entries.keys()].filter((known) => !listed.has(known))) {
      this.entries.delete(id);
    }
    const unread: string[] = [];
    for (const [id, key] of listed) {
      if (key !== undefined) {
        this.note(id, key);
      } else if (!this.isTrusted(id)) {
        unread.push(id);
      }
    }
    await Promise.all(unread.map((id) => this.read(client, id)));
  }

  private async read(client: SecretsClient, id: string): Promise<AliasState | undefined> {
    const state = await readAlias(client, id);
    if (state === undefined) {
      this.forget(id);
    } else {
      this.note(id, state);
    }
    return state;
  }

  private isTrusted(id: string): boolean {
    const entry = this.entries.get(id);
    return entry !== undefined && this.now() - entry.notedAt < trusted;
  }
}

function isSame(left: AliasKey, right: AliasKey, foldsNames: boolean): boolean {
  const nameOf = ({ name }: AliasKey): string => (foldsNames ? name.toLowerCase() : name);
  return left.mountAccessor === right.mountAccessor && nameOf(left) === nameOf(right);
}
