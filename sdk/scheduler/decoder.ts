import { isAscii, transcode } from "node:buffer";
import { ContractError } from "../base/errors";
import { isObject } from "../base/json";
import { isPage } from "../http/error-body";
import type { Event, Frame } from "./event";
import { exactInteger, parseExactly, withIndex } from "./exact-numbers";

const request = "GET /event/stream";
const longestText = 4096;

export type WireObject = Readonly<Record<string, unknown>>;

/** @param problem what was expected and what was found, without its content */
export function malformed(problem: string, advice?: string): ContractError {
  return new ContractError({ request, problem, advice });
}

const lineFeed = 0x0a;
const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/**
 * The bytes between frames: blanks, commas, the brackets of a list, record separators, the byte order mark.
 */
const separators = new Set(Buffer.from(" \t\r\n,[]\x1e\ufeff"));
const nothing = Buffer.from("null");

/** The caller limits the size of frames, and the same frame would be sent again. */
export class TooLongFrame extends ContractError {}

/**
 * Splits an event stream into its JSON objects, however they are separated.
 *
 * Lines go straight to the parser, which is fast. After a line that is not exactly one object, objects are
 * separated byte by byte.
 */
export class FrameDecoder {
  /**
   * The text that was sent instead of a frame: schedulers report why they end a stream, proxies send pages.
   */
  text: string | undefined;
  /** The JSON of the last object. */
  source = "";
  private readonly scanner = new ValueScanner();
  /** The parts of an object that began in an earlier chunk. */
  private begun: Buffer[] = [];
  private begunLength = 0;
  private inLines = true;
  private hasSeenLine = false;

  /** @param maxFrameSize in bytes */
  constructor(private readonly maxFrameSize: number) {}

  /**
   * Consume all objects before the next call. @throws ContractError after yielding the objects before the
   * error
   */
  *decode(chunk: Uint8Array): Generator<WireObject, void, undefined> {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.text !== undefined) {
      this.addText(bytes);
      return;
    }
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
        position = afterSeparators(bytes, position);
        const rest = bytes.subarray(position, position + nothing.length);
        if (rest.length > 0 && rest[0] !== openBrace) {
          if (nothing.indexOf(rest) === 0) {
            // It continues in the next chunk.
            this.keep(rest);
          } else {
            this.addText(bytes.subarray(position));
          }
          return;
        }
      }
      const end = this.canWait(bytes) ? undefined : this.scanner.findEnd(bytes, position);
      this.keep(bytes.subarray(position, end));
      if (end === undefined) {
        return;
      }
      yield this.complete();
      this.inLines &&= end === bytes.length || separators.has(bytes[end] ?? lineFeed);
      position = end;
    }
  }

  /** The error if the data does not come from a scheduler. */
  get refusal(): ContractError {
    const got = isPage(this.text ?? "") ? "an HTML page" : "something that is not a JSON object";
    return malformed(
      `expected frames of events, got ${got}`,
      "The response might come from a proxy instead of the scheduler: check the address.",
    );
  }

  private addText(bytes: Buffer): void {
    this.text = ((this.text ?? "") + bytes.toString("utf8")).slice(0, longestText);
  }

  /** Yields objects as long as each is exactly one line. @returns the position after them */
  private *wholeLines(bytes: Buffer, start: number): Generator<WireObject, number, undefined> {
    const end = bytes.lastIndexOf(lineFeed) + 1;
    const text = end > start ? utf8Text(bytes.subarray(start, end)) : "";
    let [offset, lines] = [0, 0];
    while (offset < text.length) {
      const next = text.indexOf("\n", offset) + 1;
      const line = text.slice(offset, next);
      // There can be many blank lines, which the parser is slow to reject.
      const isBlank = !/\S/.test(line);
      const object = isBlank ? undefined : parseObject(line);
      if (object !== undefined) {
        // A UTF-16 unit takes at most three bytes.
        if (line.length * 3 > this.maxFrameSize && Buffer.byteLength(line.trim()) > this.maxFrameSize) {
          throw tooLong(this.maxFrameSize);
        }
        this.hasSeenLine = true;
        this.source = line;
        yield object;
      } else if (!isBlank) {
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

  /** Whether these bytes, in a stream of lines, certainly end within an object. */
  private canWait(bytes: Buffer): boolean {
    const last = bytes.at(-1);
    const mayBeComplete = last === closeBrace || separators.has(last ?? lineFeed);
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
    this.source = utf8Text(Buffer.concat(this.begun));
    const object = parseObject(this.source);
    this.release();
    if (object === undefined) {
      throw malformed("expected frames of events, got a frame that is not JSON");
    }
    return object;
  }
}

/** @returns the position of the next frame, or of anything else that is not a separator */
function afterSeparators(bytes: Buffer, start: number): number {
  let position = start;
  for (;;) {
    if (separators.has(bytes[position] ?? openBrace)) {
      position += 1;
    } else if (nothing.equals(bytes.subarray(position, position + nothing.length))) {
      position += nothing.length;
    } else {
      return position;
    }
  }
}

function tooLong(limit: number): ContractError {
  return new TooLongFrame({
    request,
    problem: `a frame is longer than ${limit} bytes`,
    advice: "To allow longer frames, raise maxFrameSize.",
  });
}

/** @returns `undefined` unless the text is one JSON object */
function parseObject(text: string): WireObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

/** Finds the ends of objects by quotes and brackets only; the parser then checks whether they are JSON. */
class ValueScanner {
  private depth = 0;
  private inText = false;
  /** The last byte was a backslash: the next one is escaped. */
  private escaped = false;

  get isInside(): boolean {
    return this.depth > 0;
  }

  /** @returns the position after the object's last byte; `undefined` if it continues beyond these bytes */
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

/** @internal */
export function utf8Text(bytes: Buffer): string {
  if (isAscii(bytes)) {
    return bytes.toString("latin1");
  }
  try {
    // Node.js decodes non-ASCII text many times faster in two steps than in one.
    return transcode(bytes, "utf8", "utf16le").toString("utf16le");
  } catch {
    return bytes.toString("utf8");
  }
}

/**
 * @param source the JSON, which is read again where its numbers are too large
 * @returns `undefined` for a heartbeat, which has no events
 */
export function readFrame(object: WireObject, source?: string): Frame | undefined {
  const { Index, Events } = hasLargeIndex(object) ? withLargeIndexes(object, source) : object;
  const events = Events ?? [];
  const index = exactInteger(Index);
  if (!Array.isArray(events)) {
    throw unexpected("Events", "a list");
  }
  if (events.length === 0) {
    return undefined;
  }
  if (index === undefined) {
    throw unexpected("Index", "a whole number");
  }
  const read = events.map((event, position) => readEvent(event, position, index));
  return withIndex({ index: Number(index), events: read }, index);
}

function isLarge(index: unknown): boolean {
  return Number.isInteger(index) && !Number.isSafeInteger(index);
}

function hasLargeIndex({ Index, Events }: WireObject): boolean {
  return (
    isLarge(Index) ||
    (Array.isArray(Events) && Events.some((event) => isObject(event) && isLarge(event.Index)))
  );
}

function withLargeIndexes(object: WireObject, source = "{}"): WireObject {
  const exact = parseExactly(source);
  const exactEvents = isObject(exact) && Array.isArray(exact.Events) ? exact.Events : [];
  const events: readonly unknown[] = Array.isArray(object.Events) ? object.Events : [];
  return {
    Index: isObject(exact) ? exactInteger(exact.Index) : undefined,
    Events: events.map((event, position) => {
      const same: unknown = exactEvents[position];
      return isObject(event) && isObject(same) && same.Index !== undefined
        ? { ...event, Index: exactInteger(same.Index) }
        : event;
    }),
  };
}

/** Payloads are passed through, because there are more topics and members than documented. */
function readEvent(sent: unknown, position: number, frameIndex: number | bigint): Event {
  if (!isObject(sent)) {
    throw unexpected(`Events[${position}]`, "an object");
  }
  const { Topic: topic, Type: type, Key: key } = sent;
  const namespace = sent.Namespace ?? "";
  const filterKeys = sent.FilterKeys ?? null;
  const index = sent.Index === undefined || sent.Index === null ? frameIndex : exactInteger(sent.Index);
  const payload = sent.Payload ?? {};
  if (typeof topic !== "string" || typeof type !== "string" || typeof key !== "string") {
    throw unexpected(`Topic, Type and Key of Events[${position}]`, "strings");
  }
  assertMember(typeof namespace === "string", position, "Namespace", "a string");
  if (index === undefined) {
    throw unexpected(`Events[${position}].Index`, "a whole number");
  }
  assertMember(isNullOrTexts(filterKeys), position, "FilterKeys", "a list of strings or null");
  assertMember(isObject(payload), position, "Payload", "an object");
  const event = { topic, type, key, namespace, filterKeys, index: Number(index), payload } as Event;
  return withIndex(event, index);
}

function assertMember(isValid: boolean, position: number, member: string, expected: string): void {
  if (!isValid) {
    throw unexpected(`Events[${position}].${member}`, expected);
  }
}

function isNullOrTexts(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

function unexpected(what: string, expected: string): ContractError {
  return malformed(`expected ${what} of a frame to be ${expected}`);
}
