import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { type Program, TestStack } from "../support/stack";

const type = "pulumi-nodejs:dynamic/trivium/provisioning:ProjectWorkspaces";

describe("workspaces that are gone", function () {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  let stack: TestStack;
  let workspaces: readonly string[];
  let projectId: string;
  let fallbackProjectId: string;
  before(async () => {
    const { provisioning } = emulator;
    provisioning.addOrganization({ name: "acme" });
    [projectId = "", fallbackProjectId = ""] = ["payments", "fallback"].map(
      (name) => provisioning.addProject({ organization: "acme", name }).id,
    );
    workspaces = Array.from({ length: 4 }, () => provisioning.addWorkspace({ organization: "acme" }).id);
    stack = await TestStack.create("engine-gone-workspaces", {
      "trivium:provisioningAddress": provisioning.address,
      "trivium:provisioningToken": { secret: provisioning.token },
    });
  });
  after(() => {
    stack.remove();
  });

  const declaring =
    (workspaceIds: readonly string[]): Program =>
    () => {
      new trivium.provisioning.ProjectWorkspaces("payments", {
        projectId,
        workspaceIds: [...workspaceIds],
        fallbackProjectId,
      });
      return Promise.resolve(undefined);
    };
  const inFallback = (): string[] =>
    emulator
      .inspect()
      .provisioning.workspaces.filter((workspace) => workspace.projectId === fallbackProjectId)
      .map(({ id }) => id);

  it("can be taken out of the list, with a warning that names them", async () => {
    const [first = "", second = "", third = "", fourth = ""] = workspaces;
    await stack.up(declaring(workspaces));
    emulator.provisioning.removeWorkspace(second);
    const { text } = await stack.up(declaring([first, fourth]));
    assert.match(text, new RegExp(`warning: Not moved into the project ${fallbackProjectId}: ${second}\\.`));
    assert.deepEqual(inFallback(), [third]);
    assert.equal((await stack.up(declaring([first, fourth]))).text.includes("warning"), false);
  });

  it("do not keep their resource from being destroyed", async () => {
    const [first = "", , third = "", fourth = ""] = workspaces;
    emulator.provisioning.removeWorkspace(first);
    const { text } = await stack.destroy();
    assert.match(text, new RegExp(`warning: Not moved into the project ${fallbackProjectId}: ${first}\\.`));
    assert.deepEqual(inFallback(), [third, fourth]);
    assert.deepEqual(await stack.ids(type), []);
  });
});
