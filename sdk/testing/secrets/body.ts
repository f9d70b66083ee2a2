import { parseDuration } from "../../base/duration";
import { isObject } from "../../base/json";
import { badRequest } from "./refusal";

/** What is known about a body before it is read. */
export interface ExpectedBody {
  /** The names of all attributes that it may hold. */
  readonly known: readonly string[];
  /** The names of the parameters that the path gives. */
  readonly captured?: readonly string[];
  /**
   * The products ignore attributes that the endpoint does not know or that its path gives already, and convert values
   * of another kind; null and an empty text are then nothing. The documented service refuses both.
   */
  readonly isHashicorp: boolean;
}

/**
 * The body of a request, whose attributes are read one by one. All readers return `undefined` for an attribute that was
 * not sent, and throw a `Refusal` 400 for a value of the wrong kind. Unless values are converted, `null` is the wrong
 * kind for all of them.
 */
export class Body {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly converts: boolean,
    /** What the service says about attributes that it did not read. */
    readonly warnings: readonly string[],
  ) {}

  /**
   * @param text the body; `undefined` for none
   * @throws Refusal 400 when it is not JSON object, or holds more than the service takes
   */
  static parse(text: string | undefined, { known, captured = [], isHashicorp }: ExpectedBody): Body {
    const values = new Map(Object.entries(parseObject(text)));
    const unknown = [...values.keys()].filter((name) => !known.includes(name));
    if (!isHashicorp && unknown.length > 0) {
      const rest = known.length === 0 ? "none are known here" : `known here: ${known.join(", ")}`;
      throw badRequest(`unrecognized parameters: [${unknown.join(" ")}]; ${rest}`);
    }
    const replaced = isHashicorp ? [...values.keys()].filter((name) => captured.includes(name)) : [];
    const ignored = unknown.filter((name) => !replaced.includes(name));
    for (const name of [...replaced, ...ignored]) {
      values.delete(name);
    }
    return new Body(values, isHashicorp, [
      ...warningAbout("ignored these unrecognized parameters", ignored),
      ...warningAbout(
        "replaced the value of these parameters with the values captured from the endpoint's path",
        replaced,
      ),
    ]);
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
      typeof value === "boolean" ? value : this.converts ? flagOf(value) : undefined,
    );
  }

  integer(name: string): number | undefined {
    return this.read(name, "a whole number", (value) =>
      Number.isSafeInteger(value) ? Number(value) : this.converts ? numberOf(value) : undefined,
    );
  }

  /** @returns whole seconds */
  duration(name: string): number | undefined {
    if (this.converts && this.values.get(name) === null) {
      return undefined;
    }
    return this.read(name, 'seconds, or a duration such as "90s", "1h30m" or "1d", not negative', (value) =>
      value === "" && this.converts ? 0 : wholeSeconds(value),
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
      const entries = Object.entries(isObject(value) ? value : { "": undefined });
      const texts = entries.flatMap(([key, part]) => {
        const text = this.asText(part);
        return text === undefined ? [] : [[key, text] as const];
      });
      return texts.length === entries.length ? Object.fromEntries(texts) : undefined;
    });
  }

  private asText(value: unknown): string | undefined {
    return typeof value === "string" ? value : this.converts ? textOf(value) : undefined;
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
      const got = Array.isArray(value) ? "a list" : isObject(value) ? "an object" : JSON.stringify(value);
      throw badRequest(
        `Field validation failed: error converting input for field ${JSON.stringify(name)}: ` +
          `expected ${kind}, got ${got}`,
      );
    }
    return converted;
  }
}

/** Null, a truth value or a number as a text. */
function textOf(value: unknown): string | undefined {
  if (value === null || typeof value === "boolean") {
    return value === null ? "" : String(Number(value));
  }
  return typeof value === "number" ? String(value) : undefined;
}

function numberOf(value: unknown): number | undefined {
  const text = typeof value === "string" ? value : textOf(value);
  return text !== undefined && /^(?:[+-]?\d+)?$/.test(text) ? Number(text) : undefined;
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

function warningAbout(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`Endpoint ${what}: [${[...names].sort().join(" ")}]`];
}

function parseObject(text = "{}"): object {
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
