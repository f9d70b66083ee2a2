import { utf8Text } from "./utf8-text";

/** An object of the stream as it was sent. */
export type WireObject = Readonly<Record<string, unknown>>;

/** What shows where an object ends: the end of its line, or the beginning of the next object. */
export type Boundary = "\n" | "}{";

/** So many bytes become text at once: enough to make it cheap, few enough to be forgotten soon. */
const windowSize = 256 * 1024;

/**
 * Whole objects among some bytes, found by what stands between them: the fast way to decode. Where a boundary stands
 * within an object, in a text, what is before it is no JSON: so nothing is ever taken for an object that is none.
 */
export class WholeObjects {
  private readonly end: number;
  private readonly text: string;
  /** How much of the text, and how many boundaries, have been taken. */
  private offset = 0;
  private count = 0;
  private metAnother = false;

  /** @param start where an object or a line begins */
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly boundary: Boundary,
  ) {
    const last = bytes.lastIndexOf(boundary, start + windowSize);
    // One object may be longer than the window.
    this.end = (last < start ? bytes.indexOf(boundary, start) : last) + 1;
    this.text = this.end > start ? utf8Text(bytes.subarray(start, this.end)) : "";
  }

  /**
   * Whether something else than one object came up between two boundaries: several, or a part of one, or something
   * else. Nothing is taken from there on.
   */
  get metSomethingElse(): boolean {
    return this.metAnother;
  }

  /** Where that begins which was not taken, once no more can be. */
  get position(): number {
    if (!this.metAnother) {
      return Math.max(this.start, this.end);
    }
    let position = this.start;
    for (let taken = 0; taken < this.count; taken++) {
      position = this.bytes.indexOf(this.boundary, position) + 1;
    }
    return position;
  }

  /** The text of the next object and what it says; `undefined` when there is none left to take. */
  take(): { readonly text: string; readonly object: WireObject } | undefined {
    while (this.offset < this.text.length && !this.metAnother) {
      const boundary = this.text.indexOf(this.boundary, this.offset);
      // The last boundary is cut in two, as is every one: an object ends with its first character.
      const end = boundary === -1 ? this.text.length : boundary + 1;
      const text = this.text.slice(this.offset, end);
      // Blank lines may come in great numbers, and the parser is slow to refuse.
      const object = text === "\n" || text === "\r\n" ? undefined : parseObject(text);
      if (object === undefined && text.trim() !== "") {
        this.metAnother = true;
        return undefined;
      }
      this.offset = end;
      this.count += 1;
      if (object !== undefined) {
        return { text, object };
      }
    }
    return undefined;
  }
}

/** @returns `undefined` for what is not one object in JSON */
export function parseObject(text: string): WireObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : undefined;
}
