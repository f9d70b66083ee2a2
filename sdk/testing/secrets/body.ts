import { parseDuration } from "../../base/duration";
import { isObject } from "../../base/json";
import { badRequest } from "./refusal";

/** What becomes of what a body says and no endpoint reads as it stands. */
export interface BodyRules {
  /** Attributes that the endpoint does not know, or that its path gives already. */
  readonly unknown: "refused" | "ignored";
  /** Values of another kind: refused, or converted as the products do it. Null and an empty text are then nothing. */
  readonly otherKinds: "refused" | "converted";
}

/** What is known about a body before it is read. */
export interface ExpectedBody {
  /** The names of all attributes that it may hold. */
  readonly known: readonly string[];
  /** The names of the parameters that the path gives. */
  readonly captured?: readonly string[];
  readonly rules: BodyRules;
}

/**
 * The body of a request, whose attributes are read one by one. All readers return `undefined` for an attribute that was
 * not sent, and throw a `Refusal` 400 for a value of the wrong kind. Unless values are converted, `null` is the wrong
 * kind for all of them.
 */
export class Body {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly otherKinds: BodyRules["otherKinds"],
    /** What the service says about attributes that it did not read. */
    readonly warnings: readonly string[],
  ) {}

  /**
   * @param text the body; `undefined` for none
   * @throws Refusal 400 when it is not JSON object, or holds more than the rules allow
   */
  static parse(text: string | undefined, { known, captured = [], rules }: ExpectedBody): Body {
    const { unknown: unknownAttributes, otherKinds } = rules;
    const values = new Map(Object.entries(parseObject(text)));
    const unknown = [...values.keys()].filter((name) => !known.includes(name));
    if (unknownAttributes === "ignored") {
      const replaced = [...values.keys()].filter((name) => captured.includes(name));
      const ignored = unknown.filter((name) => !replaced.includes(name));
      for (const name of [...replaced, ...ignored]) {
        values.delete(name);
      }
      return new Body(values, otherKinds, warningsAbout(ignored, replaced));
    }
    if (unknown.length > 0) {
      const rest = known.length === 0 ? "none are known here" : `known here: ${known.join(", ")}`;
      throw badRequest(`unrecognized parameters: [${unknown.join(" ")}]; ${rest}`);
    }
    return new Body(values, otherKinds, []);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** Whether it was sent as an empty text: how a value of any kind is unset. */
  isEmpty(name: string): boolean {
    return this.values.get(name) === "";
  }

  text(name: string): string | undefined {
    return this.read(name, "a string", (value) => this.asText(value));
  }

  /** @throws Refusal 400 also when it is missing or empty */
  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") {
      throw badRequest(`missing ${name}`);
    }
    return value;
  }

  boolean(name: string): boolean | undefined {
    return this.read(name, "true or false", (value) =>
      typeof value === "boolean" ? value : this.converted(value, flagOf),
    );
  }

  integer(name: string): number | undefined {
    return this.read(name, "a whole number", (value) =>
      typeof value === "number" && Number.isSafeInteger(value) ? value : this.converted(value, numberOf),
    );
  }

  /** @returns whole seconds */
  duration(name: string): number | undefined {
    if (this.otherKinds === "converted" && this.values.get(name) === null) {
      return undefined;
    }
    return this.read(name, 'seconds, or a duration such as "90s", "1h30m" or "1d", not negative', (value) =>
      value === null || value === "" ? this.converted(value, () => 0) : wholeSeconds(value),
    );
  }

  /** A list of texts, or one comma-separated string between the items; spaces around an item do not count. */
  list(name: string): string[] | undefined {
    return this.read(name, "a string or a list of strings", (value) => {
      const items: unknown[] =
        typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [null];
      return items.every((item) => typeof item === "string")
        ? items.map((item) => item.trim()).filter((item) => item !== "")
        : undefined;
    });
  }

  /** A map from text to text. */
  map(name: string): Record<string, string> | undefined {
    return this.read(name, "a map of strings to strings", (value) => {
      const entries = isObject(value)
        ? Object.entries(value).map(([key, part]): [string, string | undefined] => [key, this.asText(part)])
        : undefined;
      return entries?.every((entry): entry is [string, string] => entry[1] !== undefined)
        ? Object.fromEntries(entries)
        : undefined;
    });
  }

  private asText(value: unknown): string | undefined {
    return typeof value === "string" ? value : this.converted(value, textOf);
  }

  private converted<Value>(
    value: unknown,
    convert: (value: unknown) => Value | undefined,
  ): Value | undefined {
    return this.otherKinds === "converted" ? convert(value) : undefined;
  }

  private read<Value>(
    name: string,
    kind: string,
    convert: (value: unknown) => Value | undefined,
  ): Value | undefined {
    if (!this.values.has(name)) {
      return undefined;
    }
    const value = this.values.get(name);
    const converted = convert(value);
    if (converted === undefined) {
      throw badRequest(
        `Field validation failed: error converting input for field ${JSON.stringify(name)}: ` +
          `expected ${kind}, got ${typeof value === "string" ? JSON.stringify(value) : kindOf(value)}`,
      );
    }
    return converted;
  }
}

function textOf(value: unknown): string | undefined {
  return value === null
    ? ""
    : typeof value === "boolean"
      ? String(Number(value))
      : typeof value === "number"
        ? String(value)
        : undefined;
}

function numberOf(value: unknown): number | undefined {
  if (
    typeof value === "string" ? /^(?:[+-]?\d+)?$/.test(value) : value === null || typeof value === "boolean"
  ) {
    return Number(value);
  }
  return undefined;
}

function flagOf(value: unknown): boolean | undefined {
  const words = /^(?:(1|t|T|true|True|TRUE)|0|f|F|false|False|FALSE|)$/.exec(textOf(value) ?? String(value));
  return words === null ? undefined : words[1] !== undefined;
}

/** Only numbers with units may have a fraction, which is cut off. */
function wholeSeconds(value: unknown): number | undefined {
  const seconds = parseDuration(value) ?? Number.NaN;
  const whole = Number.isNaN(Number(value)) ? Math.floor(seconds) : seconds;
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function warningsAbout(ignored: readonly string[], replaced: readonly string[]): string[] {
  const warn = (names: readonly string[], begin: string): string[] =>
    names.length === 0 ? [] : [`${begin}: [${[...names].sort().join(" ")}]`];
  return [
    ...warn(ignored, "Endpoint ignored these unrecognized parameters"),
    ...warn(
      replaced,
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path",
    ),
  ];
}

function parseObject(text: string | undefined): object {
  if (text === undefined) {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    throw badRequest("failed to parse JSON input: the body is not valid JSON");
  }
  if (!isObject(value)) {
    throw badRequest("failed to parse JSON input: the body is not an object");
  }
  return value;
}

function kindOf(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" || value === null
    ? String(value)
    : Array.isArray(value)
      ? "a list"
      : "an object";
}
