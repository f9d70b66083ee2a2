import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { placedCases } from "../../cases";
import { canAdopt, caseIn } from "../../cases/support/case";
import { emulatedTokens as tokens, emulatedServices } from "../../cases/support/emulated-services";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { connectionTo } from "../support/configuration";
import { useReceiver } from "../support/receiver";
import { OperationFailed, type Program, useSharedStack } from "../support/shared-stack";
import { each, TestedResource } from "../support/tested-resource";

/** A provider of the plugin and its successor of the dynamic resources are two entries in state until all have moved. */
describe("a resource of every class in a component with an explicit provider, once the plugin has written it", function () {
  this.timeout(240_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, dialect: "hashicorp", tokens });
  const receiver = useReceiver();
  const stack = useSharedStack("explicit-adapters", () => ({ "trivium:dialect": "hashicorp" }));
  const members: TestedResource[] = [];

  before(async () => {
    const marks = placedCases.map((_case, index) => `mark${index + 1}q`);
    for (const [index, { resourceCase }] of placedCases.entries()) {
      const mark = marks[index] ?? "";
      const others = marks.filter((other) => other !== mark);
      const services = emulatedServices(emulator, { dialect: "hashicorp", mark, others, receiver });
      members.push(
        await TestedResource.prepare(
          services,
          caseIn("hashicorp", resourceCase),
          resourceCase.type.replace(/[/:]/g, "-"),
        ),
      );
    }
  });

  const program =
    (fails = false): Program =>
    () => {
      const services = ["provisioning", "secrets", "scheduler"] as const;
      const settings = Object.assign(
        {},
        ...services.map((service) => connectionTo(emulator, service)),
      ) as object;
      const providers = [new trivium.Provider("explicit", settings)];
      const parent = new pulumi.ComponentResource("tests:Team", "team", {}, { providers });
      for (const { name, args, resourceClass } of members) {
        const adopt = canAdopt(resourceClass.definition, ["hashicorp"]) && name.endsWith("-1");
        new resourceClass(name, adopt ? { ...args, adopt } : args, { parent });
      }
      if (fails) {
        new trivium.provisioning.Project("refused", { organization: "nobody", name: "refused" }, { parent });
      }
    };
  /** In the service, of those that it can delete. */
  const present = (count: number): Promise<void> =>
    each(
      members.filter(({ resourceCase: { remains } }) => remains?.dialects.includes("hashicorp") !== true),
      (member) => member.assertPresent(count),
    );

  it("a resource that the plugin has written is still managed after an update with dynamic resources that renames it and fails", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program());
    await stack.useAdapter("dynamic");
    members.forEach((member) => member.rename());
    await assert.rejects(stack.up(program(true)), OperationFailed);
    await stack.refresh();
    await stack.up(program());
    await present(1);
    assert.match(await stack.library(["use-dynamic"]), /names no plugin/);
    assert.deepEqual((await stack.refresh()).changes, {});
    await stack.previewWithoutChanges(program());
  });

  it("a resource that the plugin has written is deleted with the stack after such an update", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program());
    await stack.useAdapter("dynamic");
    await assert.rejects(stack.up(program(true)), OperationFailed);
    await stack.destroy();
    await present(0);
    assert.deepEqual(await stack.resources(), []);
  });
});
