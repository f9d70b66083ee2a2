interface Decimal {
  /** Without leading zeros; `"0"` for zero. */
  readonly digits: string;
  /** How many of the digits are before the decimal point. */
  readonly point: number;
}

/** The shortest digits that name the number. */
function shortest(float: number): Decimal {
  const [mantissa = "", exponent = "0"] = float.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

/** All digits of the number; there is a finite number of them. */
function exact(float: number): Decimal {
  const bits = new BigUint64Array(new Float64Array([float]).buffer)[0] ?? 0n;
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const exponent = Math.max(biased, 1) - 1_075;
  if (mantissa === 0n) {
    return { digits: "0", point: 1 };
  }
  const whole = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const digits = whole.toString();
  return { digits, point: digits.length + Math.min(exponent, 0) };
}

/** @param count digits to keep; ties go to the even digit */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) {
    return { digits, point };
  }
  if (count < 0) {
    return { digits: "0", point: 1 };
  }
  const kept = BigInt(digits.slice(0, count) || "0");
  const [next = "0", ...rest] = digits.slice(count);
  const isTie = next === "5" && rest.every((digit) => digit === "0");
  const up = isTie ? kept % 2n === 1n : next >= "5";
  const result = (up ? kept + 1n : kept).toString().padStart(count, "0");
  return /^0*$/.test(result)
    ? { digits: "0", point: 1 }
    : { digits: result, point: point + result.length - count };
}

function exponential({ digits, point }: Decimal, precision: number, letter: string): string {
  const isZero = /^0*$/.test(digits);
  const exponent = isZero ? 0 : point - 1;
  const shown = digits.padEnd(precision + 1, "0").slice(0, precision + 1);
  const mantissa = precision > 0 ? `${shown.charAt(0)}.${shown.slice(1)}` : shown;
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}${letter}${exponent < 0 ? "-" : "+"}${size}`;
}

function plain({ digits, point }: Decimal, precision: number): string {
  const before = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const after = ("0".repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))).padEnd(precision, "0");
  return precision > 0 ? `${before}.${after.slice(0, precision)}` : before;
}

/**
 * As `strconv.FormatFloat`, for finite numbers that are not negative.
 *
 * @param precision -1 for the shortest digits that name the number
 */
export function formatFloat(float: number, verb: "e" | "E" | "f" | "g" | "G", precision: number): string {
  const isShortest = precision < 0;
  const all = isShortest ? shortest(float) : exact(float);
  if (verb === "f") {
    const number = isShortest ? all : rounded(all, all.point + precision);
    return plain(number, isShortest ? Math.max(number.digits.length - number.point, 0) : precision);
  }
  if (verb === "e" || verb === "E") {
    const number = isShortest ? all : rounded(all, precision + 1);
    return exponential(number, isShortest ? number.digits.length - 1 : precision, verb);
  }
  const cut = isShortest ? all : rounded(all, Math.max(precision, 1));
  const digits = cut.digits.replace(/0+$/, "");
  const point = digits === "" ? 0 : cut.point;
  const kept = isShortest ? digits.length : Math.max(precision, 1);
  const limit = isShortest ? 6 : kept > digits.length && digits.length >= point ? digits.length : kept;
  const number = { digits, point };
  return point - 1 < -4 || point - 1 >= limit
    ? exponential(number, Math.min(kept, digits.length) - 1, verb === "G" ? "E" : "e")
    : plain(number, Math.max((kept > point ? digits.length : kept) - point, 0));
}
