import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../support/use-emulator";
import { describeWithAdapters, typeWith } from "./support/adapter";
import { configurationFor } from "./support/projects";
import { useSharedStack } from "./support/shared-stack";

// As docs/leaving.md says it, for a class of each service.
describeWithAdapters("a stack that leaves the library", function (adapter) {
  this.timeout(300_000);

  const emulator = useEmulator({ resets: false, seed: { organizations: [{ name: "acme" }] } });
  const stack = useSharedStack(
    `leaving-${adapter}`,
    () => configurationFor(emulator, "provisioning", "secrets", "scheduler"),
    { adapter },
  );

  it("`pulumi state delete` leaves the objects unchanged, and the engine no longer calls the library", async () => {
    await stack.up(() => {
      new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
      new trivium.secrets.mfa.TotpMethod("mfa", { issuer: "Acme" });
      new trivium.scheduler.EventGate("gate", {
        topics: ["Job"],
        match: { key: "web" },
        timeout: "60s",
      });
      setTimeout(
        () => emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web", payload: {} }),
        1_000,
      );
    });
    const ids = emulator.inspect();
    for (const type of ["provisioning:Project", "secrets/mfa:TotpMethod", "scheduler:EventGate"]) {
      const [urn = ""] = await stack.urns(typeWith(adapter, type));
      await stack.command("state", "delete", urn, "--yes");
    }
    emulator.journal.clear();
    await stack.up(() => undefined);
    await stack.destroy();
    assert.equal(emulator.journal.count(), 0);
    assert.deepEqual(emulator.inspect().secrets.totpMethods, ids.secrets.totpMethods);
    assert.deepEqual(emulator.inspect().provisioning.projects, ids.provisioning.projects);
  });
});
