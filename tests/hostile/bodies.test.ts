import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import type { ResourceCase } from "../cases/support/case";
import { Selection, tried } from "./support/extent";
import {
  callFunction,
  definitions,
  functionCases,
  functions,
  newScene,
  otherFunctions,
} from "./support/functions";
import type { Alteration, Exchange } from "../support/proxy";
import {
  assertUnpolluted,
  complaintsAbout,
  type Kinds,
  kindsOf,
  type Mutation,
  mutationsOf,
  namesPlace,
  secretsOf,
  strangersIn,
} from "./support/judge";
import { respondingCases, type StepName, type StepResult, stepsOf, takeStep, World } from "./support/world";

/** The resources whose id does not lead to the object, so that they cannot be got. */
const notGot = ["secrets/directory:LibraryCheckout"];

/** The resources that are asked for by a name, so that an id in their answer is one of their outputs. */
const namedOtherwise = ["secrets/mfa:PushMethod"];

/** What is asked before it is done, so that there may be nothing to do. */
const askedFirst = ["provisioning:ModuleConsumers"];

/** What the documents do not describe is handed to programs as it is. */
const passedThrough = /^result[.\w[\]]*\.owners\[\]\.attributes\./;

/** How many problems of one step a failure shows. */
const mostShown = 20;

const isBody = ({ response }: Exchange): boolean => /^[[{]/.test(response);

describe("services whose responses have members of wrong types", function () {
  this.timeout(1_800_000);

  const selection = new Selection(41);
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

  it("are tried on every resource and every function", () => {
    assert.deepEqual([...definitions.keys()].sort(), [...resourceCases.keys()].sort());
    assert.deepEqual([...functions.keys()].sort(), [...Object.keys(functionCases), ...otherFunctions].sort());
  });

  for (const [type, resourceCase] of respondingCases) {
    describe(type, () => {
      const possible = stepsOf(resourceCase, !notGot.includes(type));
      const clean = new Map<StepName, StepResult>();
      let kinds: Kinds;

      before(async () => {
        for (const step of possible) {
          clean.set(step, await takeStep(world, resourceCase, step));
        }
        const lives = [...clean.values()];
        const given = lives[0]?.given ?? assert.fail();
        kinds = kindsOf(
          ...lives.map(({ outcome }) => ("outputs" in outcome ? outcome.outputs : {})),
          ...given,
        );
      });

      for (const step of possible) {
        it(`${step}: no harm`, async () => {
          const right = clean.get(step) ?? assert.fail();
          const found: string[] = [];
          for (const exchange of right.exchanges.filter(isBody)) {
            for (const mutation of selection.from(mutationsOf(exchange.response))) {
              const result = await takeStep(world, resourceCase, step, only(exchange, mutation));
              tried(type, "bodies");
              const problems = [
                ...judgeStep(resourceCase, step, right, result, mutation, kinds).filter(
                  (problem) => !mayBeReturned(type, exchange, problem),
                ),
                ...(isAnotherObject(type, step, exchange, mutation) && result.outcome.kind === "done"
                  ? ["it was about another object"]
                  : []),
              ];
              found.push(...problems.map((problem) => placed(problem, exchange, mutation)));
            }
          }
          assert.deepEqual(found.slice(0, mostShown), [], `${found.length} problems`);
        });
      }
    });
  }

  for (const [name, { extras }] of Object.entries(functionCases)) {
    it(`${name}: no harm`, async () => {
      const scene = await newScene(world.emulator, extras);
      world.front.clear();
      const right = await callFunction(name, scene);
      const kinds = kindsOf({ result: right });
      const found: string[] = [];
      for (const exchange of [...world.front.exchanges].filter(isBody)) {
        for (const mutation of selection.from(mutationsOf(exchange.response))) {
          const again = await newScene(world.emulator, extras);
          world.front.clear();
          world.front.after = only(exchange, mutation);
          const result = await callFunction(name, again).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          );
          tried(name, "bodies");
          const problems =
            "error" in result
              ? judgeError(result.error, secretsOf(world.front.exchanges), mutation)
              : strangersIn({ result: result.value }, kinds, () => true).filter(
                  (text) => !passedThrough.test(text),
                );
          found.push(...problems.map((problem) => placed(problem, exchange, mutation)));
          assertUnpolluted();
        }
      }
      assert.deepEqual(found.slice(0, mostShown), [], `${found.length} problems`);
    });
  }
});

function placed(problem: string, { method, target }: Exchange, { at, what }: Mutation): string {
  return `${method} ${target}, ${at === "" ? "the body" : at} is ${what}: ${problem}`;
}

/** Alters the same answer of another run. */
function only({ number }: Exchange, { apply }: Mutation): Alteration {
  return (exchange) => (exchange.number === number ? { body: apply(exchange.response) } : undefined);
}

function judgeError(error: unknown, secrets: readonly string[], { at }: Mutation): string[] {
  const message = error instanceof Error ? error.message : String(error);
  return [
    ...complaintsAbout(message, secrets),
    ...(namesPlace(message, at) ? [] : [`it names another member: ${message}`]),
  ];
}

function judgeStep(
  { type, canaries }: ResourceCase,
  step: StepName,
  right: StepResult,
  { outcome, exchanges, before }: StepResult,
  mutation: Mutation,
  kinds: Kinds,
): string[] {
  assertUnpolluted();
  const definition = definitions.get(type) ?? assert.fail();
  const optional = (at: string): boolean => {
    const [name = ""] = at.replace("__memory.former.", "").split(/[.[]/, 1);
    // What has no end has none, and a password may never have been rotated: the service may say so, or leave it out.
    return (
      ["expiresAt", "lastRotation"].includes(name) ||
      definition.outputs[name]?.optional === true ||
      name in definition.arguments
    );
  };
  const problems: string[] = [];
  if (outcome.kind === "gone") {
    problems.push("it was taken to be gone");
  }
  if (outcome.kind === "partial" || outcome.kind === "failed") {
    problems.push(...judgeError(outcome.error, secretsOf(exchanges, canaries), mutation));
  }
  if (outcome.kind !== "gone" && outcome.kind !== "failed") {
    const { __managed, __at, __secrets, __provider, ...values } = outcome.outputs ?? {};
    problems.push(...strangersIn(values, kinds, optional));
    const { id } = outcome;
    if (step === "create" ? id === undefined || id === "" : id !== undefined && id !== before.id) {
      problems.push(`its id is ${id}`);
    }
  }
  const changes = countChanges(exchanges);
  const mayHaveNothingToDo = step === "delete" && askedFirst.includes(type);
  if (outcome.kind === "done" && changes < countChanges(right.exchanges) && !mayHaveNothingToDo) {
    problems.push("it was said to be done and was not");
  }
  if (
    outcome.kind === "failed" &&
    step === "create" &&
    changes > 0 &&
    !/\bmay\b|exist/.test(outcome.error.message)
  ) {
    problems.push(`it does not say that it may exist: ${outcome.error.message}`);
  }
  return problems;
}

/** An account that a status does not name, or calls available, has been returned. */
function mayBeReturned(type: string, { target }: Exchange, problem: string): boolean {
  const isStatus = type === "secrets/directory:LibraryCheckout" && target.endsWith("/status");
  return isStatus && ["it was taken to be gone", "it was said to be done and was not"].includes(problem);
}

/** Whether an altered answer is about another object than the one that was asked for. */
function isAnotherObject(
  type: string,
  step: StepName,
  { method }: Exchange,
  { at, what }: Mutation,
): boolean {
  const isAskedFor = step !== "create" && ["GET", "PATCH"].includes(method);
  return isAskedFor && at === "data.id" && what === "a text" && !namedOtherwise.includes(type);
}

/** How many requests have changed something in the service. */
function countChanges(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ method, status }) => method !== "GET" && status < 300).length;
}
