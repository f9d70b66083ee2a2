import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { adapters } from "../support/adapter";
import { connectionTo } from "../support/configuration";
import { configurationFor, organization, projectsIn, withOrganization } from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

const { getProjectOutput, listProjectsOutput, Project } = trivium.provisioning;

for (const adapter of adapters) {
  describe(`functions in a component that names its provider (${adapter})`, function () {
    this.timeout(240_000);
    stepByStep();

    const here = useEmulator({ resets: false, ...withOrganization });
    const there = useEmulator({ resets: false, ...withOrganization });
    const configuration = () => configurationFor(here, "provisioning");
    const stack = useSharedStack(`component-functions-${adapter}`, configuration, { adapter });

    class Team extends pulumi.ComponentResource {
      readonly found: pulumi.Output<unknown>;

      constructor(name: string, options: pulumi.ComponentResourceOptions) {
        super("tests:Team", name, {}, options);
        const project = new Project(name, { organization, name }, { parent: this });
        const found = getProjectOutput({ id: project.id }, { parent: this });
        const listed = listProjectsOutput(
          { organization, names: [name] },
          { parent: this, dependsOn: project },
        );
        this.found = pulumi.output({ id: project.id, found: found.id, listed: listed.projects });
      }
    }
    const program = () => {
      const provider = new trivium.Provider("there", connectionTo(there, "provisioning"));
      return { found: new Team("payments", { providers: { trivium: provider } }).found };
    };

    it("functions in a component send requests to the service of the component's resources", async () => {
      here.provisioning.addProject({ organization, name: "payments" });
      await stack.up(program);
      const [{ id } = { id: "" }] = projectsIn(there);
      assert.equal(projectsIn(here).length, 1);
      const { found } = await stack.outputs();
      const value = found?.value as {
        readonly id: string;
        readonly found: string;
        readonly listed: readonly object[];
      };
      assert.deepEqual([value.id, value.found], [id, id]);
      assert.deepEqual(
        value.listed.map((each) => Reflect.get(each, "id") as unknown),
        [id],
      );
      await stack.previewWithoutChanges(program);
    });
  });
}
