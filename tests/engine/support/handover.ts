import assert from "node:assert/strict";
import type { Values } from "../../cases/support/case";
import type { Life } from "./life";
import { nameIn } from "./outcome";
import type { Subject } from "./subject";

/** Adds steps in which the engine creates and deletes in either order, in different processes; the object must exist once afterwards. */
export function handOver(life: Life): void {
  const { lifecycle, type, adopt, subjects } = life;
  const { inPlace = false, namesRepeat = false } = lifecycle;
  const step = life.step.bind(life);
  /** Otherwise renaming the resource replaces the object. */
  const keepsObject = adopt || inPlace;

  /** Asserts one entry in state for each resource, and one object in the service. */
  const present = async (): Promise<ReadonlyMap<string, string>> => {
    const found = await life.ids();
    const urns = await life.stack.urns(type);
    assert.equal(urns.length, subjects.length, urns.join(", "));
    const entries = lifecycle.holds && (await life.stack.resourcesInClear(type));
    await life.each(async (subject) => {
      assert.ok(found.has(subject.name), `${subject.name} is not in state`);
      await subject.assertPresent(1);
      const entry = entries?.find(({ urn }) => nameIn(urn) === subject.name);
      await lifecycle.holds?.(subject.context, entry?.outputs ?? {});
    });
    return found;
  };
  const idsOfEach = async (): Promise<readonly (string | undefined)[]> => {
    const found = await present();
    return subjects.map(({ name }) => found.get(name));
  };
  /** @param mayAdopt whether the program sets `adopt`; default: where the class has it */
  const rename = async (alter: (subject: Subject) => void, mayAdopt = adopt): Promise<void> => {
    const before = await idsOfEach();
    subjects.forEach((subject) => {
      subject.rename();
      alter(subject);
    });
    const outcome = await life.up(({ args }) => (mayAdopt ? { ...args, adopt: true } : args));
    subjects.forEach((subject) => (subject.args = withoutAdopt(subject.args)));
    if (!mayAdopt && !inPlace) {
      life.left(outcome);
    }
    const after = await idsOfEach();
    if (mayAdopt) {
      assert.deepEqual(after, before, outcome.text);
    }
  };

  if (namesRepeat) {
    step("is made again when it is renamed without adopt", () => rename(() => undefined, false));
  } else if (adopt) {
    step("is refused when it is renamed without adopt, and nothing is lost", async () => {
      const before = await present();
      const names = subjects.map(({ name }) => name);
      subjects.forEach((subject) => subject.rename());
      // The engine then goes on to delete what the program no longer declares.
      const errors = await life.refusedUp();
      subjects.forEach((subject, index) => {
        const former = names[index] ?? assert.fail();
        const created = new RegExp(
          `was not deleted: the resource "${subject.name}" of this program could not be created`,
        );
        assert.match(errors.get(subject.name) ?? "", /already exists \(id /);
        assert.match(errors.get(former) ?? "", created);
        subject.name = former;
      });
      assert.deepEqual(await present(), before);
    });
  }

  step(`is ${keepsObject ? "kept" : "made again"} when it is renamed`, () => rename(() => undefined));

  step("is left alone when it moves to another provider of the same service", async () => {
    const before = await present();
    subjects.forEach((subject) => subject.move());
    const { steps } = await life.take("up after a refresh");
    await life.each(({ name }) => {
      assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }]);
    });
    assert.deepEqual(await present(), before);
  });

  step(`is ${keepsObject ? "kept" : "made again"} when it is renamed and moves`, async () => {
    await rename((subject) => subject.move());
    await life.refreshed();
  });

  step("is there once when it is replaced by hand", async () => {
    const outcome = await life.replace();
    life.did(outcome, "replace");
    if (!inPlace) {
      life.left(outcome);
    }
    await present();
  });
}

function withoutAdopt({ adopt, ...args }: Values): Values {
  return args;
}
