import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, organization, withOrganization } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { AdminOrganization, ModuleConsumers } = trivium.provisioning;

/** What one program is refused, tests/provisioning/consumers.test.ts shows. */
describe("programs that run in one process", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const configuration = () => configurationFor(emulator, "provisioning");
  const first = useSharedStack("engine-programs-one", configuration);
  const second = useSharedStack("engine-programs-two", configuration);
  const shareWithAll: Program = () =>
    new AdminOrganization("all", { name: organization, globalModuleSharing: true });
  const shareWithSome: Program = () => new ModuleConsumers("some", { organization, consumers: ["payments"] });

  it("a program is not rejected because another one manages the same organization, at the same time or before", async () => {
    const both = await Promise.all([first.preview(shareWithAll), second.preview(shareWithSome)]);
    for (const { changes } of [...both, await first.preview(shareWithSome)]) {
      assert.deepEqual(changes, { create: 2 });
    }
  });
});
