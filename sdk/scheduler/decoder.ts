import { isPage } from "../http/error-body";
import { utf8Text } from "./utf8-text";
import { ValueScanner } from "./value-scanner";
import { parseObject, WholeObjects, type WireObject } from "./whole-objects";

/** The bytes of a stream are not what a scheduler sends. */
export class MalformedStreamError extends Error {
  /**
   * @param problem what was expected and what was found, without any of it
   * @param hint what to do about it
   */
  constructor(
    problem: string,
    readonly hint?: string,
  ) {
    super(problem);
  }
}

const lineFeed = 0x0a;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Turns the bytes of an event stream into the objects in it, whether each stands on a line of its own or they simply
 * follow each other. However the bytes are cut into chunks, the objects are the same.
 *
 * Where lines end, or one object follows the other, is the fast way: each goes straight to the parser. What the end of a
 * chunk has cut off waits for the rest of its line. In a stream that turns out not to be in lines it is searched byte by
 * byte for the end of the object, as is everything that is found in neither of the two ways.
 */
export class FrameDecoder {
  private readonly scanner = new ValueScanner();
  /** What an object that has begun consists of so far: searched for its end, if the scanner is inside of it. */
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
      let follow = true;
      while (position < bytes.length) {
        if (this.inLines && !this.scanner.isInside) {
          const lines = new WholeObjects(bytes, position, "\n");
          yield* this.takeAll(lines);
          position = lines.position;
          this.inLines = !lines.metSomethingElse;
        } else if (follow && !this.scanner.isInside) {
          const objects = new WholeObjects(bytes, position, "}{");
          yield* this.takeAll(objects);
          // Looked for in vain, they are no more looked for in these bytes.
          follow = objects.position > position && !objects.metSomethingElse;
          position = objects.position;
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

  private *takeAll(objects: WholeObjects): Generator<WireObject, void, undefined> {
    for (let next = objects.take(); next !== undefined; next = objects.take()) {
      this.checkLength(next.text);
      this.hasSeenLine ||= this.inLines;
      yield next.object;
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
      throw new MalformedStreamError("expected frames of events, got a frame that is no JSON");
    }
    return object;
  }

  private checkLength(text: string): void {
    // No character of a text takes more than three bytes.
    if (text.length * 3 > this.maxFrameSize && Buffer.byteLength(text.trim()) > this.maxFrameSize) {
      throw tooLong(this.maxFrameSize);
    }
  }
}

function checkBeginning(bytes: Buffer, position: number): void {
  if (position < bytes.length && bytes[position] !== openBrace) {
    const page = isPage(bytes.toString("utf8", position, position + 100));
    throw new MalformedStreamError(
      `expected frames of events, got ${page ? "a page of markup" : "something that is no JSON object"}`,
      "A proxy may have answered in the place of the scheduler: check the address.",
    );
  }
}

function tooLong(limit: number): MalformedStreamError {
  return new MalformedStreamError(
    `a frame is longer than the ${limit} bytes that are allowed`,
    "Raise maxFrameSize if frames may be that long.",
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
