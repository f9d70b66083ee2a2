import assert from "node:assert/strict";
import { unescape } from "node:querystring";
import type { Values } from "../cases/support/case";
import { callFunction, type TriedFunction } from "../cases/functions";
import type { Properties } from "../support/provider-process";
import type { Exchange } from "../support/proxy";
import { type TriedCase, triedFunctions, useServices } from "../support/services";
import { inClear } from "../support/values";
import { Selection, tried } from "./support/extent";
import { bewildered } from "./support/judge";
import { outcomeOf, providerOf, respondingCases } from "./support/tested-calls";

/** A text that leads nowhere, but is as harmless as can be. */
const harmless = "harmless";

type Alter = (args: Values) => Values;

/** What passed in a run, and its arguments, in a form that is the same for every run. */
interface Passed {
  /** The names of what is refused, or the reasons. */
  readonly refused: readonly string[];
  readonly exchanges: readonly Exchange[];
  readonly args: Values;
}

describe("arguments and IDs that would lead elsewhere", function () {
  this.timeout(1_800_000);

  const selection = new Selection(41);
  const services = useServices();

  /** Has a class created, read and deleted with changed arguments. */
  const live = async (subject: TriedCase, change: Alter): Promise<Passed> => {
    const { valid, texts } = await services.prepareAlone(subject);
    const provider = providerOf(services, subject.type);
    const { inputs, failures } = await provider.check({}, change(valid) as Properties);
    const exchanges = await services.recording(async () => {
      const created = failures.length > 0 ? undefined : provider.create(inClear(inputs));
      const { message, id = "", outputs = {} } = await outcomeOf(Promise.resolve(created));
      assertReadable(message);
      if (id !== "") {
        await outcomeOf(provider.refresh(id, outputs as Properties));
        await outcomeOf(provider.delete(id, outputs as Properties).then(() => undefined));
      }
    });
    const refused = failures.map(({ property, reason }) => property || reason);
    return unnamed({ refused, exchanges, args: valid }, [...texts]);
  };
  /** Has a function called with changed arguments. */
  const call = async (subject: TriedFunction, change: Alter): Promise<Passed> => {
    const fixtures = await services.prepareFunction(subject);
    const args = subject.valid(fixtures);
    let refusal = "";
    const exchanges = await services.recording(async () => {
      const { message } = await outcomeOf(
        callFunction(subject, fixtures, change(args)).then(() => undefined),
      );
      assertReadable(message);
      refusal = message ?? "";
    });
    const refused = exchanges.length === 0 ? [refusal.replace(`${subject.name}: `, "")] : [];
    const texts = Object.entries({ ...fixtures, emulator: "" });
    return unnamed({ refused, exchanges, args }, texts);
  };

  type Subject = readonly [name: string, make: (change: Alter) => Promise<Passed>, "startsWith" | "includes"];
  const subjects = [
    ...respondingCases.map((each): Subject => [each.name, (change) => live(each, change), "startsWith"]),
    ...triedFunctions.map((each): Subject => [each.title, (change) => call(each, change), "includes"]),
  ];
  for (const [name, make, names] of subjects) {
    it(`hostile arguments are rejected by ${name} with the argument's name, or stay one part of its requests`, async () => {
      const usual = await make((args) => args);
      assert.deepEqual(usual.refused, []);
      for (const [argument, value] of Object.entries(usual.args)) {
        const own = [value].flat().filter((text) => typeof text === "string");
        const texts = own.length === 0 ? [] : selection.from(hostileTexts);
        const put = (text: string) =>
          make((args) => ({ ...args, [argument]: Array.isArray(value) ? [text] : text }));
        const baseline = await put(harmless);
        // An empty name means none, and an object without a name can be looked for elsewhere.
        const nameless = await put("");
        const places = [
          ...placesOf(usual.exchanges, own),
          ...placesOf(baseline.exchanges, [harmless]),
          ...(argument === "name" ? placesOf(nameless.exchanges, []) : []),
        ];
        const allowed = new Set(places);
        for (const text of texts) {
          const { refused, exchanges } = await put(text);
          tried(name, "arguments in paths");
          const what = `${argument} = ${JSON.stringify(text)}`;
          const others = refused.filter((reason) => !reason[names](argument) && !partners.test(reason));
          assert.deepEqual(others, [], what);
          assertSamePlaces(exchanges, partsOf(text), allowed, what);
        }
      }
    });
  }

  for (const subject of respondingCases) {
    it(`hostile IDs are rejected by ${subject.name}, or stay parts of its requests`, async () => {
      const { valid } = await services.prepareAlone(subject);
      const provider = providerOf(services, subject.type);
      const { inputs } = await provider.check({}, valid);
      const { id: made } = await provider.create(inClear(inputs));
      const parts = made.split("/");
      const own = parts.map(decodeURIComponent);
      const read = (id: string): Promise<readonly Exchange[]> =>
        services.recording(async () =>
          assertReadable((await outcomeOf(providerOf(services, subject.type).get(id, {}))).message),
        );
      for (const position of parts.keys()) {
        const withPart = (part: string): string => parts.with(position, part).join("/");
        const baseline = await read(withPart(harmless));
        const places = [...placesOf(baseline, [...own, harmless]), ...placesOf(await read(made), own)];
        const allowed = new Set(places);
        for (const text of selection.from(hostileTexts)) {
          for (const part of new Set([encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")), text])) {
            const exchanges = await read(withPart(part));
            tried(subject.name, "ids");
            // Does not fail where there is nothing to decode.
            const decoded = unescape(part);
            const split = [...partsOf(text), ...partsOf(decoded)];
            const texts = [...own, text, part, decoded, ...split, withPart(part)];
            assertSamePlaces(exchanges, texts, allowed, `id ${JSON.stringify(withPart(part))}`);
          }
        }
      }
    });
  }
});

/** A rule between two arguments can name the other one. */
const partners =
  /^(?:adopt|clientTlsKey|clientTlsCert|clientKey|clientCert|length|policies|url|match|names|password|rotationPeriod|rotationSchedule|rotationWindow)\b/;

/** Gives names and ids, which are never the same twice, the names of the places where they stand. */
function unnamed(passed: Passed, texts: readonly (readonly [string, string])[]): Passed {
  const longestFirst = texts
    .filter(([, value]) => value !== "")
    .toSorted(([, left], [, right]) => right.length - left.length);
  const renamed = (text: string): string =>
    longestFirst.reduce((all, [name, value]) => all.replaceAll(value, `fixture-${name}`), text);
  return {
    ...passed,
    exchanges: passed.exchanges.map((exchange) => ({ ...exchange, target: renamed(exchange.target) })),
    args: JSON.parse(renamed(JSON.stringify(passed.args))) as Values,
  };
}

/** The parts of a text that a path or a list can contain, also in the normalized form that project names have. */
function partsOf(text: string): string[] {
  const forms = [text, text.normalize()];
  return [...forms, ...forms.flatMap((form) => form.split(/[/,]/)).filter((part) => part !== "")];
}

function assertSamePlaces(
  exchanges: readonly Exchange[],
  values: readonly string[],
  allowed: ReadonlySet<string>,
  what: string,
): void {
  const injected = exchanges.filter(({ headers }) => headers["x-injected"] !== undefined);
  assert.deepEqual(injected, [], `${what} became a header`);
  // A part of the text might be in the path anyway.
  const whole = placesOf(exchanges, values.slice(0, 1));
  const elsewhere = placesOf(exchanges, values).filter(
    (place, index) => !allowed.has(place) && !allowed.has(whole[index] ?? ""),
  );
  assert.deepEqual(elsewhere, [], `${what} led elsewhere; allowed: ${[...allowed].join(", ")}`);
}

/** What a person sees, if there is anything, is bounded, and says something. */
function assertReadable(message = "fine"): void {
  const { length } = message;
  assert.ok(length > 0 && length < 5_000, `${length} characters: ${message.slice(0, 200)}`);
  assert.doesNotMatch(message, bewildered);
}

/** Texts that would lead a careless client to another endpoint, another server or another header. */
const hostileTexts: readonly string[] = Object.values({
  "other places": ["..", ".", "", " ", "  a  ", "a/b", "/", "../x", "../../sys/seal"],
  "the same, encoded": ["%2e", "%2e%2e", "%252e%252e", "a%2fb", "..%2f..%2fsys", "%00", "%", "\\", "..\\.."],
  "parts of URLs": ["?x=1", "a?list=true", "#fragment", "a&b=c", "a=b,c", "a;b=c", "//evil.example/x"],
  "other servers": ["http://evil.example/", "a:b@evil.example"],
  "ends of lines": ["a\r\nX-Injected: 1", "a\nb", "a\0b", "\u0085"],
  "signs of other alphabets": ["é漢字🙂", "\u202egnp.exe", "e\u0301", "\ud800", "a\u2028b"],
  "words that mean something": ["__proto__", "constructor", "*", "{{.Username}}", "x".repeat(10_000)],
}).flat();

/**
 * Where requests went, with the value in question put aside: two runs that differ in nothing but that value go to the
 * same places. Ids that the service chooses are put aside too.
 *
 * @param values the value, and what it consists of
 */
function placesOf(exchanges: readonly Exchange[], values: readonly string[]): string[] {
  const spellings = new Set(values.flatMap((each) => [each, each.trim(), each.toLowerCase()]));
  return exchanges.map(({ method, target }) => {
    const [path = "", query = ""] = target.split(/\?(.*)/s);
    const segments = path.split("/").map((segment) => {
      const text = decodeURIComponent(segment);
      const isValue = text !== "" && spellings.has(text);
      return isValue ? "(value)" : chosen.test(text) ? "(id)" : encodeURIComponent(text);
    });
    // A mount can be a path of several parts.
    const collapsed = segments.filter((each, index) => each !== "(value)" || segments[index - 1] !== each);
    const parameters = [...new URLSearchParams(query)].map(
      ([name, text]) => `${name}=${spellings.has(text) ? "(value)" : text}`,
    );
    return [method, collapsed.join("/"), ...parameters.sort()].join(" ");
  });
}

const chosen = /^(?:[a-z]+-[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f-]{27})$/;
