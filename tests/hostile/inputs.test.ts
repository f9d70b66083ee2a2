import assert from "node:assert/strict";
import type { ResourceCase, Values } from "../cases/support/case";
import { callFunction, functionCases, newFixtures, type Fixtures } from "../cases/functions";
import type { Properties } from "../support/provider-process";
import type { Exchange } from "../support/proxy";
import { inClear } from "../support/values";
import { Selection, tried } from "./support/extent";
import { messageOf, outcomeOf, providerOf, respondingCases, useServices } from "./support/tested-calls";

/** A text that leads nowhere, but is as harmless as can be. */
const harmless = "harmless";

/** Where a text stands in arguments. */
interface Place {
  readonly argument: string;
  readonly put: (args: Values, text: string) => Values;
}

describe("arguments and ids that would lead elsewhere", function () {
  this.timeout(1_800_000);

  const selection = new Selection(19);
  const services = useServices();

  /** Has a class created, read and deleted with changed arguments. */
  const live = async (type: string, resourceCase: ResourceCase, change: Alter): Promise<Passed> => {
    const { valid, texts } = await services.prepareAlone(resourceCase);
    const provider = providerOf(services, type);
    const { inputs, failures } = await provider.check({}, change(valid) as Properties);
    const exchanges = await services.recording(async () => {
      if (failures.length > 0) {
        return;
      }
      const made = await outcomeOf(provider.create(inClear(inputs)));
      const message = messageOf(made);
      if (message !== undefined) {
        assertReadable(message);
      }
      if (made.kind === "done" || made.kind === "partial") {
        const [id, outputs] = [made.id ?? "", (made.outputs ?? {}) as Properties];
        await outcomeOf(provider.refresh(id, outputs));
        await outcomeOf(provider.delete(id, outputs).then(() => undefined));
      }
    });
    const refused = failures.map(({ property, reason }) => property || reason);
    return { refused, exchanges: unnamed(exchanges, texts), args: unnamedArgs(valid, texts) };
  };
  /** Has a function called with changed arguments. */
  const call = async (name: string, change: Alter): Promise<Passed> => {
    const { valid, extras } = functionCases[name] ?? assert.fail(name);
    const fixtures = await newFixtures(services.emulator, extras);
    let refusal = "";
    const exchanges = await services.recording(() =>
      callFunction(name, fixtures, change(valid(fixtures))).catch((error: unknown) => {
        refusal = error instanceof Error ? error.message : String(error);
        assertReadable(refusal);
      }),
    );
    const refused = exchanges.length === 0 ? [refusal.replace(`${name}: `, "")] : [];
    const texts = textsOf(fixtures);
    return { refused, exchanges: unnamed(exchanges, texts), args: unnamedArgs(valid(fixtures), texts) };
  };

  for (const [name, make, names] of [
    ...respondingCases.map(
      ([type, resourceCase]) =>
        [type, (change: Alter) => live(type, resourceCase, change), "startsWith"] as const,
    ),
    ...Object.keys(functionCases).map(
      (name) => [name, (change: Alter) => call(name, change), "includes"] as const,
    ),
  ]) {
    it(`hostile arguments are refused by ${name} with the argument's name, or stay one part of its requests`, async () => {
      const usual = await make((args) => args);
      assert.deepEqual(usual.refused, []);
      for (const { argument, put } of placesIn(usual.args)) {
        const baseline = await make((args) => put(args, harmless));
        const allowed = new Set([
          ...placesOf(usual.exchanges, textsIn(usual.args, argument)),
          ...placesOf(baseline.exchanges, [harmless]),
        ]);
        for (const text of selection.from(hostileTexts)) {
          const { refused, exchanges } = await make((args) => put(args, text));
          tried(name, "arguments in paths");
          const what = `${argument} = ${JSON.stringify(text)}`;
          assert.ok(
            refused.every((reason) => reason[names](argument) || namesPartner(reason)),
            `${what}: ${refused.join("; ")}`,
          );
          assertSamePlaces(exchanges, [text, ...partsOf(text)], allowed, what);
        }
      }
    });
  }

  for (const [type, resourceCase] of respondingCases) {
    it(`hostile ids are refused by ${type}, or stay parts of its requests`, async () => {
      const { valid } = await services.prepareAlone(resourceCase);
      const provider = providerOf(services, type);
      const { inputs } = await provider.check({}, valid);
      const { id: made } = await provider.create(inClear(inputs));
      const parts = made.split("/");
      const read = (id: string): Promise<readonly Exchange[]> =>
        services.recording(async () => {
          const message = messageOf(await outcomeOf(providerOf(services, type).get(id, {})));
          if (message !== undefined) {
            assertReadable(message);
          }
        });
      for (const position of parts.keys()) {
        const withPart = (part: string): string => parts.with(position, part).join("/");
        const own = parts.map(decodeURIComponent);
        const baseline = await read(withPart(harmless));
        const allowed = new Set([
          ...placesOf(baseline, [...own, harmless]),
          ...placesOf(await read(made), own),
        ]);
        for (const text of selection.from(hostileTexts)) {
          for (const part of new Set([encoded(text), text])) {
            const exchanges = await read(withPart(part));
            tried(type, "ids");
            const texts = [
              text,
              part,
              decoded(part),
              ...partsOf(text),
              ...partsOf(decoded(part)),
              withPart(part),
            ];
            assertSamePlaces(exchanges, [...own, ...texts], allowed, `id ${JSON.stringify(withPart(part))}`);
          }
        }
      }
    });
  }
});

/** Every place of arguments where a text stands. */
function placesIn(args: Values): Place[] {
  return Object.entries(args).flatMap(([argument, value]): Place[] => {
    if (typeof value === "string") {
      return [{ argument, put: (others, text) => ({ ...others, [argument]: text }) }];
    }
    return Array.isArray(value) && typeof value[0] === "string"
      ? [{ argument, put: (others, text) => ({ ...others, [argument]: [text] }) }]
      : [];
  });
}

/** A rule between two arguments may name the other one. */
function namesPartner(property: string): boolean {
  return /^(?:clientTlsKey|clientTlsCert|clientKey|clientCert|length|policies|url|match|names)\b/.test(
    property,
  );
}

function textsIn(args: Values, argument: string): string[] {
  return [args[argument]].flat().filter((text): text is string => typeof text === "string");
}

type Alter = (args: Values) => Values;

/** What passed in a run, and its arguments, in a form that is the same for every run. */
interface Passed {
  /** The names of what is refused, or the reasons. */
  readonly refused: readonly string[];
  readonly exchanges: readonly Exchange[];
  readonly args: Values;
}

function unnamedArgs(args: Values, texts: ReadonlyMap<string, string>): Values {
  return JSON.parse(renamed(JSON.stringify(args), texts)) as Values;
}

function textsOf(fixtures: Fixtures): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fixtures).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );
}

/** Gives names and ids, which are never the same twice, the names of the places where they stand. */
function renamed(text: string, texts: ReadonlyMap<string, string>): string {
  return [...texts]
    .sort(([, left], [, right]) => right.length - left.length)
    .reduce((all, [name, value]) => all.replaceAll(value, `fixture-${name}`), text);
}

function unnamed(exchanges: readonly Exchange[], texts: ReadonlyMap<string, string>): Exchange[] {
  return exchanges.map((exchange) => ({ ...exchange, target: renamed(exchange.target, texts) }));
}

function partsOf(text: string): string[] {
  return text.split(/[/,]/).filter((part) => part !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

function assertSamePlaces(
  exchanges: readonly Exchange[],
  values: readonly string[],
  allowed: ReadonlySet<string>,
  what: string,
): void {
  assert.ok(
    exchanges.every(({ headers }) => headers["x-injected"] === undefined),
    `${what} became a header`,
  );
  // A part of the text may be what stands in the path anyway.
  const whole = placesOf(exchanges, values.slice(0, 1));
  const elsewhere = placesOf(exchanges, values).filter(
    (place, index) => !allowed.has(place) && !allowed.has(whole[index] ?? ""),
  );
  assert.deepEqual(elsewhere, [], `${what} led elsewhere; allowed: ${[...allowed].join(", ")}`);
}

/** What a person sees is bounded, and says something. */
function assertReadable(message: string): void {
  assert.ok(
    message.length > 0 && message.length < 5_000,
    `${message.length} characters: ${message.slice(0, 200)}`,
  );
  assert.doesNotMatch(message, /unexpectedly|TypeError|RangeError|Cannot read|\[object |URI malformed/);
}

/** Texts that would lead a careless client to another endpoint, another server or another header. */
const hostileTexts: readonly string[] = [
  "..",
  ".",
  "",
  " ",
  "  a  ",
  "a/b",
  "/",
  "../x",
  "../../sys/seal",
  "%2e",
  "%2e%2e",
  "%252e%252e",
  "a%2fb",
  "..%2f..%2fsys",
  "%00",
  "%",
  "\\",
  "..\\..",
  "?x=1",
  "a?list=true",
  "#fragment",
  "a&b=c",
  "a=b,c",
  "a;b=c",
  "//evil.example/x",
  "http://evil.example/",
  "a:b@evil.example",
  "a\r\nX-Injected: 1",
  "a\nb",
  "a\0b",
  "\u0085",
  "é漢字🙂",
  "\u202egnp.exe",
  "e\u0301",
  "\ud800",
  "a\u2028b",
  "__proto__",
  "constructor",
  "*",
  "{{.Username}}",
  "x".repeat(10_000),
];

/**
 * Where requests went, with the value in question put aside: two runs that differ in nothing but that value go to the
 * same places. Ids that the service chooses are put aside too.
 *
 * @param values the value, and what it consists of
 */
function placesOf(exchanges: readonly Exchange[], values: readonly string[]): string[] {
  const spellings = new Set(values.flatMap((each) => [each, each.trim(), each.toLowerCase()]));
  return exchanges.map(({ method, target }) => {
    const [path = "", query = ""] = splitOnce(target, "?");
    const segments = path.split("/").map((segment) => {
      const text = decodeURIComponent(segment);
      return text !== "" && spellings.has(text)
        ? value
        : chosen.test(text)
          ? "(id)"
          : encodeURIComponent(text);
    });
    const parameters = query === "" ? [] : query.split("&").map((parameter) => placeOf(parameter, spellings));
    return [method, collapsed(segments).join("/"), ...parameters.sort()].join(" ");
  });
}

const value = "(value)";
const chosen = /^(?:[a-z]+-[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f-]{27})$/;

function placeOf(parameter: string, spellings: ReadonlySet<string>): string {
  const [name = "", text = ""] = splitOnce(parameter, "=").map(decodeURIComponent);
  return `${name}=${spellings.has(text) ? value : text}`;
}

/** A mount may be a path of several parts. */
function collapsed(segments: readonly string[]): string[] {
  return segments.filter((segment, index) => segment !== value || segments[index - 1] !== value);
}

function splitOnce(text: string, separator: string): string[] {
  const position = text.indexOf(separator);
  return position === -1 ? [text] : [text.slice(0, position), text.slice(position + 1)];
}
