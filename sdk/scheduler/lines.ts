/** An object of the stream as it was sent. */
export type WireObject = Readonly<Record<string, unknown>>;

const lineFeed = 0x0a;
const shortestObject = 2;
/** So many bytes become text at once: enough to make it cheap, few enough to be forgotten soon. */
const windowSize = 256 * 1024;

/** Whole lines among some bytes, as long as each is an object or blank: the fast way to decode. */
export class Lines {
  private readonly end: number;
  private readonly text: string;
  /** How much of the text, and how many lines, have been taken. */
  private offset = 0;
  private count = 0;
  private metAnother = false;

  /** @param start where a line begins */
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
  ) {
    const last = bytes.lastIndexOf(lineFeed, start + windowSize);
    // A line may be longer than the window.
    this.end = (last < start ? bytes.indexOf(lineFeed, start) : last) + 1;
    this.text = this.end > start ? bytes.toString("utf8", start, this.end) : "";
  }

  /**
   * Whether a line came up that is not one object: several, or the beginning of one, or something else. No line is
   * taken from there on.
   */
  get metSomethingElse(): boolean {
    return this.metAnother;
  }

  /** Where the first line begins that was not taken, once no more can be. */
  get position(): number {
    if (!this.metAnother) {
      return Math.max(this.start, this.end);
    }
    let position = this.start;
    for (let line = 0; line < this.count; line++) {
      position = this.bytes.indexOf(lineFeed, position) + 1;
    }
    return position;
  }

  /** The text of the next line and what it says; `undefined` when there is none left to take. */
  take(): { readonly line: string; readonly object: WireObject } | undefined {
    for (;;) {
      const end = this.text.indexOf("\n", this.offset);
      if (end === -1 || this.metAnother) {
        return undefined;
      }
      const line = this.text.slice(this.offset, end);
      // Blank lines may come in great numbers, and the parser is slow to refuse.
      const object = line.length < shortestObject ? undefined : parseObject(line);
      if (object === undefined && line.trim() !== "") {
        this.metAnother = true;
        return undefined;
      }
      this.offset = end + 1;
      this.count += 1;
      if (object !== undefined) {
        return { line, object };
      }
    }
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
