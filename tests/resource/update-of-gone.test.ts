import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import type { Values } from "../cases/support/case";
import { inClear } from "../contract/support/values";
import { definitions } from "../hostile/support/library";
import { changeOf, newStage } from "../hostile/support/stage";
import { outcomeOf, World } from "../hostile/support/world";
import type { Emulator } from "../../sdk/testing";
import type { Properties } from "../support/provider-process";

/** How somebody deletes what the library itself does not delete. */
const deletions: Readonly<Record<string, (emulator: Emulator, args: Values) => void>> = {
  "provisioning:AdminOrganization": ({ provisioning }, { name }) =>
    provisioning.removeOrganization(String(name)),
  "provisioning:ProjectWorkspaces": ({ provisioning }, { projectId }) =>
    provisioning.removeProject(String(projectId)),
};

/** What stays when the resource is deleted, so that nobody can delete it: an update works. */
const lasting = [
  "provisioning:ModuleConsumers",
  "secrets/directory:RootRotation",
  "secrets/directory:StaticRoleRotation",
  "secrets/scheduler:Access",
];

describe("an update of an object that somebody has deleted", function () {
  this.timeout(30_000);

  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  for (const [type, resourceCase] of resourceCases) {
    if (changeOf(resourceCase) === undefined || lasting.includes(type)) {
      continue;
    }
    it(`says to refresh: ${type}`, async () => {
      const definition = definitions.get(type) ?? assert.fail(`there is no ${type}`);
      const { valid, change } = await newStage(world.emulator, world.receiver, resourceCase);
      const hooks = world.hooksOf(definition);
      const made = await outcomeOf(hooks.create(valid as Properties));
      assert.ok(made.kind === "done" && made.id !== undefined && made.outputs !== undefined);
      const { id, outputs } = made;
      const remove = deletions[type];
      if (remove === undefined) {
        await world.hooksOf(definition).delete(id, outputs);
      } else {
        remove(world.emulator, valid);
      }
      const news = { ...valid, ...change } as Properties;
      const outcome = await outcomeOf(world.hooksOf(definition).update(id, outputs, inClear(news)));
      assert.ok(outcome.kind === "failed", outcome.kind);
      assert.match(outcome.error.message, /no longer exists.*Run `pulumi refresh`: the next `pulumi up`/);
    });
  }
});
