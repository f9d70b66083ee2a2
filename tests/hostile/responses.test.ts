import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { canaries, functionCases, functions, otherFunctions } from "../cases/functions";
import { Processes, projectInputs } from "../contract/support/contracts";
import { stopServers } from "../http/server";
import { CallError } from "../support/provider-process";
import type { Exchange } from "../support/proxy";
import { definitions, triedCases, useServices } from "../support/services";
import { Selection, tried } from "./support/extent";
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
import { hostileResponses } from "./support/responses";
import { type Step, type TestedCall, testedCalls, type Taken, useElsewhere } from "./support/tested-calls";

/** Each response that stalls takes this long. */
const impatience = "400ms";

/** The resources that are asked for by a name, so that an id in their response is one of their outputs. */
const namedOtherwise = ["secrets/mfa:PushMethod"];

/** What is asked before it is done, so that there may be nothing to do. */
const askedFirst = ["provisioning:ModuleConsumers", "provisioning:ProviderConsumers"];

/** What the documents do not describe is handed to programs as it is, and an empty list has no details that it lacks. */
const passedThrough =
  /^result[.\w[\]]*\.owners\[\]\.attributes\.|^result\.(?:aliases|methods): array, not null$/;

const stepsWithoutResponses: readonly Step[] = ["get", "update"];

describe("services whose responses are wrong, none, or never end", function () {
  this.timeout(1_800_000);

  const services = useServices({ REQUEST_TIMEOUT: impatience });
  const bodies = new Selection(83);
  const responses = new Selection(59);
  const clean = new Map<TestedCall, Taken>();
  const elsewhere = useElsewhere();

  /** As services should respond. */
  const rightOf = async (tested: TestedCall): Promise<Taken> => {
    const taken = clean.get(tested) ?? (await tested.take(services));
    clean.set(tested, taken);
    return taken;
  };
  /** Of all that a class or a function tells and is told. */
  const kindsFor = async ({ name }: TestedCall): Promise<Kinds> => {
    const values: unknown[] = [];
    for (const tested of testedCalls.filter((each) => each.name === name)) {
      const { outcome, given } = await rightOf(tested);
      values.push(outcome.outputs ?? {}, ...given);
    }
    return kindsOf(...values);
  };

  it("hostile responses are tried on every resource and every function", () => {
    const types = new Set(triedCases.map(({ type }) => type));
    assert.deepEqual([...types].sort(), [...definitions.keys()].sort());
    assert.deepEqual([...types].sort(), [...resourceCases.keys()].sort());
    assert.deepEqual([...functions.keys()].sort(), [...Object.keys(functionCases), ...otherFunctions].sort());
  });

  for (const tested of testedCalls) {
    const { name, step } = tested;

    it(`${name} survives members of wrong types in ${step}`, async () => {
      const right = await rightOf(tested);
      const kinds = await kindsFor(tested);
      const found: string[] = [];
      for (const exchange of right.exchanges.filter(({ response }) => /^[[{]/.test(response))) {
        const { method, target } = exchange;
        for (const mutation of bodies.from(mutationsOf(exchange.response))) {
          const taken = await tested.take(services, {
            alter: ({ number, response }) =>
              number === exchange.number ? { body: mutation.apply(response) } : undefined,
          });
          tried(name, "bodies");
          const at = `${method} ${target}, ${mutation.at || "the body"} is ${mutation.what}`;
          const problems = judge(tested, right, taken, exchange, mutation, kinds);
          found.push(...problems.map((problem) => `${at}: ${problem}`));
        }
      }
      assert.deepEqual(found.slice(0, 20), [], `${found.length} problems`);
    });

    if (stepsWithoutResponses.includes(step)) {
      continue;
    }
    it(`${name} survives responses that no service gives in ${step}`, async () => {
      const { exchanges } = await rightOf(tested);
      for (const exchange of step === "call" ? exchanges.slice(0, 1) : exchanges) {
        for (const hostile of responses.from(hostileResponses(elsewhere.address))) {
          const taken = await tested.take(services, {
            alter: (seen) => (seen.number === exchange.number ? hostile.response : undefined),
            settings: { RequestTimeout: impatience },
          });
          tried(name, "responses");
          assertHarmless(tested, taken, exchange, hostile.name);
        }
      }
    });
  }
});

function assertHarmless(
  tested: TestedCall,
  { outcome, exchanges }: Taken,
  { method, target }: Exchange,
  response: string,
): void {
  const what = `${method} ${target}, ${response}`;
  assertUnpolluted();
  assert.deepEqual(complaintsIn(tested, outcome, exchanges), [], what);
  // On the secrets service a 404 is absence, whatever JSON or nothing its body holds.
  const saysAbsence =
    tested.name.startsWith("secrets/") && /^404 (?:of a gateway|with null|with a list)$/.test(response);
  // The status of a library set without accounts has no data, so nothing of it is checked out.
  const saysThatNothingIsOut =
    target.endsWith("/status") && /^200 with (?:null|\{\}|\{"data":null\}|\{"errors":\[\]\})$/.test(response);
  if (!saysThatNothingIsOut && !saysAbsence) {
    assert.notEqual(outcome.kind, "gone", `${what}: it was taken to be gone`);
  }
  if (["create", "refresh"].includes(tested.step) && ["done", "partial"].includes(outcome.kind)) {
    assert.ok(outcome.id, what);
  }
}

function complaintsIn(
  { tried }: TestedCall,
  { message }: Taken["outcome"],
  exchanges: readonly Exchange[],
): string[] {
  return message === undefined ? [] : complaintsAbout(message, secretsOf(exchanges, tried?.canaries));
}

/** What is wrong with the outcome of a step in which a member of a response was of a wrong type. */
function judge(
  tested: TestedCall,
  right: Taken,
  { outcome, exchanges, id: before }: Taken,
  { method, target }: Exchange,
  { at, what }: Mutation,
  kinds: Kinds,
): string[] {
  assertUnpolluted();
  const { step, tried: { type } = { type: "" } } = tested;
  const { kind, message, id, outputs = {} } = outcome;
  const ofMessage = [
    ...complaintsIn(tested, outcome, exchanges),
    ...(message === undefined || namesPlace(message, at) ? [] : [`it names another member: ${message}`]),
  ];
  if (step === "call") {
    const strangers = strangersIn(outputs, kinds, () => true);
    return [...ofMessage, ...strangers.filter((text) => !passedThrough.test(text))];
  }
  const { __managed, __at, __secrets, __provider, ...values } = outputs;
  const exists = kind === "done" || kind === "partial";
  const changes = countChanges(exchanges);
  // An account that a status does not name, or calls available, has been returned.
  const mayBeReturned = type === "secrets/directory:LibraryCheckout" && target.endsWith("/status");
  const mayHaveNothingToDo = mayBeReturned || (step === "delete" && askedFirst.includes(type));
  const isOfAnotherObject =
    step !== "create" &&
    ["GET", "PATCH"].includes(method) &&
    at === "data.id" &&
    what === "a text" &&
    !namedOtherwise.includes(type);
  const isLost = kind === "failed" && step === "create" && changes > 0;
  const problems: Readonly<Record<string, boolean>> = {
    "it was taken to be gone": kind === "gone" && !mayBeReturned,
    [`its id is ${id}`]: exists && (step === "create" ? !id : id !== undefined && id !== before),
    "it was said to be done and was not":
      kind === "done" && changes < countChanges(right.exchanges) && !mayHaveNothingToDo,
    [`it does not say that it may exist: ${message}`]: isLost && !/\bmay\b|exist/.test(message ?? ""),
    "it was about another object": isOfAnotherObject && kind === "done",
  };
  return [
    ...ofMessage,
    ...strangersIn(values, kinds, (place) => mayBeMissing(type, place)),
    ...Object.keys(problems).filter((problem) => problems[problem]),
  ];
}

function mayBeMissing(type: string, at: string): boolean {
  const definition = definitions.get(type) ?? assert.fail(type);
  const [name = ""] = at.replace("__private.former.", "").split(/[.[]/, 1);
  // What has no end has none, and a password may never have been rotated: the service may say so, or leave it out.
  return definition.outputs[name]?.unreported !== undefined || name in definition.arguments;
}

/** How many requests have changed something in the service. */
function countChanges(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ method, status }) => method !== "GET" && status < 300).length;
}

const type = "provisioning:Project";

describe("the engine's provider process, before a hostile service", function () {
  this.timeout(600_000);

  const processes = new Processes();
  const services = useServices();
  const elsewhere = useElsewhere();

  after(async () => {
    await processes.stop(canaries);
    stopServers();
  });

  it("the provider process lives on, and manages what there is once the service is itself again", async () => {
    const { proxy } = services;
    const provider = await processes.start(services.configuration({ RequestTimeout: "2s" }));
    const all = hostileResponses(elsewhere.address).filter(({ stalls }) => !stalls);
    for (const { name, response } of new Selection(9).from(all)) {
      // The first request looks whether there is one, the second one makes it.
      for (const hostile of [0, 1]) {
        const { organization } = await services.prepareFunction();
        proxy.clear();
        proxy.after = (exchange) => (exchange.number === hostile ? response : undefined);
        const creation = provider.create(projectInputs({ organization, name: "payments" }));
        const error = await creation.then(() => undefined).catch((caught: unknown) => caught);
        tried(type, "provider process");
        if (error !== undefined) {
          assert.ok(error instanceof CallError, name);
          assert.deepEqual(complaintsAbout(error.message, canaries), [], name);
        }
        assert.ok(!provider.hasEnded, name);
      }
    }
    proxy.clear();
    const { organization } = await services.prepareFunction();
    const inputs = projectInputs({ organization, name: "payments" });
    const { id, outputs } = await provider.create(inputs);
    const updated = await provider.update(id, outputs, { ...inputs, name: "billing" });
    assert.equal(updated.name, "billing");
    await provider.delete(id, updated);
    const names = services.emulator.inspect().provisioning.projects.map(({ name }) => name);
    assert.ok(!names.includes("billing"));
  });
});
