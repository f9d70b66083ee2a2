import { parseDuration } from "../../base/timing";
import { isObject } from "../../base/json";
import { parsedJson } from "../response";
import { badRequest } from "./refusal";
import type { SecretsTraits } from "./traits";

export interface ExpectedBody {
  readonly known: readonly string[];
  /** Names of the path's parameters. */
  readonly captured?: readonly string[];
  readonly traits: SecretsTraits;
}

/** Readers return `undefined` for an attribute that was not sent, and throw a `Refusal` 400 for a wrong type. */
export class Body {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly converts: boolean,
    readonly warnings: readonly string[],
  ) {}

  /** @throws Refusal 400 if the text is not a JSON object, or has unknown attributes */
  static parse(text: string | undefined, { known, captured = [], traits }: ExpectedBody): Body {
    const values = new Map(Object.entries(parseObject(text, traits)));
    const unknown = [...values.keys()].filter((name) => !known.includes(name));
    if (!traits.ignoresUnknown && unknown.length > 0) {
      const rest = known.length === 0 ? "none are known here" : `known here: ${known.join(", ")}`;
      throw badRequest(`unrecognized parameters: [${unknown.join(" ")}]; ${rest}`);
    }
    const replaced = traits.ignoresUnknown
      ? [...values.keys()].filter((name) => captured.includes(name))
      : [];
    const ignored = unknown.filter((name) => !replaced.includes(name));
    for (const name of [...replaced, ...ignored]) {
      values.delete(name);
    }
    return new Body(values, traits.convertsValues, [
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

  any(name: string): unknown {
    return this.values.get(name);
  }

  /** An empty string unsets a value of any type. */
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

  /** @throws Refusal 400 if the body repeats a name of the path with another value */
  requireSame(name: string, inPath: string): void {
    const sent = this.text(name) ?? inPath;
    if (sent !== inPath) {
      const [own, other] = [inPath, sent].map((each) => JSON.stringify(each));
      throw badRequest(`${name} is ${other} in the body, but ${own} in the path`);
    }
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

  /**
   * A list, or one string with commas; spaces around items are trimmed.
   *
   * @param documented what the documented service takes
   */
  list(
    name: string,
    documented: "a string" | "a string or a list of strings" = "a string or a list of strings",
  ) {
    return this.read(name, documented, (value): string[] | undefined => {
      if (value === null && this.converts) {
        return [];
      }
      const isList = Array.isArray(value) && (this.converts || documented !== "a string");
      const items: unknown[] = typeof value === "string" ? value.split(",") : isList ? value : [null];
      return items.every((item) => typeof item === "string")
        ? items.map((item) => item.trim()).filter((item) => item !== "")
        : undefined;
    });
  }

  /** In the products some lists are not divided at commas. */
  strings(name: string): string[] | undefined {
    return this.read(name, "a list of strings", (value) => {
      const items: unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
      return items.every((item) => typeof item === "string") ? items : undefined;
    });
  }

  map(name: string): Record<string, string> | undefined {
    return this.read(name, "a map of strings to strings", (value) => {
      const none = value === null && this.converts ? {} : { "": undefined };
      const given = this.converts ? (pairsOf(value) ?? value) : value;
      const entries = Object.entries(isObject(given) ? given : none);
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

/** `a=b`, or a list of such strings, as the products' command lines send it. */
function pairsOf(value: unknown): object | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const pairs = texts.map((text) =>
    typeof text === "string" ? /^([^=]*)=([^]*)$/.exec(text)?.slice(1) : undefined,
  );
  return pairs.every((pair) => pair !== undefined) ? (Object.fromEntries(pairs) as object) : undefined;
}

/** Booleans become `1` or `0`, and null becomes empty. */
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
  const match = /^(?:(1|t|T|true|True|TRUE)|0|f|F|false|False|FALSE|)$/.exec(textOf(value) ?? String(value));
  return match === null ? undefined : match[1] !== undefined;
}

/** Only numbers with units can have a fraction, which is cut off. */
export function wholeSeconds(value: unknown): number | undefined {
  const seconds = parseDuration(value) ?? Number.NaN;
  const whole = Number.isNaN(Number(value)) ? Math.floor(seconds) : seconds;
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function warningAbout(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`Endpoint ${what}: [${[...names].sort().join(" ")}]`];
}

/** The products take null, which their own clients send without data, and white space for an empty object. */
function parseObject(text = "{}", { takesNull }: SecretsTraits): object {
  const value = takesNull && text.trim() === "" ? null : parsedJson(text);
  if (isObject(value)) {
    return value;
  }
  if (!takesNull) {
    const problem = value === undefined ? "valid JSON" : "an object";
    throw badRequest(`failed to parse JSON input: the body is not ${problem}`);
  }
  if (value === null) {
    return {};
  }
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const problem =
    value === undefined
      ? "unexpected EOF"
      : `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  throw badRequest(`failed to decode JSON input: ${problem}`);
}
