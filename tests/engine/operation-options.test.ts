import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters, typeWith } from "./support/adapter";
import { connectionTo } from "./support/configuration";
import {
  failureOf,
  organization,
  productConfigurationFor,
  projectsIn,
  withOrganization,
} from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

for (const adapter of adapters) {
  describe(`operations with rare options (${adapter})`, function () {
    this.timeout(240_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp", ...withOrganization });
    const configuration = () => productConfigurationFor(emulator, "provisioning");
    const stack = useSharedStack(`operation-options-${adapter}`, configuration, { adapter });

    /** A project, and what depends on it. */
    const team = (name: string, options: pulumi.CustomResourceOptions = {}, resource = "team") => {
      const { provider } = options;
      const project = new trivium.provisioning.Project(resource, { organization, name }, options);
      new trivium.provisioning.NotificationConfiguration(
        "runs",
        {
          projectId: project.id,
          name: "runs",
          destinationType: "generic",
          url: "https://hooks.example.com/runs",
          enabled: false,
        },
        { ...(provider && { provider }) },
      );
    };
    const urnsOf = (resourceClass: "Project" | "NotificationConfiguration") =>
      stack.urns(typeWith(adapter, `provisioning:${resourceClass}`));
    const names = () => projectsIn(emulator).map(({ name }) => name);

    it("a replacement that is excluded with its dependents changes nothing, and takes place in the next update", async () => {
      const replaced: Program = () => team("second", { replacementTrigger: 2 });
      await stack.up(() => team("first", { replacementTrigger: 1 }));
      const exclude = await urnsOf("Project");
      const excluded = await stack.up(replaced, { exclude, excludeDependents: true });
      assert.deepEqual(excluded.changes, {});
      assert.deepEqual(names(), ["first"]);
      assert.equal((await stack.up(replaced)).changes.replace, 2);
      await stack.previewWithoutChanges(replaced);
    });

    it("a dependent that is excluded from the replacement of its project says that the old project is missing, and is created by the next update", async () => {
      const replaced: Program = () => team("third", { replacementTrigger: 3 });
      const exclude = await urnsOf("NotificationConfiguration");
      const [{ id } = { id: "" }] = projectsIn(emulator);
      const text = await failureOf(stack.up(replaced, { exclude }));
      assert.ok(text.includes(`notification configurations of the project ${id}`), text);
      await stack.up(replaced);
      await stack.previewWithoutChanges(replaced);
      const { notificationConfigurations } = emulator.inspect().provisioning;
      assert.equal(notificationConfigurations.length, 1);
    });

    it("an alias of an object that others depend on changes none of them, also if only these are updated", async () => {
      const moved: Program = () => {
        const parent = new pulumi.ComponentResource("tests:Team", "component");
        const aliases = [{ name: "team", parent: pulumi.rootStackResource }];
        team("third", { replacementTrigger: 3, parent, aliases }, "moved");
      };
      const targeted = await stack.up(moved, { target: await urnsOf("NotificationConfiguration") });
      assert.deepEqual(targeted.changes, {});
      assert.deepEqual((await stack.up(moved)).changes, { create: 1 });
      await stack.refresh();
      await stack.previewWithoutChanges(moved);
      await stack.destroy();
    });

    it("a replaced object that cannot be deleted stays in state, each update says why, and the one that can deletes it", async () => {
      const replaced: Program = () => team("second", { replacementTrigger: 2, deleteBeforeReplace: false });
      await stack.up(() => team("first", { replacementTrigger: 1 }));
      const [{ id } = { id: "" }] = projectsIn(emulator);
      const path = `/api/v2/projects/${id}`;
      emulator.faults.add({ method: "DELETE", path, status: 403, times: 100 });
      for (const time of [1, 2]) {
        const text = await failureOf(stack.up(replaced));
        assert.ok(text.includes(`Could not delete the project ${id}`), text);
        assert.deepEqual(names().toSorted(), ["first", "second"], `update ${time}`);
      }
      await stack.refresh();
      emulator.faults.clear();
      await stack.up(replaced);
      assert.deepEqual(names(), ["second"]);
      await stack.previewWithoutChanges(replaced);
      await stack.destroy();
    });

    it("a provider that leaves the program with its resources deletes them at its service, and leaves last", async () => {
      const provider = () => new trivium.Provider("own", connectionTo(emulator, "provisioning"));
      await stack.up(() => team("own", { provider: provider() }));
      const steps = [...(await stack.up(() => undefined)).steps.keys()];
      assert.equal(steps.at(-1), "own", String(steps));
      assert.deepEqual(names(), []);
    });

    it("a hook before deletion gets the inputs and outputs of the resource, and prevents the deletion if it fails", async () => {
      const seen: string[] = [];
      let fails = true;
      const program: Program = () => {
        const beforeDelete = new pulumi.ResourceHook("check", ({ oldInputs, oldOutputs }) => {
          const { name } = (oldInputs ?? {}) as { readonly name?: string };
          const { description } = (oldOutputs ?? {}) as { readonly description?: string };
          seen.push(`${name ?? ""}: ${description ?? ""}`);
          if (fails) {
            throw new Error("there are workspaces");
          }
        });
        const args = { organization, name: "hooked", description: "kept" };
        new trivium.provisioning.Project("hooked", args, { hooks: { beforeDelete: [beforeDelete] } });
      };
      await stack.up(program);
      await failureOf(stack.destroy({ program }));
      assert.deepEqual(names(), ["hooked"]);
      fails = false;
      await stack.destroy({ program });
      assert.deepEqual([names(), seen], [[], ["hooked: kept", "hooked: kept"]]);
    });
  });
}
