import { isAscii, transcode } from "node:buffer";
import { isPage } from "../http/error-body";

/** An object of the stream, as received. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The stream contains data that a scheduler does not send. */
export class MalformedStreamError extends Error {
  /**
   * @param problem what was expected and what was found, without its content
   * @param hint what to do next
   */
  constructor(
    problem: string,
    readonly hint?: string,
  ) {
    super(problem);
  }
}

const lineFeed = 0x0a;
const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The window of bytes that is decoded at once: large enough to be fast, small enough to be released soon. */
const windowSize = 256 * 1024;

/**
 * Turns the bytes of an event stream into the objects in it, whether each stands on a line of its own or they simply
 * follow each other. However the bytes are cut into chunks, the objects are the same.
 *
 * Lines are the fast way: each goes straight to the parser, and what the end of a chunk has cut off waits for
 * the rest of its line. If a line is not exactly one object, the stream is searched byte by byte for the ends
 * of objects.
 */
export class FrameDecoder {
  private readonly scanner = new ValueScanner();
  /** The parts of the current object: the scanner searches for its end. */
  private begun: Buffer[] = [];
  private begunLength = 0;
  private inLines = true;
  private hasSeenLine = false;

  /** @param maxFrameSize the length in bytes beyond which an object is refused */
  constructor(private readonly maxFrameSize: number) {}

  /**
   * Decodes the next bytes. Take every object before the next call.
   *
   * @throws MalformedStreamError where the bytes are wrong, after the objects before that place
   */
  *decode(chunk: Uint8Array): Generator<WireObject, void, undefined> {
    for (const bytes of this.joinCutLine(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
      let position = 0;
      while (position < bytes.length) {
        if (this.inLines && !this.scanner.isInside) {
          const lines = new WholeLines(bytes, position, this.maxFrameSize);
          for (let object = lines.take(); object !== undefined; object = lines.take()) {
            this.hasSeenLine = true;
            yield object;
          }
          position = lines.position;
          this.inLines = !lines.metSomethingElse;
        }
        if (!this.scanner.isInside) {
          position = skipBlanks(bytes, position).position;
          checkBeginning(bytes, position);
        }
        const end = this.canWait(bytes) ? undefined : this.scanner.findEnd(bytes, position);
        this.keep(bytes.subarray(position, end));
        if (end === undefined) {
          break;
        }
        yield this.complete();
        const following = skipBlanks(bytes, end);
        this.inLines &&= following.lineEnded || following.position === bytes.length;
        position = following.position;
      }
    }
  }

  /**
   * @returns the bytes to decode now: first the line alone that the end of a chunk has cut off, so that no more than
   *   that line is copied; none while the rest of it is waited for
   */
  private joinCutLine(bytes: Buffer): readonly Buffer[] {
    if (this.begun.length === 0 || this.scanner.isInside) {
      return [bytes];
    }
    const lineEnd = bytes.indexOf(lineFeed) + 1;
    if (lineEnd === 0 && this.canWait(bytes)) {
      this.keep(bytes);
      return [];
    }
    const rest = lineEnd === 0 ? bytes.length : lineEnd;
    const line = Buffer.concat([...this.begun, bytes.subarray(0, rest)]);
    this.begun = [];
    this.begunLength = 0;
    return [line, bytes.subarray(rest)];
  }

  /** Whether the object that these bytes end in is surely not complete, in a stream that is in lines. */
  private canWait(bytes: Buffer): boolean {
    const last = bytes.at(-1);
    const mayBeComplete = last === closeBrace || isBlank(last);
    return this.inLines && this.hasSeenLine && !this.scanner.isInside && !mayBeComplete;
  }

  private keep(bytes: Buffer): void {
    this.begunLength += bytes.length;
    if (this.begunLength > this.maxFrameSize) {
      throw tooLong(this.maxFrameSize);
    }
    if (bytes.length > 0) {
      this.begun.push(bytes);
    }
  }

  private complete(): WireObject {
    const [only] = this.begun;
    const bytes = this.begun.length === 1 && only !== undefined ? only : Buffer.concat(this.begun);
    this.begun = [];
    this.begunLength = 0;
    const object = parseObject(utf8Text(bytes));
    if (object === undefined) {
      throw new MalformedStreamError("expected frames of events, got a frame that is not JSON");
    }
    return object;
  }
}

function checkBeginning(bytes: Buffer, position: number): void {
  if (position < bytes.length && bytes[position] !== openBrace) {
    const page = isPage(bytes.toString("utf8", position, position + 100));
    throw new MalformedStreamError(
      `expected frames of events, got ${page ? "an HTML page" : "something that is not a JSON object"}`,
      "The response may come from a proxy instead of the scheduler: check the address.",
    );
  }
}

function tooLong(limit: number): MalformedStreamError {
  return new MalformedStreamError(
    `a frame is longer than ${limit} bytes`,
    "To allow longer frames, raise maxFrameSize.",
  );
}

/** Passes over blanks; tells also whether a line has ended among them. */
function skipBlanks(bytes: Buffer, from: number): { readonly position: number; readonly lineEnded: boolean } {
  let lineEnded = false;
  let position = from;
  for (; position < bytes.length && isBlank(bytes[position]); position++) {
    lineEnded ||= bytes[position] === lineFeed;
  }
  return { position, lineEnded };
}

function isBlank(byte: number | undefined): boolean {
  return byte === lineFeed || byte === 0x20 || byte === 0x0d || byte === 0x09;
}

/** Objects that each fill a line among some bytes. */
class WholeLines {
  private readonly end: number;
  private readonly text: string;
  /** How much of the text, and how many lines, have been consumed. */
  private offset = 0;
  private count = 0;
  private metAnother = false;

  /** @param start where a line begins */
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly maxFrameSize: number,
  ) {
    const last = bytes.lastIndexOf(lineFeed, start + windowSize);
    // One line may exceed the window.
    this.end = (last < start ? bytes.indexOf(lineFeed, start) : last) + 1;
    this.text = this.end > start ? utf8Text(bytes.subarray(start, this.end)) : "";
  }

  /**
   * Whether a line holds something else than one object: several, or a part of one, or something else. Nothing is
   * taken from there on.
   */
  get metSomethingElse(): boolean {
    return this.metAnother;
  }

  /** Offset of the first unconsumed byte. */
  get position(): number {
    if (!this.metAnother) {
      return Math.max(this.start, this.end);
    }
    let position = this.start;
    for (let taken = 0; taken < this.count; taken++) {
      position = this.bytes.indexOf(lineFeed, position) + 1;
    }
    return position;
  }

  /** The next object; `undefined` if there is none left. */
  take(): WireObject | undefined {
    while (this.offset < this.text.length && !this.metAnother) {
      const end = this.text.indexOf("\n", this.offset) + 1;
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
        this.checkLength(text);
        return object;
      }
    }
    return undefined;
  }

  private checkLength(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > this.maxFrameSize && Buffer.byteLength(text.trim()) > this.maxFrameSize) {
      throw tooLong(this.maxFrameSize);
    }
  }
}

/** @returns `undefined` for what is not one object in JSON */
function parseObject(text: string): WireObject | undefined {
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

/**
 * Finds where objects end. It looks at no more than quotes and brackets: whether what it found is JSON, the parser
 * decides. The bytes may come in any pieces.
 */
class ValueScanner {
  private depth = 0;
  private inText = false;
  /** The last byte was a backslash: the next one is escaped. */
  private escaped = false;

  /** Whether an object has begun and has not ended. */
  get isInside(): boolean {
    return this.depth > 0;
  }

  /**
   * Goes on to the end of the object that has begun, or that begins here.
   *
   * @returns the position after its last byte; `undefined` when it goes on beyond these bytes
   */
  findEnd(bytes: Uint8Array, from: number): number | undefined {
    if (from === bytes.length) {
      return undefined;
    }
    let { depth, inText } = this;
    let end: number | undefined;
    let position = this.escaped ? from + 1 : from;
    while (position < bytes.length) {
      const byte = bytes[position++];
      if (inText) {
        // Most bytes are inside strings, so this path is the shortest.
        if (byte === quote) {
          inText = false;
        } else if (byte === backslash) {
          position += 1;
        }
      } else if (byte === quote) {
        inText = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) {
          end = position;
          break;
        }
      }
    }
    this.depth = depth;
    this.inText = inText;
    this.escaped = position > bytes.length;
    return end;
  }
}

/**
 * The text of bytes in UTF-8, with replacement characters where they are none.
 *
 * @internal
 */
export function utf8Text(bytes: Buffer): string {
  if (isAscii(bytes)) {
    return bytes.toString("latin1");
  }
  try {
    // Node.js is many times faster in two steps than in one as soon as there are other characters than those of ASCII.
    return transcode(bytes, "utf8", "utf16le").toString("utf16le");
  } catch {
    return bytes.toString("utf8");
  }
}
