import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import {
  productConfigurationFor,
  failureOf,
  organization,
  projectsIn,
  withOrganization,
} from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

type Names = Readonly<Record<string, string>>;

for (const adapter of adapters) {
  describe(`a name that is taken (${adapter})`, function () {
    this.timeout(240_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp", ...withOrganization });
    const configuration = () => productConfigurationFor(emulator, "provisioning");
    const stack = useSharedStack(`taken-names-${adapter}`, configuration, { adapter });

    const projects =
      (names: Names, options: pulumi.CustomResourceOptions = {}, more = {}): Program =>
      () => {
        for (const [resource, name] of Object.entries(names)) {
          new trivium.provisioning.Project(resource, { organization, name, ...more }, options);
        }
      };
    const idOf = (name: string) => projectsIn(emulator).find((each) => each.name === name)?.id ?? "";

    it("a creation whose name another resource gives up in the same update names that resource, and recommends dependsOn or another update", async () => {
      await stack.up(projects({ former: "payments" }));
      const id = idOf("payments");
      emulator.faults.add({ method: "PATCH", delay: "3s", times: 1 });
      const names = { former: "billing", next: "payments" };
      const text = await failureOf(stack.up(projects(names)));
      assert.ok(text.includes(`provisioning:Project already exists (id ${id})`), text);
      const advice =
        'The resource "former" of this program manages it. If "former" gives it up in the same update, make this ' +
        "resource depend on it (`dependsOn`), or run `pulumi up` again.";
      assert.ok(text.includes(advice), text);
      await stack.up(projects(names));
      assert.deepEqual(
        projectsIn(emulator).map(({ name }) => name),
        ["billing", "payments"],
      );
    });

    it("a resource that takes another one's name in the same update names the other one", async () => {
      emulator.faults.add({
        method: "PATCH",
        path: `/api/v2/projects/${idOf("billing")}`,
        delay: "3s",
        times: 1,
      });
      const names = { former: "shipping", next: "billing" };
      const text = await failureOf(stack.up(projects(names)));
      const other = `provisioning:Project ${idOf("shipping")} already has this name.`;
      assert.ok(text.includes("Name has already been taken"), text);
      assert.ok(text.includes(other), text);
      assert.match(text, /If "former" gives it up in the same update, make this resource depend on it/);
      await stack.up(projects(names));
    });

    it("a replacement of an object that retainOnDelete keeps fails with an explanation in each update, and succeeds with adopt", async () => {
      await stack.destroy();
      const options = (trigger: number) => ({ retainOnDelete: true, replacementTrigger: trigger });
      const names = { kept: "kept" };
      await stack.up(projects(names, options(1)));
      const id = idOf("kept");
      for (const trigger of [2, 3]) {
        const text = await failureOf(stack.up(projects(names, options(trigger))));
        assert.ok(text.includes(`already exists (id ${id})`), text);
        assert.match(text, /It is the object that this resource replaces: `retainOnDelete`.* keeps it\./);
      }
      await stack.up(projects(names, options(3), { adopt: true }));
      await stack.previewWithoutChanges(projects(names, options(3), { adopt: true }));
      assert.equal(idOf("kept"), id);
    });
  });
}
