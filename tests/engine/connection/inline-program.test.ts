import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, withOrganization, organization, projectsIn } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { getProject, listProjectsOutput, Project } = trivium.provisioning;

describe("an inline program of the Automation API", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  before(async function () {
    this.timeout(900_000);
    // Only the CLI and what it starts see these.
    stack = await TestStack.create("engine-inline", {}, emulator.environment);
  });
  after(() => {
    stack.remove();
  });

  it("has resources use the workspace's envVars", async () => {
    await stack.up(() => {
      new Project("payments", { organization, name: "payments" });
      return Promise.resolve(undefined);
    });
    assert.deepEqual(
      projectsIn(emulator).map(({ name }) => name),
      ["payments"],
    );
  });

  it("says that functions do not see the workspace's envVars", async () => {
    let reason = "";
    await stack.preview(async () => {
      new Project("payments", { organization, name: "payments" });
      reason = await getProject({ organization, name: "payments" }).then(String, String);
      return undefined;
    });
    assert.match(reason, /The provisioning service is not configured\. Missing: address/);
    assert.match(reason, /functions run in your process and do not see the workspace's envVars/);
    assert.match(reason, /: use process\.env or the stack configuration/);
  });

  it("has functions use the configuration of the stack", async () => {
    const program: Program = () => {
      new Project("payments", { organization, name: "payments" });
      const { total } = listProjectsOutput({ organization }).statusCounts;
      return Promise.resolve({ total });
    };
    for (const [key, value] of Object.entries(configurationFor(emulator))) {
      await stack.setConfiguration(
        key,
        typeof value === "string" ? value : value.secret,
        typeof value !== "string",
      );
    }
    await stack.up(program);
    assert.equal((await stack.outputs())["total"]?.value, 2);
  });
});
