import { nearestName } from "../base/nearest";
import { isObject } from "../base/json";
import { toMilliseconds } from "./duration";

/** What a value may be. Says what is wrong with one, and where: `seed.users[0].id must be a string`. */
export interface Form<out Value> {
  readonly problems: (value: unknown, at: string) => readonly string[];
  /** For the compiler: what has no problems is one. */
  readonly conforming?: Value;
}

/** A member that may be absent. */
export interface Optional<out Value> {
  readonly optional: Form<Value>;
}

/** The form of each member: the compiler finds one that is forgotten, or that is no member. */
type Members<Value> = {
  readonly [Name in keyof Value]-?: undefined extends Value[Name]
    ? Optional<Exclude<Value[Name], undefined>>
    : Form<Value[Name]>;
};

export function form<Value>(expected: string, conforms: (value: unknown) => boolean): Form<Value> {
  return { problems: (value, at) => (conforms(value) ? [] : [`${at} must be ${expected}`]) };
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return form(words.map((word) => JSON.stringify(word)).join(" or "), (value) =>
    words.some((word) => word === value),
  );
}

export function listOf<Item>(item: Form<Item>): Form<readonly Item[]> {
  return {
    problems: (value, at) =>
      Array.isArray(value)
        ? value.flatMap((each, index) => item.problems(each, `${at}[${index}]`))
        : [`${at} must be a list`],
  };
}

export function recordOf<Item>(item: Form<Item>): Form<Readonly<Record<string, Item>>> {
  return {
    problems: (value, at) =>
      isObject(value)
        ? Object.entries(value).flatMap(([name, each]) =>
            item.problems(each, `${at}[${JSON.stringify(name)}]`),
          )
        : [`${at} must be an object`],
  };
}

/** @param expected what to say to a value that is neither */
export function either<One, Other>(one: Form<One>, other: Form<Other>, expected: string): Form<One | Other> {
  return form(expected, (value) => [one, other].some(({ problems }) => problems(value, "").length === 0));
}

export function optional<Value>(form: Form<Value>): Optional<Value> {
  return { optional: form };
}

export function object<Value>(members: Members<Value>): Form<Value> {
  const forms = new Map(Object.entries<Form<unknown> | Optional<unknown>>(members));
  return {
    problems(value, at) {
      if (!isObject(value)) {
        return [`${at} must be an object`];
      }
      const unknown = Object.keys(value).filter((name) => !forms.has(name));
      return [
        ...unknown.map(
          (name) => `${at}.${name} is not a valid member; ${expectation(name, [...forms.keys()])}`,
        ),
        ...[...forms].flatMap(([name, member]) => {
          const given: unknown = value[name];
          if (given === undefined) {
            return "optional" in member ? [] : [`${at}.${name} is missing`];
          }
          return ("optional" in member ? member.optional : member).problems(given, `${at}.${name}`);
        }),
      ];
    },
  };
}

function expectation(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? `expected one of ${names.join(", ")}` : `did you mean ${near}?`;
}

function isDuration(value: unknown): boolean {
  try {
    return (typeof value === "string" || typeof value === "number") && toMilliseconds(value) >= 0;
  } catch {
    return false;
  }
}

/** Fits wherever something is to be said elsewhere. */
export const anything = form<never>("anything", () => true);
export const text = form<string>("a string", (value) => typeof value === "string");
export const name = form<string>(
  "a string of at least one character",
  (value) => typeof value === "string" && value !== "",
);
export const flag = form<boolean>("true or false", (value) => typeof value === "boolean");
export const count = form<number>(
  "a whole number",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const duration = form<string | number>(
  'milliseconds as a number, or a string such as "500ms", "30s" or "1h30m"',
  isDuration,
);
export const textOrNull = form<string | null>(
  "a string or null",
  (value) => value === null || typeof value === "string",
);
export const names = listOf(name);
export const oneOrMore = either(name, names, "a string or a list of strings");
