import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, withOrganization, failureOf, organization } from "../support/projects";
import { type Program, TestStack } from "../support/stack";
import { stepByStep } from "../../support/step-by-step";

describe("40 notification configurations in two workspaces", function () {
  this.timeout(60_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  let workspaces: readonly string[];
  const post = { method: "POST", path: "/api/v2/workspaces/:id/notification-configurations" };

  const program =
    (perWorkspace: number): Program =>
    () => {
      for (const [place, workspaceId] of workspaces.entries()) {
        for (let number = 1; number <= perWorkspace; number++) {
          new trivium.provisioning.NotificationConfiguration(`${place}-${number}`, {
            workspaceId,
            name: `hook ${number}`,
            destinationType: "generic",
            url: `https://hooks.example.com/${number}`,
            triggers: ["run:errored", "run:created"],
          });
        }
      }
      return Promise.resolve(undefined);
    };
  const configurations = () => emulator.inspect().provisioning.notificationConfigurations;

  before(async function () {
    this.timeout(900_000);
    workspaces = [1, 2].map(() => emulator.provisioning.addWorkspace({ organization }).id);
    stack = await TestStack.create("engine-many-notifications", configurationFor(emulator));
  });
  after(() => {
    stack.remove();
  });

  it("are created, each once", async () => {
    await stack.up(program(20));
    assert.equal(configurations().length, 40);
    assert.equal(emulator.journal.count(post), 40);
    await stack.previewWithoutChanges(program(20));
  });

  it("are refreshed with fewer than 0.2 requests each, but for the first four", async () => {
    emulator.journal.clear();
    const { changes } = await stack.refresh();
    assert.deepEqual(changes, {});
    const requests = emulator.journal.requests().map(({ method, target }) => `${method} ${target}`);
    assert.ok(requests.length > 0 && requests.length < 4 + 0.2 * 40, requests.join("\n"));
  });

  it("leave no room for another one, and the error says so", async () => {
    const text = await failureOf(stack.up(program(21)));
    assert.match(
      text,
      /The workspace ws-\w+ already has 20 notification configurations; the maximum is 20\./,
    );
    assert.equal(configurations().length, 40);
  });

  it("are gone after destroy", async () => {
    await stack.destroy();
    assert.deepEqual(configurations(), []);
  });
});
