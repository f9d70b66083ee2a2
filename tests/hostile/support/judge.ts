import { strict as assert } from "node:assert";
import { canaries } from "../../cases/functions";
import type { Exchange } from "../../support/proxy";
import { textsOfMembers } from "../../support/texts";

const longestMessage = 2_000;

/** Words of a program that did not expect what it met. */
export const bewildered =
  /unexpectedly|TypeError|RangeError|SyntaxError|Cannot (?:read|convert)|is not a function|call stack|URI malformed|\[object /;

const namesRequest = /\b(GET|POST|PATCH|PUT|DELETE) (https?:\/\/|\/)\S+/;

/**
 * What empty responses mean: the documents have them, so that they cannot be told from garbage. A response without an
 * argument is one of a product that does not know it.
 */
const saysWhatIsMeant =
  /already\b|does not know `\w+`, which requires|There is no |does not exist|no longer exists|without naming it|returned 404 for|is free: it has no accounts|has no (?:access|directory|lease) configuration/;

/** What is wrong with an error that a person will see; nothing when it is as it should be. */
export function complaintsAbout(message: string, secrets: readonly string[]): string[] {
  return [
    ...(message.length > longestMessage ? [`it has ${message.length} characters`] : []),
    ...(bewildered.test(message) || message.includes("undefined") ? ["it was not expected"] : []),
    ...(namesRequest.test(message) || saysWhatIsMeant.test(message) ? [] : ["it names no request"]),
    ...secrets.filter((secret) => message.includes(secret)).map((secret) => `it holds the secret ${secret}`),
  ].map((complaint) => `${complaint}: ${message.slice(0, 500)}`);
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

/** No name in a response must reach the prototype of all objects. */
export function assertUnpolluted(): void {
  const inherited = Object.getPrototypeOf({}) as object;
  assert.ok(!("polluted" in inherited), "a response has changed what all objects inherit");
}

export function membersOf(value: unknown): (readonly [string | number, unknown])[] {
  return Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(typeof value === "object" && value !== null ? value : {});
}

export function placeOf(at: string, key: string | number, item = `[${key}]`): string {
  return typeof key === "number" ? `${at}${item}` : at === "" ? key : `${at}.${key}`;
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

export type Mutation = ReturnType<typeof mutationsOf>[number];

/**
 * Everything that can be wrong with one member of a body or the whole: `at` names the place as messages do
 * (`data.attributes.name`, `data[0].id`, empty for the whole), `what` is there instead. Bodies of the same shape
 * have the same mutations.
 */
export function mutationsOf(body: string) {
  return placesIn(JSON.parse(body)).flatMap(({ at, positions }) => {
    const withInstead = (text: string, replacement?: string): string =>
      JSON.stringify(withValueAt(JSON.parse(text), positions, replacement));
    const replaced = Object.entries(replacements).map(([what, json]) => ({
      at,
      what,
      // What is too deep for JSON.stringify is put in as text.
      apply: (text: string) => withInstead(text, marker).replace(JSON.stringify(marker), () => json),
    }));
    const left = { at, what: "nothing", apply: (text: string) => withInstead(text) };
    return positions.length === 0 ? replaced : [...replaced, left];
  });
}

const marker = "@@hostile@@";

interface Place {
  readonly at: string;
  /** The members on the way to it, by position: names such as ids differ from run to run. */
  readonly positions: readonly number[];
}

function placesIn(value: unknown, at = "", positions: Place["positions"] = []): Place[] {
  const inner = membersOf(value).flatMap(([key, item], position) =>
    placesIn(item, placeOf(at, key), [...positions, position]),
  );
  return [{ at, positions }, ...inner];
}

/** @param replacement `undefined` to leave it out */
function withValueAt(value: unknown, [first, ...rest]: readonly number[], replacement?: string): unknown {
  if (first === undefined) {
    return replacement;
  }
  const members = membersOf(value)
    .map(
      ([key, item], index) => [key, index === first ? withValueAt(item, rest, replacement) : item] as const,
    )
    .filter(([, item]) => item !== undefined);
  return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
}
