import assert from "node:assert/strict";
import { startServer, stopServers, type TestServer } from "../http/server";
import { hostileResponses } from "./support/answers";
import { Selection } from "./support/extent";
import { functionCases } from "./support/function-cases";
import { assertUnpolluted, complaintsAbout, secretsOf } from "./support/judge";
import { callFunction } from "./support/library";
import { type StepName, takeStep } from "./support/life";
import { newScene } from "./support/scene";
import { respondingCases } from "./support/stage";
import { tried } from "./support/tally";
import { World } from "./support/world";

/** Each one that stalls takes this long. */
const impatience = "400ms";

describe("services whose answers are none, or never end", function () {
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
