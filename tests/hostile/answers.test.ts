import assert from "node:assert/strict";
import { Processes, projectInputs } from "../contract/support/contracts";
import { startServer, stopServers, type TestServer } from "../http/server";
import { CallError } from "../support/provider-process";
import { hostileResponses } from "./support/answers";
import { Selection, tried } from "./support/extent";
import { callFunction, canaries, functionCases, newScene } from "./support/functions";
import { assertUnpolluted, complaintsAbout, secretsOf } from "./support/judge";
import { respondingCases, type StepName, takeStep, World } from "./support/world";

/** Each one that stalls takes this long. */
const impatience = "400ms";

describe("services whose responses are none, or never end", function () {
  this.timeout(1_800_000);

  const selection = new Selection(29);
  let world: World;
  let restore: () => void;
  let elsewhere: TestServer;

  before(async () => {
    world = await World.start();
    elsewhere = await startServer((response) => response.end("{}"));
    const names = ["PROVISIONING", "SECRETS"].map((service) => `${service}_REQUEST_TIMEOUT`);
    restore = world.useForFunctions(Object.fromEntries(names.map((name) => [name, impatience])));
  });
  afterEach(() => {
    assert.deepEqual(elsewhere.received, [], "a redirect was followed");
  });
  after(async () => {
    restore();
    stopServers();
    await world.close();
  });

  const settings = {
    "trivium:provisioningRequestTimeout": impatience,
    "trivium:secretsRequestTimeout": impatience,
  };

  for (const [type, resourceCase] of respondingCases) {
    for (const step of ["create", "refresh", "delete"] satisfies StepName[]) {
      it(`${type}, ${step}: no harm`, async () => {
        const right = await takeStep(world, resourceCase, step);
        for (const { number, method, target } of right.exchanges) {
          for (const { name, alter } of selection.from(hostileResponses(elsewhere.address))) {
            const { outcome, exchanges } = await takeStep(
              world,
              resourceCase,
              step,
              (exchange) => (exchange.number === number ? alter(exchange) : undefined),
              settings,
            );
            tried(type, "answers");
            assertUnpolluted();
            const what = `${method} ${target}, ${name}`;
            if (!saysThatNothingIsOut(target, name) && !(type.startsWith("secrets/") && saysAbsence(name))) {
              assert.notEqual(outcome.kind, "gone", `${what}: it was taken to be gone`);
            }
            if (outcome.kind === "failed" || outcome.kind === "partial") {
              const secrets = secretsOf(exchanges, resourceCase.canaries);
              assert.deepEqual(complaintsAbout(outcome.error.message, secrets), [], what);
            }
            if (step !== "delete" && (outcome.kind === "done" || outcome.kind === "partial")) {
              assert.ok(outcome.id !== undefined && outcome.id !== "", what);
            }
          }
        }
      });
    }
  }

  for (const [name, { extras }] of Object.entries(functionCases)) {
    it(`${name}: no harm`, async () => {
      for (const answer of selection.from(hostileResponses(elsewhere.address))) {
        const scene = await newScene(world.emulator, extras);
        world.front.clear();
        world.front.after = (exchange) => (exchange.number === 0 ? answer.alter(exchange) : undefined);
        const failed = await callFunction(name, scene).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        tried(name, "answers");
        if (failed !== undefined) {
          assert.deepEqual(complaintsAbout(failed, secretsOf(world.front.exchanges)), [], answer.name);
        }
        assertUnpolluted();
      }
    });
  }
});

/** On the secrets service a 404 is absence, whatever JSON or nothing its body holds. */
function saysAbsence(answer: string): boolean {
  return ["404 of a gateway", "404 with null", "404 with a list"].includes(answer);
}

/** The status of a library set without accounts has no data, so nothing of it is checked out. */
function saysThatNothingIsOut(target: string, answer: string): boolean {
  return (
    target.endsWith("/status") && /^200 with (?:null|\{\}|\{"data":null\}|\{"errors":\[\]\})$/.test(answer)
  );
}

const type = "provisioning:Project";

describe("the engine's provider process, before a hostile service", function () {
  this.timeout(600_000);

  const processes = new Processes();
  let world: World;

  before(async () => {
    world = await World.start();
  });
  after(async () => {
    await processes.stop(Object.values(canaries));
    stopServers();
    await world.close();
  });

  it("lives on, and manages what there is once the service is itself again", async () => {
    const elsewhere = await startServer((response) => response.end("{}"));
    const provider = await processes.start({
      ...world.configuration,
      "trivium:provisioningMaxRetries": "0",
      "trivium:provisioningRequestTimeout": "2s",
    });
    const responses = new Selection(9).from(
      hostileResponses(elsewhere.address).filter(({ stalls }) => !stalls),
    );
    for (const { name, alter } of responses) {
      // The first request looks whether there is one, the second one makes it.
      for (const hostile of [0, 1]) {
        const { organization } = await newScene(world.emulator);
        world.front.clear();
        world.front.after = (exchange) => (exchange.number === hostile ? alter(exchange) : undefined);
        const error = await provider
          .create(projectInputs({ organization, name: "payments" }))
          .then(() => undefined)
          .catch((caught: unknown) => caught);
        tried(type, "provider process");
        if (error !== undefined) {
          assert.ok(error instanceof CallError, name);
          assert.deepEqual(complaintsAbout(error.message, Object.values(canaries)), [], name);
        }
        assert.ok(!provider.hasEnded, name);
      }
    }
    assert.deepEqual(elsewhere.received, []);

    world.front.clear();
    const { organization } = await newScene(world.emulator);
    const inputs = projectInputs({ organization, name: "payments" });
    const { id, outputs } = await provider.create(inputs);
    const updated = await provider.update(id, outputs, { ...inputs, name: "billing" });
    assert.equal(updated.name, "billing");
    await provider.delete(id, updated);
    const names = world.emulator.inspect().provisioning.projects.map(({ name }) => name);
    assert.ok(!names.includes("billing"));
  });
});
