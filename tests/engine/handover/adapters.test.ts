import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { canAdopt } from "../../cases/support/case";
import { emulatedTokens as tokens } from "../../cases/support/emulated-services";
import { services } from "../../support/proxy";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { connectionTo } from "../support/configuration";
import { useReceiver } from "../support/receiver";
import { OperationFailed, type Program, useSharedStack } from "../support/shared-stack";
import { TestedResource } from "../support/tested-resource";

/** A provider of the plugin and its successor of the dynamic resources are two entries in state until all have moved. */
describe("a resource of every class in a component with an explicit provider, once the plugin has written it", function () {
  this.timeout(240_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, dialect: "hashicorp", tokens });
  const receiver = useReceiver();
  const stack = useSharedStack("explicit-adapters", () => ({ "trivium:dialect": "hashicorp" }));
  let members: readonly TestedResource[];
  before(async () => (members = await TestedResource.prepareAll(emulator, "hashicorp", receiver)));

  const program =
    (fails = false): Program =>
    () => {
      const settings = Object.assign({}, ...services.map((each) => connectionTo(emulator, each))) as object;
      const providers = [new trivium.Provider("explicit", settings)];
      const parent = new pulumi.ComponentResource("tests:Team", "team", {}, { providers });
      for (const member of members) {
        const adopt = canAdopt(member.resourceClass.definition, ["hashicorp"]) && member.name.endsWith("-1");
        member.declare({ parent }, adopt ? { ...member.args, adopt } : member.args);
      }
      if (fails) {
        new trivium.provisioning.Project("refused", { organization: "nobody", name: "refused" }, { parent });
      }
    };
  /** In the service, of those that it can delete. */
  const assertPresent = async (count: number): Promise<void> => {
    for (const member of members) {
      if (member.resourceCase.leftByDeletion?.hashicorp === undefined) {
        await member.assertPresent(count);
      }
    }
  };

  it("a resource that the plugin has written is still managed after an update with dynamic resources that renames it and fails", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program());
    await stack.useAdapter("dynamic");
    members.forEach((member) => (member.name += "-1"));
    await assert.rejects(stack.up(program(true)), OperationFailed);
    await stack.refresh();
    await stack.up(program());
    await assertPresent(1);
    assert.match(await stack.library("use-dynamic"), /no longer lists the plugin/);
    assert.deepEqual((await stack.refresh()).changes, {});
    await stack.previewWithoutChanges(program());
  });

  it("a resource that the plugin has written is deleted with the stack after an update that renames it and fails", async () => {
    await stack.useAdapter("plugin");
    await stack.up(program());
    await stack.useAdapter("dynamic");
    await assert.rejects(stack.up(program(true)), OperationFailed);
    await stack.destroy();
    await assertPresent(0);
    assert.deepEqual(await stack.resources(), []);
  });
});
