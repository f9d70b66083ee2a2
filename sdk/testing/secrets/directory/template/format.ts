import { formatFloat } from "./float";
import { canBackquote, quotedBytes, quotedRune } from "./quote";
import { encoded, FunctionError, isPrintable, runeBytes, runesOf, typeOf, type Value } from "./values";

interface Directive {
  readonly sharp: boolean;
  readonly zero: boolean;
  readonly plus: boolean;
  readonly minus: boolean;
  readonly space: boolean;
  /** `%+v` and `%#v`: how structs are shown. */
  readonly plusV: boolean;
  readonly sharpV: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

const none: Directive = {
  sharp: false,
  zero: false,
  plus: false,
  minus: false,
  space: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
};

/** As `fmt.Sprint`: a space between values unless one of them is a string. */
export function sprint(values: readonly Value[]): string {
  return values
    .map((value, index) => {
      const joins = index > 0 && value.type !== "string" && values[index - 1]?.type !== "string";
      return (joins ? " " : "") + shown(value, "v", none);
    })
    .join("");
}

/** As `fmt.Sprintln`. */
export function sprintln(values: readonly Value[]): string {
  return `${values.map((value) => shown(value, "v", none)).join(" ")}\n`;
}

const flags = { "#": "sharp", "0": "zero", "+": "plus", "-": "minus", " ": "space" } as const;
const largest = 1_000_000;

/** As `fmt.Sprintf`; works on bytes. */
export function sprintf(format: string, values: readonly Value[]): string {
  return new Formatter(format, values).text;
}

class Formatter {
  text = "";
  private at = 0;
  private next = 0;
  private isReordered = false;
  private isGood = true;
  private followsIndex = false;

  constructor(
    private readonly format: string,
    private readonly values: readonly Value[],
  ) {
    while (this.at < format.length) {
      const percent = format.indexOf("%", this.at);
      const end = percent === -1 ? format.length : percent;
      this.text += format.slice(this.at, end);
      this.at = end + 1;
      if (percent !== -1) {
        this.isGood = true;
        this.directive();
      }
    }
    const rest = values.slice(this.next);
    if (!this.isReordered && rest.length > 0) {
      this.text += `%!(EXTRA ${rest.map((value) => (value.type === "nil" ? "<nil>" : typed(value))).join(", ")})`;
    }
  }

  private directive(): void {
    const set = new Set<string>();
    for (let flag = flagAt(this.format, this.at); flag !== undefined; flag = flagAt(this.format, this.at)) {
      set.add(flag);
      this.at++;
    }
    this.readIndex();
    const width = this.readSize("%!(BADWIDTH)");
    let precision: number | undefined;
    if (this.format[this.at] === "." && this.at + 1 < this.format.length) {
      this.at++;
      this.isGood &&= !this.followsIndex;
      this.readIndex();
      const isStar = this.format[this.at] === "*";
      const size = this.readSize("%!(BADPREC)");
      precision = isStar ? (size !== undefined && size >= 0 ? size : undefined) : (size ?? 0);
      if (isStar && size !== undefined && size < 0) {
        this.text += "%!(BADPREC)";
      }
    }
    if (!this.followsIndex) {
      this.readIndex();
    }
    const [verb] = runesOf(this.format.slice(this.at, this.at + 4));
    if (verb === undefined) {
      this.text += "%!(NOVERB)";
      return;
    }
    this.at += verb.bytes.length;
    const isNegative = (width ?? 0) < 0;
    this.print(verb.code === 0xfffd ? runeBytes(verb.code) : verb.bytes, {
      sharp: set.has("sharp"),
      zero: set.has("zero") && !isNegative,
      plus: set.has("plus"),
      minus: set.has("minus") || isNegative,
      space: set.has("space"),
      plusV: false,
      sharpV: false,
      width: width === undefined ? undefined : Math.abs(width),
      precision,
    });
  }

  private print(verb: string, directive: Directive): void {
    const value = this.values[this.next];
    if (verb === "%") {
      this.text += "%";
    } else if (!this.isGood) {
      this.text += `%!${verb}(BADINDEX)`;
    } else if (value === undefined) {
      this.text += `%!${verb}(MISSING)`;
    } else {
      const { sharp, plus } = directive;
      const isV = verb === "v" || verb === "w";
      this.text += shown(
        value,
        verb,
        isV ? { ...directive, sharp: false, plus: false, sharpV: sharp, plusV: plus } : directive,
      );
      this.next++;
    }
  }

  /** `[2]` selects the next value, counted from 1. */
  private readIndex(): void {
    this.followsIndex = false;
    if (this.format[this.at] !== "[") {
      return;
    }
    this.isReordered = true;
    const rest = this.format.slice(this.at);
    const end = rest.indexOf("]", 1);
    const isShort = rest.length < 3 || end === -1;
    const isNumber = !isShort && /^\d+$/.test(rest.slice(1, end));
    const index = isNumber ? Number(rest.slice(1, end)) - 1 : -1;
    this.at += isShort ? 1 : end + 1;
    this.followsIndex = isNumber;
    if (index >= 0 && index < this.values.length) {
      this.next = index;
    } else {
      this.isGood = false;
    }
  }

  /** A number, or `*` for the next value. */
  private readSize(problem: string): number | undefined {
    if (this.format[this.at] === "*") {
      this.at++;
      const value = this.values[this.next];
      const number = value !== undefined && "number" in value ? Number(value.number) : undefined;
      const isValid = number !== undefined && Math.abs(number) <= largest;
      this.next += value === undefined ? 0 : 1;
      this.text += isValid ? "" : problem;
      this.followsIndex = false;
      return isValid ? number : undefined;
    }
    const [digits = ""] = /^\d*/.exec(this.format.slice(this.at)) ?? [];
    this.at += digits.length;
    this.isGood &&= !(this.followsIndex && digits !== "");
    // Each digit is added before the next one is looked at.
    if (Number(digits.slice(0, -1)) > largest) {
      this.at = this.format.length;
      return undefined;
    }
    return digits === "" ? undefined : Number(digits);
  }
}

function flagAt(format: string, position: number): string | undefined {
  const character = format.charAt(position);
  return Object.hasOwn(flags, character) ? flags[character as keyof typeof flags] : undefined;
}

function typed(value: Value): string {
  return `${encoded(typeOf(value))}=${shown(value, "v", none)}`;
}

function badVerb(value: Value, verb: string): string {
  return `%!${verb}(${value.type === "nil" ? "<nil>" : typed(value)})`;
}

/** Formats one value by a verb. */
function shown(value: Value, verb: string, directive: Directive): string {
  if (verb === "T") {
    return padded(value.type === "nil" ? "<nil>" : cut(typeOf(value), directive), directive);
  }
  switch (value.type) {
    case "nil":
      return verb === "v" ? padded("<nil>", directive) : badVerb(value, verb);
    case "bool":
      return verb === "t" || verb === "v" ? padded(String(value.is), directive) : badVerb(value, verb);
    case "string":
      return shownText(value.bytes, verb, directive) ?? badVerb(value, verb);
    case "float64":
      return shownFloat(value.float, verb, directive) ?? badVerb(value, verb);
    case "struct": {
      if (verb === "p" || verb === "w") {
        return badVerb(value, verb);
      }
      const members = Array.from(value.fields, ([name, member]) => {
        const prefix = directive.plusV || directive.sharpV ? `${name}:` : "";
        return prefix + shown(member, verb, directive);
      });
      const { sharpV } = directive;
      return `${sharpV ? value.name : ""}{${members.join(sharpV ? ", " : " ")}}`;
    }
    default: {
      const isByte = value.type === "uint8";
      return shownInteger(value.number, verb, directive, isByte) ?? badVerb(value, verb);
    }
  }
}

function padded(text: string, { width = 0, minus, zero }: Directive): string {
  const missing = Math.max(width - runesOf(text).length, 0);
  return minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text;
}

function cut(bytes: string, { precision }: Directive): string {
  return precision === undefined
    ? bytes
    : runesOf(bytes)
        .slice(0, precision)
        .map((rune) => rune.bytes)
        .join("");
}

function shownText(bytes: string, verb: string, directive: Directive): string | undefined {
  const quotes = verb === "q" || (verb === "v" && directive.sharpV);
  if (quotes) {
    const text = cut(bytes, directive);
    const plain = directive.sharp && canBackquote(text);
    return padded(plain ? `\`${text}\`` : quotedBytes(text, directive.plus), directive);
  }
  if (verb === "v" || verb === "s") {
    return padded(cut(bytes, directive), directive);
  }
  if (verb !== "x" && verb !== "X") {
    return undefined;
  }
  const { sharp, space, precision = bytes.length } = directive;
  const pairs = Array.from(bytes.slice(0, precision), (byte) =>
    byte.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  const prefix = sharp && pairs.length > 0 ? "0x" : "";
  const text = prefix + pairs.join(space ? ` ${prefix}` : "");
  return padded(verb === "X" ? text.toUpperCase() : text, directive);
}

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function shownInteger(
  number: bigint,
  verb: string,
  directive: Directive,
  isUnsigned: boolean,
): string | undefined {
  if (verb === "c") {
    return padded(runeBytes(Number(number)), directive);
  }
  if (verb === "q") {
    return padded(quotedRune(Number(number), directive.plus), directive);
  }
  if (verb === "U") {
    return padded(unicode(BigInt.asUintN(64, number), directive), { ...directive, zero: false });
  }
  const isByteV = verb === "v" && directive.sharpV && isUnsigned;
  const base = isByteV ? 16 : bases[verb];
  if (base === undefined) {
    return undefined;
  }
  const { sharp, plus, space, zero, minus, width, precision } = directive;
  const blank = { ...directive, zero: false };
  if (precision === 0 && number === 0n) {
    return padded("", blank);
  }
  const sign = number < 0n ? "-" : plus ? "+" : space ? " " : "";
  const fills = precision === undefined && zero && !minus ? (width ?? 0) - sign.length : (precision ?? 0);
  let digits = (number < 0n ? -number : number).toString(base).padStart(Math.max(fills, 0), "0");
  if (sharp || isByteV) {
    const prefix = { 2: "0b", 8: digits.startsWith("0") ? "" : "0", 16: "0x" }[base as 2 | 8 | 16] as
      string | undefined;
    digits = (prefix ?? "") + digits;
  }
  const text = sign + (verb === "O" ? "0o" : "") + digits;
  return padded(verb === "X" ? text.toUpperCase() : text, blank);
}

function unicode(number: bigint, { sharp, precision = 4 }: Directive): string {
  const text = `U+${number.toString(16).toUpperCase().padStart(Math.max(precision, 4), "0")}`;
  const code = Number(number);
  const shows = sharp && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && isPrintable(code);
  return shows ? `${text} '${runeBytes(code)}'` : text;
}

const precisions: Readonly<Record<string, number>> = { e: 6, E: 6, f: 6, F: 6, v: -1, g: -1, G: -1 };

function shownFloat(float: number, verb: string, directive: Directive): string | undefined {
  if (["b", "x", "X"].includes(verb)) {
    throw new FunctionError(`the emulator's printf does not know %${verb} for numbers with a fraction`);
  }
  const precision = precisions[verb];
  if (precision === undefined) {
    return undefined;
  }
  const { plus, space, zero, minus, width = 0 } = directive;
  const kind = verb === "v" ? "g" : verb === "F" ? "f" : (verb as "e" | "E" | "f" | "g" | "G");
  const isNegative = float < 0 || Object.is(float, -0);
  const sign = isNegative ? "-" : plus ? "+" : space ? " " : "";
  if (!Number.isFinite(float)) {
    return padded(`${sign || "+"}Inf`, { ...directive, zero: false });
  }
  const number = formatFloat(Math.abs(float), kind, directive.precision ?? precision);
  const digits = directive.sharp ? withPoint(number, kind, directive.precision ?? precision) : number;
  if (zero && !minus) {
    return sign + digits.padStart(width - sign.length, "0");
  }
  return padded(sign + digits, directive);
}

/** `#` keeps the decimal point, and the zeros that `g` omits. */
function withPoint(number: string, kind: string, precision: number): string {
  const [mantissa = "", tail = ""] = number.split(/(?=[eE])/);
  const significant = mantissa.replace(".", "").replace(/^0+/, "").length;
  const least = kind.toLowerCase() === "g" ? (precision < 0 ? 6 : precision) : 0;
  const counted = mantissa === "0" ? 1 : significant;
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  return pointed + "0".repeat(Math.max(least - counted, 0)) + tail;
}
