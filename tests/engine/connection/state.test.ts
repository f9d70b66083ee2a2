import assert from "node:assert/strict";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { typeWith } from "../support/adapter";
import {
  configurationFor,
  failureOf,
  organization,
  programOf,
  projectsIn,
  withOrganization,
} from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

const projectType = typeWith("dynamic", "provisioning:Project");

describe("a stack whose state remembers a connection that no longer works", function () {
  this.timeout(120_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const stack = useSharedStack("engine-state", () => configurationFor(emulator, "provisioning"));

  it("a stack cannot be destroyed with the former token, and says how to override it", async () => {
    await stack.up(programOf(["payments"]));
    const former = emulator.provisioning.token;
    emulator.provisioning.rotateToken();
    await stack.setConfiguration("trivium:provisioningToken", emulator.provisioning.token, true);
    const text = await failureOf(stack.destroy());
    assert.match(text, /returned 401/);
    assert.match(text, /comes from the configuration value trivium:provisioningToken/);
    assert.match(text, /TRIVIUM_PROVISIONING_TOKEN overrides it/);
    assert.equal(projectsIn(emulator).length, 1);
    assert.ok(!stack.output.includes(former));
  });

  it("a stack is destroyed with the token of TRIVIUM_PROVISIONING_TOKEN, which beats every other", async () => {
    const { token } = emulator.provisioning;
    stack.setEnvironment({ TRIVIUM_PROVISIONING_TOKEN: token });
    await stack.destroy();
    assert.deepEqual(projectsIn(emulator), []);
    assert.ok(!(stack.output + (await stack.state())).includes(token));
  });

  it("a missing organization is reported with both ways out, of which one works", async () => {
    await stack.up(programOf(["payments", "billing"]));
    const ids = projectsIn(emulator).map(({ id }) => id);
    const before = await stack.resourcesInClear();
    emulator.provisioning.removeOrganization(organization);
    for (const operation of [() => stack.refresh(), () => stack.destroy()]) {
      const text = await failureOf(operation());
      assert.match(text, /was deleted, or the token has no access to it/);
      assert.match(text, /pulumi state delete/);
      ids.forEach((id) => assert.ok(text.includes(`TRIVIUM_ASSUME_GONE=${id}`), text));
      assert.deepEqual(await stack.resourcesInClear(), before);
    }
    const [first = "", second = ""] = ids;
    stack.setEnvironment({ TRIVIUM_ASSUME_GONE: first });
    await failureOf(stack.refresh());
    assert.deepEqual(await stack.ids(projectType), [second]);
    stack.setEnvironment({ TRIVIUM_ASSUME_GONE: second });
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
  });
});

describe("a stack that is pointed at another service, which has a project of the same id", function () {
  this.timeout(120_000);
  stepByStep();

  const options = { resets: false, ...withOrganization, tokens: { provisioning: "token-of-both" } };
  const former = useEmulator(options);
  const other = useEmulator(options);
  const stack = useSharedStack("engine-moved", () => configurationFor(former, "provisioning"));
  const program = programOf(["payments"], { name: "payments-production" });

  it("a stack of another service is neither updated, refreshed nor destroyed, and both are named", async () => {
    await stack.up(programOf(["payments"]));
    const [{ id, name } = { id: "", name: "" }] = projectsIn(former);
    other.provisioning.addProject({ organization, id, name });
    former.journal.clear();
    await stack.setConfiguration("trivium:provisioningAddress", other.provisioning.address);
    const before = await stack.resources(projectType);
    for (const operation of [
      () => stack.up(program),
      () => stack.refresh({ program }),
      () => stack.destroy({ program }),
    ]) {
      const text = await failureOf(operation());
      assert.match(text, new RegExp(`created at ${former.provisioning.address}\\b`));
      assert.match(text, new RegExp(`now configured as ${other.provisioning.address}\\b`));
      assert.match(text, /No request was made.*pulumi config set trivium:provisioningMovedFrom/);
      assert.deepEqual(await stack.resources(projectType), before);
    }
    assert.equal(other.journal.count(), 0);
  });

  it("a stack of another service goes on where the service has merely moved, and then is bound to the new address", async () => {
    await stack.setConfiguration("trivium:provisioningMovedFrom", former.provisioning.address);
    await stack.refresh({ program });
    const [project] = await stack.resources(projectType);
    assert.equal(project?.outputs?.__at, `${other.provisioning.address}/api/v2`);
    await stack.removeConfiguration("trivium:provisioningMovedFrom");
    await stack.up(program);
    assert.equal(projectsIn(other)[0]?.name, "payments-production");
    await stack.destroy();
    assert.deepEqual(projectsIn(other), []);
    assert.equal(former.journal.count(), 0);
    assert.equal(projectsIn(former).length, 1);
  });
});
