import assert from "node:assert/strict";
import { until } from "../../testing/call";
import { brief, doctor, examined, found } from "./doctor";
import { useEmulator } from "./surroundings";

describe("doctor: the scheduler", function () {
  this.timeout(30_000);

  const at = useEmulator("documented");
  const restrict = (options: Parameters<typeof at.emulator.scheduler.addToken>[0]): void =>
    at.surround({ SCHEDULER_TOKEN: at.emulator.scheduler.addToken(options) });
  const tokenOf = async (): Promise<string> => found(await examined("scheduler"), "token").message;

  it("follows everything with a management token, and leaves no stream open", async () => {
    assert.equal(await tokenOf(), "valid, may read the event stream of all topics");
    await until(() => at.emulator.inspect().scheduler.subscriptions.length === 0);
  });

  for (const refusal of ["status", "silence"] as const) {
    it(`tells what can be followed when others are refused with ${refusal}`, async () => {
      at.emulator.events.refusal = refusal;
      restrict({ access: { readNodes: true } });
      assert.equal(await tokenOf(), "valid, may read the event stream of nodes");
      restrict({ access: { readJobs: ["default"] } });
      assert.equal(await tokenOf(), "valid, may read the event stream of jobs");
      assert.equal((await doctor("scheduler")).status, 0);
    });

    it(`calls a token wrong that is refused with ${refusal}`, async () => {
      at.emulator.events.refusal = refusal;
      at.surround({ SCHEDULER_TOKEN: "wrong-token" });
      const report = await examined("scheduler");
      assert.deepEqual([report.status, found(report, "token").state], [1, "problem"]);
    });
  }

  it("asks in the namespace of the settings", async () => {
    restrict({ access: { readJobs: ["team"] } });
    at.surround({ SCHEDULER_NAMESPACE: "team" });
    assert.equal(await tokenOf(), "valid, may read the event stream of jobs");
  });

  it("warns of a stream that brings nothing", async () => {
    at.emulator.faults.add({ service: "scheduler", path: "/v1/event/stream", delay: "forever", times: 10 });
    at.surround({ SCHEDULER_REQUEST_TIMEOUT: "1s" });
    const report = await examined("scheduler");
    const { state, code } = found(report, "token");
    assert.deepEqual([report.status, state, code], [0, "warning", "SILENT_STREAM"]);
  });
});

describe("doctor: what the scheduler says about itself", () => {
  const at = useEmulator("hashicorp");

  it("tells the version to those who may know it", async () => {
    assert.deepEqual((await examined("scheduler")).product, { name: "Nomad", version: "1.10.5" });
    at.surround({ SCHEDULER_TOKEN: at.emulator.scheduler.addToken({ access: { readNodes: true } }) });
    const report = await examined("scheduler");
    assert.deepEqual(report.product, { name: "Nomad", version: null });
    assert.match(found(report, "token").message, /^valid, ".*", a client token$/);
  });

  it("calls a token wrong that it does not know", async () => {
    at.surround({ SCHEDULER_TOKEN: "wrong-token" });
    const report = await examined("scheduler");
    assert.deepEqual([report.status, found(report, "token").state], [1, "problem"]);
  });

  it("reports that there is no leader", async () => {
    at.emulator.faults.add({
      service: "scheduler",
      path: "/v1/status/leader",
      status: 500,
      body: "No cluster leader",
    });
    const report = await examined("scheduler");
    assert.equal(report.status, 1);
    assert.ok(brief(report).includes("problem product HTTP_500"));
  });

  it("knows a scheduler that checks no tokens", async () => {
    at.emulator.faults.add({
      service: "scheduler",
      path: "/v1/acl/token/self",
      status: 400,
      body: "ACL support disabled",
    });
    const report = await examined("scheduler");
    assert.deepEqual([report.status, found(report, "token").state], [0, "note"]);
  });
});
