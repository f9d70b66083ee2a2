import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
  projectType,
} from "../support/projects";
import { TestStack } from "../support/stack";

describe("a stack that is pointed at another service, which has a project of the same id", function () {
  this.timeout(60_000);

  const token = "canary-token-of-both";
  let former: Emulator;
  let other: Emulator;
  let stack: TestStack;
  let places: RegExp;
  const renamed = programOf(["payments"], { name: "payments-production" });
  const refused = (text: string): void => {
    assert.match(text, places);
    assert.match(text, /No request was made/);
    assert.match(text, /pulumi config set trivium:provisioningMovedFrom/);
    assert.equal(other.journal.count(), 0);
  };

  before(async function () {
    this.timeout(900_000);
    const tokens = { provisioning: token };
    [former, other] = await Promise.all([
      emulatorWithOrganization({ tokens }),
      emulatorWithOrganization({ tokens }),
    ]);
    places = new RegExp(
      `created at ${former.provisioning.address}\\b.* now configured as ${other.provisioning.address}\\b`,
    );
    stack = await TestStack.create("engine-moved", configurationFor(former));
    await stack.up(programOf(["payments"]));
    const [{ id, name } = { id: "", name: "" }] = projectsIn(former);
    other.provisioning.addProject({ organization, id, name });
    former.journal.clear();
  });

  after(async () => {
    stack.remove();
    await Promise.all([former.close(), other.close()]);
  });

  it("refuses to update, naming both", async () => {
    await stack.setConfiguration("trivium:provisioningAddress", other.provisioning.address);
    const before = await stack.resources(projectType);
    refused(await failureOf(stack.up(renamed)));
    assert.deepEqual(await stack.resources(projectType), before);
  });

  for (const operation of ["refresh", "destroy"] as const) {
    it(`refuses to ${operation}, naming both`, async () => {
      const before = await stack.resources(projectType);
      refused(await failureOf(stack[operation]({ program: renamed })));
      assert.deepEqual(await stack.resources(projectType), before);
    });
  }

  it("goes on where the service has merely moved, and then is bound to the new address", async () => {
    await stack.setConfiguration("trivium:provisioningMovedFrom", former.provisioning.address);
    await stack.refresh({ program: renamed });
    const [project] = await stack.resources(projectType);
    assert.equal(project?.outputs?.__at, `*${other.provisioning.address.replace("http:", "")}`);
    await stack.removeConfiguration("trivium:provisioningMovedFrom");
    await stack.up(renamed);
    assert.deepEqual(
      projectsIn(other).map(({ name }) => name),
      ["payments-production"],
    );
    await stack.destroy();
    assert.deepEqual(projectsIn(other), []);
    assert.equal(former.journal.count(), 0);
    assert.equal(projectsIn(former).length, 1);
  });
});
