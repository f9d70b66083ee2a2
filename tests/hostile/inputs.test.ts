import assert from "node:assert/strict";
import type { Values } from "../cases/support/case";
import type { Properties } from "../support/provider-process";
import type { Exchange } from "../support/proxy";
import { inClear } from "../support/values";
import { Selection, tried } from "./support/extent";
import { callFunction, definitions, functionCases, newScene, type Scene } from "./support/functions";
import { errorOf, newStage, outcomeOf, respondingCases, takeStep, World } from "./support/world";

/** A text that leads nowhere, but is as harmless as can be. */
const harmless = "harmless";

/** Where a text stands in arguments. */
interface Place {
  readonly argument: string;
  readonly put: (args: Values, text: string) => Values;
}

describe("arguments and ids that would lead elsewhere", function () {
  this.timeout(1_800_000);

  const selection = new Selection(9);
  let world: World;
  let restore: () => void;

  before(async () => {
    world = await World.start();
    restore = world.useForFunctions();
  });
  after(async () => {
    restore();
    await world.close();
  });

  for (const [type, resourceCase] of respondingCases) {
    const definition = definitions.get(type) ?? assert.fail(type);

    it(`are refused by ${type} with the argument's name, or stay one part of its requests`, async () => {
      /** @returns undefined when check refuses, with the names of what it refuses */
      const make = async (
        change: (args: Values) => Values,
      ): Promise<{ readonly refused: readonly string[] } | Passed> => {
        const { valid, texts } = await newStage(world.emulator, world.receiver, resourceCase);
        const hooks = world.hooksOf(definition);
        const { inputs, failures } = await hooks.check({}, change(valid) as Properties);
        if (failures.length > 0) {
          return { refused: failures.map(({ property, reason }) => property || reason) };
        }
        const exchanges = await world.recording(async () => {
          const made = await outcomeOf(hooks.create(inClear(inputs)));
          if (made.kind === "failed" || made.kind === "partial") {
            assertReadable(made.error.message);
          }
          if (made.kind === "done" || made.kind === "partial") {
            await outcomeOf(hooks.read(made.id ?? "", made.outputs ?? {}), true);
            await outcomeOf(hooks.delete(made.id ?? "", made.outputs ?? {}).then(() => undefined));
          }
        });
        return {
          exchanges: unnamed(exchanges, texts),
          args: JSON.parse(renamed(JSON.stringify(valid), texts)) as Values,
        };
      };
      const usual = await make((args) => args);
      assert.ok("exchanges" in usual);
      for (const { argument, put } of placesIn(usual.args)) {
        const baseline = await make((args) => put(args, harmless));
        const allowed = new Set([
          ...placesOf(usual.exchanges, textsIn(usual.args, argument)),
          ...("exchanges" in baseline ? placesOf(baseline.exchanges, [harmless]) : []),
        ]);
        for (const text of selection.from(hostileTexts)) {
          const result = await make((args) => put(args, text));
          tried(type, "arguments in paths");
          if ("refused" in result) {
            assert.ok(
              result.refused.every((property) => property.startsWith(argument) || namesPartner(property)),
              `${argument} = ${JSON.stringify(text)}: ${result.refused.join("; ")}`,
            );
          } else {
            assertSamePlaces(
              result.exchanges,
              [text, ...partsOf(text)],
              allowed,
              `${argument} = ${JSON.stringify(text)}`,
            );
          }
        }
      }
    });

    it(`are refused by ${type} as ids, or stay parts of its requests`, async () => {
      const { before: none, outcome } = await takeStep(world, resourceCase, "create");
      assert.equal(none.id, "");
      assert.equal(outcome.kind, "done", errorOf(outcome));
      const parts = ("id" in outcome ? (outcome.id ?? "") : "").split("/");
      const read = async (id: string): Promise<readonly Exchange[]> =>
        world.recording(async () => {
          const result = await outcomeOf(world.hooksOf(definition).read(id), true);
          if (result.kind === "failed") {
            assertReadable(result.error.message);
          }
        });
      for (const position of parts.keys()) {
        const withPart = (part: string): string => parts.with(position, part).join("/");
        const own = parts.map(decodeURIComponent);
        const baseline = await read(withPart(harmless));
        const allowed = new Set([
          ...placesOf(baseline, [...own, harmless]),
          ...placesOf(await read(parts.join("/")), own),
        ]);
        for (const text of selection.from(hostileTexts)) {
          for (const part of new Set([encoded(text), text])) {
            const exchanges = await read(withPart(part));
            tried(type, "ids");
            assertSamePlaces(
              exchanges,
              [
                ...own,
                text,
                part,
                decoded(part),
                ...partsOf(text),
                ...partsOf(decoded(part)),
                withPart(part),
              ],
              allowed,
              `id ${JSON.stringify(withPart(part))}`,
            );
          }
        }
      }
    });
  }

  for (const [name, { valid, extras }] of Object.entries(functionCases)) {
    it(`are refused by ${name} with the argument's name, or stay one part of its requests`, async () => {
      const make = async (change: (args: Values) => Values): Promise<readonly Exchange[] | string> => {
        const scene = await newScene(world.emulator, extras);
        let refusal = "";
        const exchanges = await world.recording(() =>
          callFunction(name, scene, change(valid(scene))).catch((error: unknown) => {
            refusal = error instanceof Error ? error.message : String(error);
            assertReadable(refusal);
          }),
        );
        return exchanges.length === 0 ? refusal : unnamed(exchanges, textsOf(scene));
      };
      const usual = await make((args) => args);
      assert.ok(typeof usual !== "string");
      for (const { argument, put } of placesIn(valid(await newScene(world.emulator, extras)))) {
        const baseline = await make((args) => put(args, harmless));
        const allowed = new Set([
          ...placesOf(usual, textsIn(valid(harmlessScene), argument)),
          ...(typeof baseline === "string" ? [] : placesOf(baseline, [harmless])),
        ]);
        for (const text of selection.from(hostileTexts)) {
          const result = await make((args) => put(args, text));
          tried(name, "arguments in paths");
          const what = `${argument} = ${JSON.stringify(text)}`;
          if (typeof result === "string") {
            assert.ok(result.includes(argument), `${what}: ${result}`);
          } else {
            assertSamePlaces(result, [text, ...partsOf(text)], allowed, what);
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

/** A scene whose names and ids are what {@link unnamed} makes of those of any scene. */
const sceneNames = [
  ...["organization", "consumer", "otherConsumer", "project", "otherProject", "workspace", "otherWorkspace"],
  ...["user", "notification", "entity", "otherEntity", "alias", "method", "freshMethod"],
] as const;
const harmlessScene = Object.fromEntries(
  sceneNames.map((name) => [name, `scene-${name}`]),
) as unknown as Scene;

/** What passed in a run, and its arguments, in a form that is the same for every run. */
interface Passed {
  readonly exchanges: readonly Exchange[];
  readonly args: Values;
}

function textsOf(scene: Scene): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(scene).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );
}

/** Gives names and ids, which are never the same twice, the names of the places where they stand. */
function renamed(text: string, texts: ReadonlyMap<string, string>): string {
  return [...texts]
    .sort(([, left], [, right]) => right.length - left.length)
    .reduce((all, [name, value]) => all.replaceAll(value, `scene-${name}`), text);
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
