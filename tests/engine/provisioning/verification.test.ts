import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../support/processes";
import { configurationFor, withOrganization, failureOf, organization } from "../support/projects";
import { type Receiver, startReceiver } from "../support/receiver";
import { type OperationOptions, type Program, type StateResource, TestStack } from "../support/stack";
import { stepByStep } from "../../support/step-by-step";

/** The display in detail, which is the default here, leaves out what is shown in passing. */
const withProgress: OperationOptions & { readonly diff: boolean } = { diff: false };

const type = "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration";

describe("the verification of a notification configuration", function () {
  this.timeout(60_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  let receiver: Receiver;
  let workspaceId: string;

  const program =
    (more: Partial<trivium.provisioning.NotificationConfigurationArgs> = {}): Program =>
    () => {
      new trivium.provisioning.NotificationConfiguration("deployments", {
        workspaceId,
        name: "deployments",
        destinationType: "generic",
        enabled: true,
        url: receiver.address,
        ...more,
      });
      return Promise.resolve(undefined);
    };
  const inState = async (): Promise<StateResource | undefined> => (await stack.resources(type))[0];
  const inService = () => emulator.inspect().provisioning.notificationConfigurations;
  const attempts = (method: string): number => emulator.journal.count({ method });

  before(async function () {
    this.timeout(900_000);
    workspaceId = emulator.provisioning.addWorkspace({ organization }).id;
    receiver = await startReceiver();
    stack = await TestStack.create("engine-verification", configurationFor(emulator));
  });
  beforeEach(() => emulator.journal.clear());

  after(async () => {
    stack.remove();
    await receiver.close();
  });

  it("fails at once, with the service's reason, when nobody asked to wait, and leaves nothing", async () => {
    receiver.status = 500;
    const text = await failureOf(stack.up(program()));
    assert.match(
      text,
      /Could not create the notification configuration "deployments" in the workspace ws-\w+: .* returned 400: verification failed: .* could not be completed: HTTP 500\./,
    );
    assert.equal(attempts("POST"), 1);
    assert.equal(receiver.requests.length, 1);
    assert.deepEqual(inService(), []);
    assert.equal(await inState(), undefined);
  });

  it("waits, visibly, for a receiver that comes up late", async () => {
    const { address, close } = receiver;
    await close();
    const outcome = stack.up(program({ verification: { timeout: "30s" } }), withProgress);
    await until(() => attempts("POST") === 2);
    receiver = await startReceiver(Number(new URL(address).port));
    const { text, changes } = await outcome;
    assert.deepEqual(changes, { create: 1 });
    assert.match(
      text,
      /waiting for the receiver \(0 s of 30 s\): verification failed: .* connection refused/,
    );
    assert.match(text, /waiting for the receiver \(1 s of 30 s\)/);
    assert.match(text, /created \(\d+s\) the receiver responded/);
    assert.equal(attempts("POST"), 3);
    assert.equal(receiver.requests.length, 1);
    assert.equal(inService()[0]?.enabled, true);
    assert.equal((await inState())?.id, inService()[0]?.id);
  });

  it("that fails leaves an update undone on both sides, and the next one repairs it", async () => {
    await stack.up(program());
    const [before, stateBefore] = [inService(), await inState()];
    emulator.journal.clear();
    receiver.status = 503;
    const renamed = program({ name: "releases", triggers: ["run:completed"] });
    const text = await failureOf(stack.up(renamed));
    assert.match(text, /Could not update the notification configuration nc-\w+: .* HTTP 503\./);
    assert.equal(attempts("PATCH"), 1);
    assert.deepEqual(
      inService().map((configuration) => ({ ...configuration, deliveryResponses: [] })),
      before.map((configuration) => ({ ...configuration, deliveryResponses: [] })),
    );
    assert.deepEqual(await inState(), stateBefore);

    receiver.status = 204;
    const { changes } = await stack.up(renamed);
    assert.deepEqual(changes, { update: 1 });
    assert.deepEqual([inService()[0]?.name, (await inState())?.outputs?.name], ["releases", "releases"]);
    await stack.previewWithoutChanges(renamed);
  });
});
