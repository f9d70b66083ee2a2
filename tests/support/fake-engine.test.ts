import assert from "node:assert/strict";
import { projectDefinition } from "../../sdk/provisioning/project";
import { FakeEngine } from "./fake-engine";
import { useEmulator } from "./use-emulator";

describe("a project", () => {
  const emulator = useEmulator({ seed: { organizations: [{ name: "acme" }] } });

  it("a project that was renamed in the service is renamed back", async () => {
    const engine = await FakeEngine.create(projectDefinition, emulator, {
      organization: "acme",
      name: "payments",
    });
    emulator.provisioning.changeProject(engine.id ?? "", { name: "by-hand" });
    assert.equal(await engine.refresh(), true);
    assert.equal(engine.inputs.name, "by-hand");
    assert.equal(await engine.up({ organization: "acme", name: "payments" }), "updated");
  });
});
