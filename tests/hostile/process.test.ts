import assert from "node:assert/strict";
import { Processes } from "../contract/support/processes";
import { projectInputs } from "../contract/support/provisioning";
import { startServer, stopServers } from "../http/server";
import { CallError } from "../support/provider-process";
import { hostileResponses } from "./support/answers";
import { Selection } from "./support/extent";
import { complaintsAbout } from "./support/judge";
import { canaries, newScene } from "./support/scene";
import { tried } from "./support/tally";
import { World } from "./support/world";

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
