import { strict as assert } from "node:assert";
import { textsWithin } from "../../../sdk/resource/state/entry";
import type { Exchange } from "../../support/proxy";
import { canaries } from "../../cases/functions";

const longestMessage = 2_000;

/** Words of a program that did not expect what it met. */
const bewildered =
  /unexpectedly|TypeError|RangeError|SyntaxError|Cannot read|is not a function|\[object |undefined/;

const namesRequest = /\b(GET|POST|PATCH|PUT|DELETE) (https?:\/\/|\/)\S+/;

/** What empty responses mean: the documents have them, so that they cannot be told from garbage. */
const saysWhatIsMeant =
  /already\b|There is no |does not exist|no longer exists|without naming it|returned 404 for|is free: it has no accounts|has no (?:access|directory|lease) configuration/;

/** What is wrong with an error that a person will see; nothing when it is as it should be. */
export function complaintsAbout(message: string, secrets: readonly string[]): string[] {
  return [
    ...(message.length > longestMessage ? [`it has ${message.length} characters`] : []),
    ...(bewildered.test(message) ? ["it was not expected"] : []),
    ...(namesRequest.test(message) || saysWhatIsMeant.test(message) ? [] : ["it names no request"]),
    ...secrets.filter((secret) => message.includes(secret)).map((secret) => `it holds the secret ${secret}`),
  ].map((complaint) => `${complaint}: ${message.slice(0, 500)}`);
}

/** Whether the message about a member that is wrong names it, something around it or something in it. */
export function namesPlace(message: string, at: string): boolean {
  const named = /Unexpected response to [^:]+(?::\/\/[^ ]+)?: (?:([\w-]+(?:[.[][^:\s]*)?): )?/.exec(
    message,
  )?.[1];
  const [here, there] = [at, named ?? ""].map((place) => place.replace(/[0-9a-f-]{36}/g, "<id>"));
  return here === undefined || there === undefined || here.includes(there) || there.includes(here);
}

/** Every secret of a run: the canaries, and what the service has issued. */
export function secretsOf(exchanges: readonly Exchange[], given: readonly string[] = []): string[] {
  const issued = exchanges.flatMap(({ response }) =>
    /^[[{]/.test(response) ? secretsIn(JSON.parse(response)) : [],
  );
  return [...canaries, ...given, ...issued].filter((secret) => secret.length >= 6);
}

const secretMembers =
  /^(?:password|last_password|secret_id|barcode|secret_key|integration_key|delivery-responses)$/;

function secretsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(secretsIn);
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, item]) =>
    secretMembers.test(name) ? textsWithin(item) : secretsIn(item),
  );
}

/** No name in a response may reach what all objects inherit. */
export function assertUnpolluted(): void {
  const inherited = Object.getPrototypeOf({}) as object;
  assert.ok(!("polluted" in inherited), "a response has changed what all objects inherit");
}

/** The kinds of values that stand at each place of values: `permissions.canUpdate` is a boolean. */
export type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

/** Notes the kinds of everything in some values; the items of a list are one place. */
export function kindsOf(...values: readonly unknown[]): Kinds {
  const kinds = new Map<string, Set<string>>();
  values.forEach((value) => note(value, "", kinds));
  return kinds;
}

function note(value: unknown, at: string, kinds: Map<string, Set<string>>): void {
  const known = kinds.get(at) ?? new Set();
  kinds.set(at, known.add(kindOf(value)));
  for (const [key, item] of membersOf(value)) {
    note(item, placeOf(at, key), kinds);
  }
}

/**
 * What in a value is of another kind than what stood at its place in values that are right.
 *
 * @param mayBeNull whether nothing may stand at a place
 * @returns one text for each place
 */
export function strangersIn(
  value: unknown,
  kinds: Kinds,
  mayBeNull: (at: string) => boolean,
  at = "",
): string[] {
  const kind = kindOf(value);
  const known = kinds.get(at);
  // Where right responses have nothing, no list and no number is meant: what may be missing here is a text.
  const mayAppear = kind === "string" && known?.size === 1 && known.has("null");
  if (mayAppear || (kind === "null" && mayBeNull(at))) {
    return [];
  }
  if (known?.has(kind) !== true) {
    // A member that right responses do not have is fine where they have others of its kind.
    const siblings = known === undefined ? siblingKinds(kinds, at) : new Set<string>();
    if (!siblings.has(kind)) {
      return [`${at}: ${kind}, not ${[...(known ?? siblings)].join(" or ")}`];
    }
    return [];
  }
  return membersOf(value).flatMap(([key, item]) => strangersIn(item, kinds, mayBeNull, placeOf(at, key)));
}

function siblingKinds(kinds: Kinds, at: string): Set<string> {
  const parent = at.slice(0, Math.max(at.lastIndexOf("."), at.lastIndexOf("[]"), 0));
  const siblings = [...kinds].filter(([place]) => place.startsWith(parent) && isChild(place, parent));
  // The items of a list that was empty in right responses are texts: no list here holds anything else.
  return siblings.length === 0 && at.endsWith("[]")
    ? new Set(["string"])
    : new Set(siblings.flatMap(([, each]) => [...each]));
}

function isChild(place: string, parent: string): boolean {
  const rest = place.slice(parent.length);
  return rest !== "" && !rest.slice(1).includes(".") && (rest.startsWith(".") || rest === "[]");
}

function membersOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => [index, item]);
  }
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function placeOf(at: string, key: string | number): string {
  return typeof key === "number" ? `${at}[]` : at === "" ? key : `${at}.${key}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "null";
  }
  return Array.isArray(value) ? "array" : typeof value;
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

/** The members on the way to a place, by position: names such as ids differ from run to run. */
type Path = readonly { readonly name: string | number; readonly position: number }[];

/** Everything that can be wrong with one member of a body. Bodies of the same shape have the same mutations. */
export function mutationsOf(body: string): Mutation[] {
  return placesIn(JSON.parse(body), []).flatMap((path) => {
    const at = textOf(path);
    const replaced = Object.entries(replacements).map(([what, json]) => ({
      at,
      what,
      // What is too deep for JSON.stringify is put in as text.
      apply: (text: string) =>
        JSON.stringify(withValueAt(JSON.parse(text), path, marker)).replace(quotedMarker, () => json),
    }));
    const apply = (text: string): string => JSON.stringify(withValueAt(JSON.parse(text), path, undefined));
    return path.length === 0 ? replaced : [...replaced, { at, what: "nothing", apply }];
  });
}

const marker = "@@hostile@@";
const quotedMarker = JSON.stringify(marker);

function placesIn(value: unknown, path: Path): Path[] {
  const inner = membersOf(value).map(([name, item], position) => ({ step: { name, position }, item }));
  return [path, ...inner.flatMap(({ step, item }) => placesIn(item, [...path, step]))];
}

/** @param replacement `undefined` to leave it out */
function withValueAt(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) {
    return replacement;
  }
  const members = membersOf(value)
    .map(([name, item], position) => [
      name,
      position === step.position ? withValueAt(item, rest, replacement) : item,
    ])
    .filter(([, item]) => item !== undefined);
  return Array.isArray(value)
    ? members.map(([, item]) => item)
    : (Object.fromEntries(members) as Readonly<Record<string, unknown>>);
}

function textOf(path: Path): string {
  return path.reduce<string>(
    (text, { name }) =>
      typeof name === "number" ? `${text}[${name}]` : text === "" ? name : `${text}.${name}`,
    "",
  );
}
