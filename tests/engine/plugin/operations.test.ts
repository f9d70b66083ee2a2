import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { configurationFor, emulatorWithOrganization, failureOf, organization } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

/** What only the plugin does with an operation. */
describe("an operation with the plugin", function () {
  this.timeout(240_000);

  let emulator: Emulator;
  let stack: TestStack;

  before(async () => {
    emulator = await emulatorWithOrganization();
    const { address, token } = emulator.scheduler;
    stack = await TestStack.create(
      "plugin-operations",
      {
        ...configurationFor(emulator),
        "trivium:schedulerAddress": address,
        "trivium:schedulerToken": { secret: token },
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsToken": { secret: emulator.secrets.token },
      },
      {},
      "plugin",
    );
  });

  after(async () => {
    stack.remove();
    await emulator.close();
  });

  const gate: Program = () => {
    new trivium.scheduler.EventGate(
      "gate",
      { topics: ["Deployment:web"], match: {}, timeout: "1h" },
      { customTimeouts: { create: "2s" } },
    );
    return Promise.resolve(undefined);
  };

  it("waits no longer than its customTimeouts say", async () => {
    const text = await failureOf(stack.up(gate));
    assert.match(text, /The operation exceeded the 2 s of customTimeouts\./);
    assert.doesNotMatch(text, /has no effect/);
  });

  it("tells in a plan what is known, and makes no request", async () => {
    const seen: unknown[] = [];
    await stack.preview(() => {
      const project = new trivium.provisioning.Project("payments", { organization, name: "payments" });
      const method = new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme", period: "1m" });
      pulumi.all([project.name, method.period]).apply((values) => seen.push(...values));
      method.keySize.apply((size) => seen.push(size));
      return Promise.resolve(undefined);
    });
    assert.deepEqual(seen, ["payments", 60]);
  });
});
