import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { call } from "../call";
import { mayRead, subscribe } from "./subscribe";

describe("the emulated scheduler's access control", () => {
  const emulator = useEmulator();

  /** A token that the secrets service has had made. */
  async function issue(policies: readonly string[], type?: "management"): Promise<string> {
    emulator.secrets.addSchedulerRole({ name: "r", policies, ...(type === undefined ? {} : { type }) });
    const { status } = await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r");
    assert.equal(status, 200);
    return emulator.inspect().scheduler.aclTokens.at(-1)?.secretId ?? assert.fail("no token");
  }

  it("lets a client token read what its policies say together, as they are now", async () => {
    const token = await issue(["nodes", "jobs", "unknown"]);
    assert.deepEqual(
      [await mayRead(emulator, token, "Node"), await mayRead(emulator, token, "Job")],
      [403, 403],
      "a policy that does not exist allows nothing",
    );
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: true });
    emulator.scheduler.addPolicy({ name: "jobs", readJobs: ["default", "web"] });
    assert.equal(await mayRead(emulator, token, "Node", "Job", "Deployment"), 200);
    assert.equal(await mayRead(emulator, token, "ACLToken"), 403);
    assert.equal(await mayRead(emulator, token), 403);
    emulator.scheduler.addPolicy({ name: "jobs", readJobs: "*" });
    assert.equal(await mayRead(emulator, token, "Job"), 200);
    emulator.scheduler.removePolicy("jobs");
    assert.equal(await mayRead(emulator, token, "Job"), 403);
    assert.equal(await mayRead(emulator, token, "Node"), 200);
  });

  it("ends the streams of the tokens that have a policy when it changes, and no others", async () => {
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: true });
    emulator.scheduler.addPolicy({ name: "other", readNodes: true });
    const concerned = await subscribe(emulator, await issue(["nodes"]), "Node");
    const others = [
      await subscribe(emulator, await issue(["other"]), "Node"),
      await subscribe(emulator, emulator.scheduler.token),
    ];
    emulator.scheduler.addPolicy({ name: "nodes", readNodes: false });
    await concerned.ended;
    assert.equal(emulator.inspect().scheduler.subscriptions.length, 2);
    others.forEach((other) => other.close());
  });
});
