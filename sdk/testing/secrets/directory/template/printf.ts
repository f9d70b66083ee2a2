import { FunctionError } from "./template-error";
import { floatToText, isTrue, toText, twoDigitExponent, typeOf, type Value } from "./value";

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly verb: string;
}

const directives = /%([-+# 0]*)(\d*)(?:\.(\d*))?([^]|$)/gu;

/** The values one after the other, with a space between two of which neither is a text. */
export function sprint(values: readonly Value[]): string {
  const isText = (value: Value | undefined): boolean => typeof value === "string" || Buffer.isBuffer(value);
  return values
    .map((value, index) => {
      const separated = index > 0 && !isText(value) && !isText(values[index - 1]);
      return (separated ? " " : "") + (value === null ? "<nil>" : toText(value));
    })
    .join("");
}

/**
 * Formats as the template language's `printf`: the verbs for texts (`s`, `q`, `x`, `X`), integers (`d`, `b`, `o`, `c`,
 * `x`, `X`, `q`), numbers (`e`, `f`, `g`), truth values (`t`), types (`T`) and any value (`v`), with flags, width and
 * precision written in the format. A value that does not fit produces a note in the text, such as `%!d(string=abc)`.
 *
 * @throws FunctionError for a width or a position that is to be taken from the values
 */
export function sprintf(format: string, values: readonly Value[]): string {
  let next = 0;
  const text = format.replace(
    directives,
    (_whole, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === "%") {
        return "%";
      }
      if (verb === "") {
        return "%!(NOVERB)";
      }
      if (verb === "*" || verb === "[") {
        throw new FunctionError("the emulator's printf takes no width and no position from its arguments");
      }
      const value = values[next];
      next += 1;
      return value === undefined
        ? `%!${verb}(MISSING)`
        : formatValue(value, {
            flags,
            width: Number(width),
            precision: precision === undefined ? undefined : Number(precision),
            verb,
          });
    },
  );
  const surplus = values.slice(next).map((value) => `${nameOf(value)}=${toText(value)}`);
  return surplus.length > 0 ? `${text}%!(EXTRA ${surplus.join(", ")})` : text;
}

function formatValue(value: Value, directive: Directive): string {
  const { verb } = directive;
  if (verb === "T") {
    return pad(nameOf(value), directive);
  }
  const formatted = verb === "v" ? formatAny(value, directive) : formatAs(value, directive);
  return formatted === undefined ? `%!${verb}(${describe(value)})` : pad(formatted, directive);
}

function formatAny(value: Value, directive: Directive): string {
  const verb = typeof value === "bigint" ? "d" : typeof value === "number" ? "g" : "s";
  return formatAs(value, { ...directive, verb }) ?? (value === null ? "<nil>" : toText(value));
}

function formatAs(value: Value, directive: Directive): string | undefined {
  switch (typeof value) {
    case "string":
      return formatText(Buffer.from(value, "utf8"), directive);
    case "bigint":
      return formatInteger(value, directive);
    case "number":
      return formatFloat(value, directive);
    case "boolean":
      return directive.verb === "t" ? String(isTrue(value)) : undefined;
    default:
      return Buffer.isBuffer(value) ? formatText(value, directive) : undefined;
  }
}

function formatText(octets: Buffer, { verb, precision, flags }: Directive): string | undefined {
  const text = octets.toString("utf8");
  const cut = precision === undefined ? text : Array.from(text).slice(0, precision).join("");
  const shown = precision === undefined ? octets : octets.subarray(0, precision);
  switch (verb) {
    case "s":
      return cut;
    case "q":
      return flags.includes("#") && !cut.includes("`") ? `\`${cut}\`` : quote(cut);
    case "x":
      return shown.toString("hex");
    case "X":
      return shown.toString("hex").toUpperCase();
    default:
      return undefined;
  }
}

const radixes: ReadonlyMap<string, number> = new Map([
  ["d", 10],
  ["b", 2],
  ["o", 8],
  ["x", 16],
  ["X", 16],
]);

function formatInteger(value: bigint, directive: Directive): string | undefined {
  const { verb, flags, precision } = directive;
  const radix = radixes.get(verb);
  if (radix !== undefined) {
    const prefix = flags.includes("#") ? ({ o: "0", x: "0x", X: "0X", b: "0b" }[verb] ?? "") : "";
    const digits = (value < 0n ? -value : value).toString(radix).padStart(precision ?? 0, "0");
    return signOf(value < 0n, flags) + prefix + (verb === "X" ? digits.toUpperCase() : digits);
  }
  const character = value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : "\ufffd";
  if (verb === "c") {
    return character;
  }
  return verb === "q" ? `'${quote(character).slice(1, -1)}'` : undefined;
}

function formatFloat(value: number, { verb, flags, precision }: Directive): string | undefined {
  const absolute = Math.abs(value);
  const digits = {
    e: () => twoDigitExponent(absolute.toExponential(precision ?? 6)),
    f: () => absolute.toFixed(precision ?? 6),
    F: () => absolute.toFixed(precision ?? 6),
    g: () =>
      floatToText(precision === undefined ? absolute : Number(absolute.toPrecision(Math.max(precision, 1)))),
  }[verb];
  return digits === undefined ? undefined : signOf(value < 0, flags) + digits();
}

function signOf(isNegative: boolean, flags: string): string {
  return isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function pad(text: string, { flags, width, verb, precision }: Directive): string {
  const missing = Math.max(width - Array.from(text).length, 0);
  if (flags.includes("-")) {
    return text + " ".repeat(missing);
  }
  const isNumber = "dboxXeEfFgG".includes(verb);
  if (!flags.includes("0") || (isNumber && precision !== undefined && "dboxX".includes(verb))) {
    return " ".repeat(missing) + text;
  }
  const sign = isNumber ? (/^[+-]/.exec(text)?.[0] ?? "") : "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}

function quote(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([\da-f]{2})/g, "\\x$1")
    .replaceAll("\u007f", "\\x7f");
}

/** Its type as this function names it; nothing has none. */
function nameOf(value: Value): string {
  return value === null ? "<nil>" : typeOf(value);
}

function describe(value: Value): string {
  return value === null ? "<nil>" : `${typeOf(value)}=${toText(value)}`;
}
