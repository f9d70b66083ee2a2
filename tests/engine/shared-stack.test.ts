import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { configurationFor } from "./support/projects";
import { useSharedStack } from "./support/shared-stack";

describe("a stack with a project", function () {
  this.timeout(120_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, seed: { organizations: [{ name: "acme" }] } });
  const stack = useSharedStack("shared-stack", () => configurationFor(emulator, "provisioning"));
  const program = () => {
    const project = new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
    return { projectId: project.id };
  };

  it("an update creates the project, and the next plan shows no change", async () => {
    const { changes } = await stack.up(program);
    assert.equal(changes.create, 2);
    await stack.previewWithoutChanges(program);
  });

  it("a destroyed stack leaves no project behind", async () => {
    await stack.destroy();
    assert.equal(emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault).length, 0);
  });
});
