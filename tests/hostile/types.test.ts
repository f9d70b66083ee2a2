import assert from "node:assert/strict";
import { callFunction } from "../cases/functions";
import type { Properties } from "../support/provider-process";
import { definitions, triedCases, triedFunctions, useServices } from "../support/services";
import { Selection, tried } from "./support/extent";
import { bewildered } from "./support/judge";
import { outcomeOf, providerOf } from "./support/tested-calls";

function circle(): object {
  const circular: Record<string, unknown> = { name: "circle" };
  return Object.assign(circular, { self: circular, list: [circular, circular] });
}

/** A value in lists and objects in turn. */
function deep(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>(
    (inner, _, level) => (level % 2 === 0 ? [inner] : { inner }),
    "bottom",
  );
}

/** Everything a program without types might give, whatever the argument is. */
const strangers: readonly (readonly [string, () => unknown])[] = [
  ["a number", () => 7],
  ["a negative number", () => -1],
  ["a fraction", () => 0.1],
  ["NaN", () => Number.NaN],
  ["Infinity", () => Number.POSITIVE_INFINITY],
  ["-Infinity", () => Number.NEGATIVE_INFINITY],
  ["a number beyond whole numbers", () => 2 ** 60],
  ["a big integer", () => 10n],
  ["true", () => true],
  ["a text", () => "hostile"],
  ["a long text", () => "x".repeat(100_000)],
  ["a date", () => new Date(0)],
  ["an invalid date", () => new Date(Number.NaN)],
  ["a function", () => () => "called"],
  ["a symbol", () => Symbol("symbol")],
  ["a class", () => Selection],
  ["an instance", () => new Selection(1)],
  ["a map", () => new Map([["a", 1]])],
  ["a set", () => new Set(["a"])],
  ["bytes", () => Buffer.from("bytes")],
  ["an error", () => new Error("hostile")],
  ["a regular expression", () => /x/],
  ["a promise", () => Promise.resolve("later")],
  ["an object without a prototype", () => Object.create(null) as unknown],
  ["names of prototypes", () => JSON.parse('{"__proto__":{"polluted":true},"constructor":7}') as unknown],
  ["a circle", circle],
  ["a deep value", () => deep(20_000)],
  ["a sparse list", () => Array.from({ length: 3 }).fill("a", 1, 2)],
  ["a list with holes", () => Object.assign([], { 1000: "a" })],
  ["a list of lists", () => [[["a"]]]],
  ["a list of mixed values", () => ["a", 1, null, {}, undefined]],
  ["a list of 1,000 texts", () => Array.from({ length: 1_000 }, (_, index) => `${index * 7919}-item`)],
  ["a list of 100,000 numbers", () => Array.from({ length: 100_000 }, (_, index) => index)],
  ["10,000 members", () => Object.fromEntries(Array.from({ length: 10_000 }, () => 7).entries())],
];

describe("arguments of types that nobody expects", function () {
  this.timeout(600_000);

  const services = useServices();
  const selection = new Selection(7);

  for (const subject of triedCases) {
    const { name, type } = subject;
    it(`arguments of unexpected types are rejected by ${name}, or have the intended value`, async () => {
      const { valid } = await services.prepareAlone(subject);
      const provider = providerOf(services, type);
      for (const argument of Object.keys(definitions.get(type)?.arguments ?? {})) {
        for (const [kind, value] of selection.from(strangers)) {
          const what = `${argument}: ${kind}`;
          const news = { ...valid, [argument]: value() } as unknown as Properties;
          const { failures } = await provider
            .check({}, news)
            .catch((error: unknown) => assert.fail(`${what}: ${(error as Error).message}`));
          tried(name, "arguments of wrong types");
          assert.ok(failures.length <= 200, `${what}: ${failures.length} failures`);
          for (const { property, reason } of failures) {
            assert.match(`${property} ${reason}`, /\w+.* \w+/, what);
            assert.doesNotMatch(reason, bewildered, what);
            assert.ok(reason.length < 2_000, `${what}: ${reason.length} characters`);
          }
        }
      }
      assert.equal(services.emulator.journal.count(), 0, "check makes no request");
    });
  }

  for (const subject of triedFunctions) {
    const { title } = subject;
    it(`arguments of unexpected types are rejected by ${title} before any request, or have the intended value`, async () => {
      const fixtures = await services.prepareFunction(subject);
      const { proxy } = services;
      const args = subject.valid(fixtures);
      for (const argument of [...Object.keys(args), "anotherOne", undefined]) {
        for (const [kind, value] of selection.from(strangers)) {
          const what = `${argument ?? "all arguments"}: ${kind}`;
          proxy.clear();
          const given = argument === undefined ? value() : { ...args, [argument]: value() };
          const call = callFunction(subject, fixtures, given).then(() => undefined);
          const { message = "" } = await outcomeOf(call);
          tried(title, "arguments of wrong types");
          assert.doesNotMatch(message, bewildered, what);
          const shown = message.slice(0, 300);
          assert.ok(message.length < 5_000, `${what}: ${message.length} characters: ${shown}`);
          // What is too long to be sent is turned away before the proxy sees it.
          const isSent = proxy.exchanges.length > 0 || message.includes("returned 431");
          const isNamed =
            argument === undefined || message.includes(argument) || message.includes("takes either");
          assert.ok(isSent || isNamed, `${what}: ${message}`);
        }
      }
    });
  }
});
