import { type JsonObject, sameJson } from "../../base/json";

/** A creation that has not been read back yet. */
interface Unread {
  readonly settings: string;
  readonly expected: JsonObject;
}

/**
 * What has come of the creations of this process that were read back. Where an object with certain settings was as its
 * request and the documented defaults say, the next one with these settings need not be read: of everything else, such
 * as the namespace, the service says for both the same.
 */
export class ReadCreations {
  private readonly unread = new Map<string, Unread>();
  /** What a response says beside the settings, by the settings. */
  private readonly further = new Map<string, JsonObject>();

  /**
   * Notes a creation.
   *
   * @param expected all fields that can be given, with the documented defaults for those that were not
   * @param own the fields among them in which objects with the same settings differ
   * @returns what a read would say, where that is known
   */
  created(id: string, expected: JsonObject, own: readonly string[]): JsonObject | undefined {
    const shared = Object.entries(expected).filter(([name]) => !own.includes(name));
    const settings = JSON.stringify(shared.toSorted(([left], [right]) => (left < right ? -1 : 1)));
    const further = this.further.get(settings);
    if (further === undefined) {
      this.unread.set(id, { settings, expected });
      return undefined;
    }
    return { ...expected, ...further };
  }

  /** Notes what the service returns about an object. */
  read(id: string, state: Readonly<Record<string, unknown>>): void {
    const unread = this.unread.get(id);
    if (unread === undefined) {
      return;
    }
    this.unread.delete(id);
    const { settings, expected } = unread;
    if (Object.entries(expected).every(([name, value]) => sameJson(state[name] ?? null, value))) {
      const further = Object.entries(state).filter(
        ([name, value]) => value !== undefined && !Object.hasOwn(expected, name),
      );
      this.further.set(settings, Object.fromEntries(further) as JsonObject);
    }
  }
}
