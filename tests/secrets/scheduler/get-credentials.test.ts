import assert from "node:assert/strict";
import { getCredentials } from "../../../sdk/secrets/scheduler/get-credentials";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";
import { mayRead } from "../../testing/scheduler/subscribe";

describe("secrets.scheduler.getCredentials", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
  });
  const issued = () => emulator.inspect().scheduler.aclTokens;

  it("has a token issued, another one at each call", async () => {
    emulator.secrets.changeSchedulerLease({ ttl: 60 });
    const first = await getCredentials({ name: "ops" });
    const second = await getCredentials({ name: "ops" });
    assert.deepEqual(
      [first, second].map(({ accessorId, secretId }) => [accessorId, secretId]),
      issued().map(({ accessorId, secretId }) => [accessorId, secretId]),
    );
    assert.deepEqual([first.leaseId, first.leaseDuration], [emulator.inspect().secrets.leases[0]?.id, 60]);
    assert.equal(await mayRead(emulator, first.secretId), 200);
  });

  it("uses any mount", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" }, "teams/eu");
    const { leaseId } = await getCredentials({ mount: "teams/eu", name: "ops" });
    assert.match(leaseId, /^teams\/eu\/creds\/ops\//);
  });

  it("does not ask again when the answer is lost, and says what may exist", async () => {
    emulator.faults.add({ path: "/v1/scheduler/creds/ops", drop: "after" });
    const error = await failure(getCredentials({ name: "ops" }));
    assert.match(error.message, /may have been issued all the same/);
    assert.equal(error.mayHaveBeenProcessed, true);
    assert.equal(issued().length, 1);
  });

  it("needs a role", async () => {
    const error = await failure(getCredentials({ name: "none" }));
    assert.match(error.message, /role "none" not found/);
    assert.equal(error.mayHaveBeenProcessed, false);
    const refused = await failure(getCredentials({ name: "" }));
    assert.equal(refused.message, "secrets.scheduler.getCredentials: name must not be empty.");
  });

  describe("in a program", () => {
    useMocks();

    it("names the resource to use instead, and has nothing issued", async () => {
      const error = await failure(getCredentials({ name: "ops" }));
      assert.match(error.message, /use the resource secrets\.scheduler\.Token instead\.$/);
      assert.deepEqual(issued(), []);
    });
  });
});
