import assert from "node:assert/strict";
import { inClear } from "../contract/support/values";
import { definitions } from "../hostile/support/library";
import { resourceCases } from "../hostile/support/resource-cases";
import { newScene, type Scene } from "../hostile/support/scene";
import { outcomeOf, World } from "../hostile/support/world";
import type { Properties } from "../support/provider-process";

/** How somebody deletes what the library itself does not delete. */
const deletions: Readonly<Record<string, (scene: Scene) => void>> = {
  "provisioning:AdminOrganization": ({ emulator, organization }) =>
    emulator.provisioning.removeOrganization(organization),
  "provisioning:ProjectWorkspaces": ({ emulator, project }) => emulator.provisioning.removeProject(project),
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

  for (const [type, { valid, change, extras }] of Object.entries(resourceCases)) {
    if (change === undefined || lasting.includes(type)) {
      continue;
    }
    it(`says to refresh: ${type}`, async () => {
      const definition = definitions.get(type) ?? assert.fail(`there is no ${type}`);
      const scene = await newScene(world.emulator, extras);
      const hooks = world.hooksOf(definition);
      const made = await outcomeOf(hooks.create(valid(scene) as Properties));
      assert.ok(made.kind === "done" && made.id !== undefined && made.outputs !== undefined);
      const { id, outputs } = made;
      const remove = deletions[type];
      if (remove === undefined) {
        await world.hooksOf(definition).delete(id, outputs);
      } else {
        remove(scene);
      }
      const news = { ...valid(scene), ...change(scene) } as Properties;
      const outcome = await outcomeOf(world.hooksOf(definition).update(id, outputs, inClear(news)));
      assert.ok(outcome.kind === "failed", outcome.kind);
      assert.match(outcome.error.message, /no longer exists.*Run `pulumi refresh`: the next `pulumi up`/);
    });
  }
});
