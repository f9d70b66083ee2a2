import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { until } from "../../support/processes";
import { ProgramDirectory } from "../../support/program-directory";

const managementToken = "canary-management-token-51c0";
const node = { ID: "9b1d2e3f-0000-4000-8000-000000000001", Name: "worker-1", Datacenter: "dc1" };

describe("the example of the scheduler", function () {
  // Its types are checked at each run.
  this.timeout(180_000);

  const emulator = useEmulator({
    resets: false,
    tokens: { scheduler: managementToken },
    secrets: { schedulerAccess: "checked" },
  });
  let example: ProgramDirectory;
  const tokens = () => emulator.inspect().scheduler.aclTokens;

  before(async function () {
    this.timeout(900_000);
    emulator.scheduler.addPolicy({ name: "node-read", readNodes: true });
    const { SECRETS_ADDR = "", SECRETS_TOKEN = "" } = emulator.environment;
    example = await ProgramDirectory.ofExample("scheduler", { SECRETS_ADDR, SECRETS_TOKEN });
    await example.run("config", "set", "schedulerAddress", emulator.scheduler.address);
    await example.run("config", "set", "--secret", "managementToken", managementToken);
  });
  after(() => {
    example.remove();
  });

  it("makes no request in a preview", async () => {
    await example.run("preview");
    assert.equal(emulator.journal.count(), 0);
  });

  it("waits for a node with the token that it has had issued, and only then goes on", async () => {
    const running = example.run("up", "--yes", "--skip-preview");
    const waiting = until(() => emulator.inspect().scheduler.subscriptions.length === 1);
    await Promise.race([waiting, running.then((text) => assert.fail(`it did not wait: ${text}`))]);
    assert.deepEqual(
      tokens().map(({ policies }) => policies),
      [["node-read"]],
    );
    emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: node.ID, payload: { Node: node } });
    await running;
    assert.deepEqual(tokens().at(-1)?.policies, ["job-submit", "node-read"]);
    assert.deepEqual(
      [await example.outputOf("nodeId"), await example.outputOf("deployToken")],
      [node.ID, tokens().at(-1)?.secretId],
    );
  });

  it("then changes nothing, waits for nothing, and has no other token issued", async () => {
    assert.match(await example.run("up", "--yes", "--skip-preview"), /unchanged/);
    assert.equal(tokens().length, 2);
  });

  it("deletes what can be deleted, says what stays, and has shown no secret in clear", async () => {
    const text = await example.run("destroy", "--yes", "--skip-preview");
    const stays = /The access configuration of the scheduler engine at scheduler stays/;
    assert.match(text.replace(/\s+/g, " "), stays);
    const { schedulerRoles, schedulerLeases, schedulerAccess } = emulator.inspect().secrets;
    assert.deepEqual([schedulerRoles, schedulerLeases, schedulerAccess.length], [[], [], 1]);
    const everywhere = example.output + (await example.files());
    for (const secret of [managementToken, ...tokens().map(({ secretId }) => secretId)]) {
      assert.ok(!everywhere.includes(secret), "a secret was shown");
    }
  });
});
