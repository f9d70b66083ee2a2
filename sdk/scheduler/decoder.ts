import { isAscii, transcode } from "node:buffer";
import { isObject } from "../base/json";
import { isPage } from "../http/error-body";
import type { Event, Frame } from "./event";

/** An object of the stream, as received. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The stream contains data that a scheduler does not send. */
export class MalformedStreamError extends Error {
  /**
   * @param problem what was expected and what was found, without its content
   * @param advice what to do next
   */
  constructor(
    problem: string,
    readonly advice?: string,
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

/**
 * Turns the bytes of an event stream into the objects in it, whether each stands on a line of its own or they
 * simply follow each other. However the bytes are cut into chunks, the objects are the same.
 *
 * Lines are the fast way: each goes straight to the parser, and what the end of a chunk has cut off waits for
 * the rest of its line. After a line that is not exactly one object, the ends of objects are searched byte by
 * byte.
 */
export class FrameDecoder {
  private readonly scanner = new ValueScanner();
  /** The parts of an object that has begun in former chunks. */
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
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.begun.length > 0 && !this.scanner.isInside) {
      if (!bytes.includes(lineFeed) && this.canWait(bytes)) {
        this.keep(bytes);
        return;
      }
      bytes = Buffer.concat([...this.begun, bytes]);
      this.release();
    }
    let position = 0;
    while (position < bytes.length) {
      if (this.inLines && !this.scanner.isInside) {
        position = yield* this.wholeLines(bytes, position);
      }
      if (!this.scanner.isInside) {
        while (isBlank(bytes[position])) {
          position += 1;
        }
        checkBeginning(bytes, position);
      }
      const end = this.canWait(bytes) ? undefined : this.scanner.findEnd(bytes, position);
      this.keep(bytes.subarray(position, end));
      if (end === undefined) {
        return;
      }
      yield this.complete();
      this.inLines &&= end === bytes.length || isBlank(bytes[end]);
      position = end;
    }
  }

  /**
   * The objects that each fill a line, as far as lines do.
   *
   * @returns the position after them
   */
  private *wholeLines(bytes: Buffer, start: number): Generator<WireObject, number, undefined> {
    const end = bytes.lastIndexOf(lineFeed) + 1;
    const text = end > start ? utf8Text(bytes.subarray(start, end)) : "";
    let [offset, lines] = [0, 0];
    while (offset < text.length) {
      const next = text.indexOf("\n", offset) + 1;
      const line = text.slice(offset, next);
      // Blank lines may come in great numbers, and the parser is slow to refuse.
      const object = line === "\n" || line === "\r\n" ? undefined : parseObject(line);
      if (object !== undefined) {
        // A UTF-16 unit takes at most three bytes.
        if (line.length * 3 > this.maxFrameSize && Buffer.byteLength(line.trim()) > this.maxFrameSize) {
          throw tooLong(this.maxFrameSize);
        }
        this.hasSeenLine = true;
        yield object;
      } else if (line.trim() !== "") {
        this.inLines = false;
        let position = start;
        for (; lines > 0; lines--) {
          position = bytes.indexOf(lineFeed, position) + 1;
        }
        return position;
      }
      offset = next;
      lines += 1;
    }
    return Math.max(start, end);
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

  private release(): void {
    this.begun = [];
    this.begunLength = 0;
  }

  private complete(): WireObject {
    const object = parseObject(utf8Text(Buffer.concat(this.begun)));
    this.release();
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

function isBlank(byte: number | undefined): boolean {
  return byte === lineFeed || byte === 0x20 || byte === 0x0d || byte === 0x09;
}

/** @returns `undefined` for what is not one object in JSON */
function parseObject(text: string): WireObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
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

/**
 * The frame in an object of the stream.
 *
 * @returns `undefined` for a heartbeat, which has no events
 * @throws MalformedStreamError
 */
export function readFrame({ Index: index, Events: events }: WireObject): Frame | undefined {
  if (events === undefined || events === null || (Array.isArray(events) && events.length === 0)) {
    return undefined;
  }
  if (!Array.isArray(events)) {
    throw unexpected("Events", "a list");
  }
  if (!isIndex(index)) {
    throw unexpected("Index", "a whole number");
  }
  return { index, events: events.map((event, position) => readEvent(event, position, index)) };
}

/** Payloads are passed through: there are more topics and members than documented. */
function readEvent(sent: unknown, position: number, frameIndex: number): Event {
  if (!isObject(sent)) {
    throw unexpected(at(position, ""), "an object");
  }
  const { Topic, Type, Key } = sent;
  const Namespace = sent.Namespace ?? "";
  const FilterKeys = sent.FilterKeys ?? null;
  const Index = sent.Index ?? frameIndex;
  const Payload = sent.Payload ?? {};
  if (typeof Topic !== "string" || typeof Type !== "string" || typeof Key !== "string") {
    throw unexpected(`Topic, Type and Key of ${at(position, "")}`, "strings");
  }
  if (typeof Namespace !== "string") {
    throw unexpected(at(position, ".Namespace"), "a string");
  }
  if (!isIndex(Index)) {
    throw unexpected(at(position, ".Index"), "a whole number");
  }
  if (FilterKeys !== null && !isListOfTexts(FilterKeys)) {
    throw unexpected(at(position, ".FilterKeys"), "a list of strings or null");
  }
  if (!isObject(Payload)) {
    throw unexpected(at(position, ".Payload"), "an object");
  }
  const event: Readonly<Record<keyof Event, unknown>> = {
    topic: Topic,
    type: Type,
    key: Key,
    namespace: Namespace,
    filterKeys: FilterKeys,
    index: Index,
    payload: Payload,
  };
  return event as Event;
}

function at(position: number, member: string): string {
  return `Events[${position}]${member}`;
}

/** Whether a stream can be resumed from the value. */
function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function unexpected(what: string, expected: string): MalformedStreamError {
  return new MalformedStreamError(`expected ${what} of a frame to be ${expected}`);
}
