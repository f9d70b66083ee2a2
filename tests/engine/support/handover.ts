import assert from "node:assert/strict";
import type { Values } from "../../cases/support/case";
import type { ClassLifecycle } from "./class-lifecycle";
import { nameIn } from "./outcome";
import type { TestedResource } from "./tested-resource";

/** Adds steps in which the engine creates and deletes in either order, in different processes; the object must exist once afterwards. */
export function handOver(lifecycle: ClassLifecycle): void {
  const { resourceCase, type, adopt, resources } = lifecycle;
  const { inPlace = false, namesRepeat = false } = resourceCase;
  const step = lifecycle.step.bind(lifecycle);
  /** Otherwise renaming the resource replaces the object. */
  const keepsObject = adopt || inPlace;

  /** Asserts one entry in state for each resource, and one object in the service. */
  const present = async (): Promise<ReadonlyMap<string, string>> => {
    const found = await lifecycle.ids();
    const urns = await lifecycle.stack.urns(type);
    assert.equal(urns.length, resources.length, urns.join(", "));
    const entries = resourceCase.holds && (await lifecycle.stack.resourcesInClear(type));
    await lifecycle.each(async (tested) => {
      assert.ok(found.has(tested.name), `${tested.name} is not in state`);
      await tested.assertPresent(1);
      const entry = entries?.find(({ urn }) => nameIn(urn) === tested.name);
      await resourceCase.holds?.(tested.context, entry?.outputs ?? {});
    });
    return found;
  };
  const idsOfEach = async (): Promise<readonly (string | undefined)[]> => {
    const found = await present();
    return resources.map(({ name }) => found.get(name));
  };
  /** @param mayAdopt whether the program sets `adopt`; default: where the class has it */
  const rename = async (alter: (tested: TestedResource) => void, mayAdopt = adopt): Promise<void> => {
    const before = await idsOfEach();
    resources.forEach((tested) => {
      tested.rename();
      alter(tested);
    });
    const outcome = await lifecycle.up(({ args }) => (mayAdopt ? { ...args, adopt: true } : args));
    resources.forEach((tested) => (tested.args = withoutAdopt(tested.args)));
    if (!mayAdopt && !inPlace) {
      lifecycle.left(outcome);
    }
    const after = await idsOfEach();
    if (mayAdopt) {
      assert.deepEqual(after, before, outcome.text);
    }
  };

  if (namesRepeat) {
    step("is created again when it is renamed without adopt", () => rename(() => undefined, false));
  } else if (adopt) {
    step("is refused when it is renamed without adopt, and nothing is lost", async () => {
      const before = await present();
      const names = resources.map(({ name }) => name);
      resources.forEach((tested) => tested.rename());
      // The engine then goes on to delete what the program no longer declares.
      const errors = await lifecycle.refusedUp();
      resources.forEach((tested, index) => {
        const former = names[index] ?? assert.fail();
        const created = new RegExp(
          `was not deleted: the resource "${tested.name}" of this program could not be created`,
        );
        assert.match(errors.get(tested.name) ?? "", /already exists \(id /);
        assert.match(errors.get(former) ?? "", created);
        tested.name = former;
      });
      assert.deepEqual(await present(), before);
    });
  }

  step(`is ${keepsObject ? "kept" : "created again"} when it is renamed`, () => rename(() => undefined));

  step("is left alone when it moves to another provider of the same service", async () => {
    const before = await present();
    resources.forEach((tested) => tested.move());
    const { steps } = await lifecycle.up(undefined, true);
    await lifecycle.each(({ name }) => {
      assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }]);
    });
    assert.deepEqual(await present(), before);
  });

  step(`is ${keepsObject ? "kept" : "created again"} when it is renamed and moves`, async () => {
    await rename((tested) => tested.move());
    await lifecycle.refreshed();
  });

  step("is there once when it is replaced by hand", async () => {
    const outcome = await lifecycle.up(undefined, false, await lifecycle.stack.urns(type));
    lifecycle.did(outcome, "replace");
    if (!inPlace) {
      lifecycle.left(outcome);
    }
    await present();
  });
}

function withoutAdopt({ adopt, ...args }: Values): Values {
  return args;
}
