const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Finds where objects end. It looks at no more than quotes and brackets: whether what it found is JSON, the parser
 * decides. The bytes may come in any pieces.
 */
export class ValueScanner {
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
        // Most bytes stand in texts, so this is the shortest way.
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
