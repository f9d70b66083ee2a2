import { strict as assert } from "node:assert";
import { canaries } from "../../cases/functions";
import type { Exchange } from "../../support/proxy";
import { textsOfMembers } from "../../support/texts";

const longestMessage = 2_000;

/** Words of a program that did not expect what it met. */
export const bewildered =
  /unexpectedly|TypeError|RangeError|SyntaxError|Cannot (?:read|convert)|is not a function|call stack|URI malformed|\[object /;

const namesRequest = /\b(GET|POST|PATCH|PUT|DELETE) (https?:\/\/|\/)\S+/;

/** What empty responses mean: the documents have them, so that they cannot be told from garbage. */
const saysWhatIsMeant =
  /already\b|There is no |does not exist|no longer exists|without naming it|returned 404 for|is free: it has no accounts|has no (?:access|directory|lease) configuration/;

/** What is wrong with an error that a person will see; nothing when it is as it should be. */
export function complaintsAbout(message: string, secrets: readonly string[]): string[] {
  return [
    ...(message.length > longestMessage ? [`it has ${message.length} characters`] : []),
    ...(bewildered.test(message) || message.includes("undefined") ? ["it was not expected"] : []),
    ...(namesRequest.test(message) || saysWhatIsMeant.test(message) ? [] : ["it names no request"]),
    ...secrets.filter((secret) => message.includes(secret)).map((secret) => `it holds the secret ${secret}`),
  ].map((complaint) => `${complaint}: ${message.slice(0, 500)}`);
}

/** Whether the message about a member that is wrong names it, something around it or something in it. */
export function namesPlace(message: string, at: string): boolean {
  const [, named = ""] =
    /Unexpected response to [^:]+(?::\/\/[^ ]+)?: (?:([\w-]+(?:[.[][^:\s]*)?): )?/.exec(message) ?? [];
  const [here = "", there = ""] = [at, named].map((place) => place.replace(/[0-9a-f-]{36}/g, "<id>"));
  return here.includes(there) || there.includes(here);
}

/** Every secret of a run: the canaries, and what the service has issued. */
export function secretsOf(exchanges: readonly Exchange[], given: readonly string[] = []): string[] {
  const issued = exchanges
    .filter(({ response }) => /^[[{]/.test(response))
    .flatMap(({ response }) => textsOfMembers(JSON.parse(response), secretMembers));
  return [...canaries, ...given, ...issued].filter((secret) => secret.length >= 6);
}

const secretMembers =
  /^(?:password|last_password|secret_id|barcode|secret_key|integration_key|delivery-responses)$/;

/** No name in a response may reach what all objects inherit. */
export function assertUnpolluted(): void {
  const inherited = Object.getPrototypeOf({}) as object;
  assert.ok(!("polluted" in inherited), "a response has changed what all objects inherit");
}

/** The kinds of values that stand at each place of values: `permissions.canUpdate` is a boolean; items are one place. */
export type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

export function kindsOf(...values: readonly unknown[]): Kinds {
  const kinds = new Map<string, Set<string>>();
  for (const value of values) {
    visit(value, (kind, at) => kinds.set(at, (kinds.get(at) ?? new Set()).add(kind)));
  }
  return kinds;
}

/**
 * What in a value is of another kind than what stood at its place in values that are right.
 *
 * @param mayBeNull whether nothing may stand at a place
 * @returns one text for each place
 */
export function strangersIn(value: unknown, kinds: Kinds, mayBeNull: (at: string) => boolean): string[] {
  const strangers: string[] = [];
  visit(value, (kind, at) => {
    const known = kinds.get(at);
    // Where right responses have nothing, no list and no number is meant: what may be missing here is a text.
    const mayAppear = kind === "string" && known?.size === 1 && known.has("null");
    // A member that right responses do not have is fine where they have others of its kind.
    const expected = known ?? siblingKinds(kinds, at);
    if (mayAppear || (kind === "null" && mayBeNull(at)) || expected.has(kind)) {
      return known !== undefined && expected.has(kind);
    }
    strangers.push(`${at}: ${kind}, not ${[...expected].join(" or ")}`);
    return false;
  });
  return strangers;
}

function siblingKinds(kinds: Kinds, at: string): Set<string> {
  const parent = at.slice(0, Math.max(at.lastIndexOf("."), at.lastIndexOf("[]"), 0));
  const siblings = [...kinds].filter(([place]) => {
    const rest = place.startsWith(parent) ? place.slice(parent.length) : "";
    return rest === "[]" || /^\.[^.]*$/.test(rest);
  });
  // The items of a list that was empty in right responses are texts: no list here holds anything else.
  return siblings.length === 0 && at.endsWith("[]")
    ? new Set(["string"])
    : new Set(siblings.flatMap(([, each]) => [...each]));
}

/** @param see is told of the value and all within it; `false` leaves out what is within */
function visit(value: unknown, see: (kind: string, at: string) => unknown, at = ""): void {
  const kind = value === undefined || value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (see(kind, at) !== false) {
    membersOf(value).forEach(([key, item]) => visit(item, see, placeOf(at, key, "[]")));
  }
}

function membersOf(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => [index, item]);
  }
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function placeOf(at: string, key: string | number, item = `[${key}]`): string {
  return typeof key === "number" ? `${at}${item}` : at === "" ? key : `${at}.${key}`;
}

/** One member of a body, or the whole, and what stands there instead. */
export interface Mutation {
  /** Where it is, as messages name places: `data.attributes.name`, `data[0].id`; empty for the whole body. */
  readonly at: string;
  /** What stands there: `null`, `a number`, `nothing`. */
  readonly what: string;
  /** The body with it. */
  readonly apply: (body: string) => string;
}

const depth = 20_000;

/** What is put in the place of each member, as JSON. */
const replacements: Readonly<Record<string, string>> = {
  null: "null",
  "a number": "7",
  "a negative fraction": "-0.5",
  "a number beyond all": "1e999",
  "a huge number": "1e300",
  "a text": '"hostile"',
  "an empty text": '""',
  "half a character": '"a\\ud800"',
  "a long text": `"${"x".repeat(20_000)}"`,
  true: "true",
  "an empty list": "[]",
  "a list of numbers": "[7]",
  "a list of objects": '[{"hostile":[7]}]',
  "an empty object": "{}",
  "an object": '{"hostile":7}',
  "a deep list": "[".repeat(depth) + "]".repeat(depth),
  "a deep object": '{"a":'.repeat(depth) + "7" + "}".repeat(depth),
  "names of prototypes":
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":7,"hasOwnProperty":7}',
};

/** Everything that can be wrong with one member of a body. Bodies of the same shape have the same mutations. */
export function mutationsOf(body: string): Mutation[] {
  return placesIn(JSON.parse(body)).flatMap(({ at, positions }) => {
    const withInstead = (text: string, replacement?: string): string =>
      JSON.stringify(withValueAt(JSON.parse(text), positions, replacement));
    const replaced = Object.entries(replacements).map(([what, json]) => ({
      ...{ at, what },
      // What is too deep for JSON.stringify is put in as text.
      apply: (text: string) => withInstead(text, marker).replace(JSON.stringify(marker), () => json),
    }));
    const left = { at, what: "nothing", apply: (text: string) => withInstead(text) };
    return positions.length === 0 ? replaced : [...replaced, left];
  });
}

const marker = "@@hostile@@";

/** The members on the way to a place, by position: names such as ids differ from run to run. */
type Positions = readonly number[];

function placesIn(
  value: unknown,
  at = "",
  positions: Positions = [],
): { at: string; positions: Positions }[] {
  const inner = membersOf(value).flatMap(([key, item], position) =>
    placesIn(item, placeOf(at, key), [...positions, position]),
  );
  return [{ at, positions }, ...inner];
}

/** @param replacement `undefined` to leave it out */
function withValueAt(value: unknown, [first, ...rest]: Positions, replacement: unknown): unknown {
  if (first === undefined) {
    return replacement;
  }
  const members = membersOf(value)
    .map(([key, item], position) => [
      String(key),
      position === first ? withValueAt(item, rest, replacement) : item,
    ])
    .filter(([, item]) => item !== undefined);
  return Array.isArray(value)
    ? members.map(([, item]) => item)
    : (Object.fromEntries(members) as Readonly<Record<string, unknown>>);
}
