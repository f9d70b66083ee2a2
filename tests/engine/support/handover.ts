import assert from "node:assert/strict";
import type { ResourceCase, Values } from "../../cases/support/case";
import { type Outcome, OperationFailed, type OperationOptions, type TestStack } from "./stack";
import { each, type Subject } from "./subject";

export interface Life {
  readonly lifecycle: ResourceCase;
  readonly type: string;
  /** Whether the class can adopt an existing object. */
  readonly adopt: boolean;
  readonly subjects: readonly Subject[];
  readonly stack: TestStack;
  readonly step: (title: string, take: () => Promise<unknown>) => void;
  readonly up: (change?: (subject: Subject) => Values, options?: OperationOptions) => Promise<Outcome>;
  readonly ids: () => Promise<ReadonlyMap<string, string>>;
  /** Asserts that a refresh and the plan after it show no change. */
  readonly refreshed: () => Promise<void>;
  readonly left: (outcome: Outcome) => void;
}

/** The engine creates and deletes in either order, in different processes; the object must exist once afterwards. */
export function describeHandover(life: Life): void {
  const { lifecycle, type, adopt, subjects, stack, step, up, ids, refreshed, left } = life;
  const { inPlace = false, namesRepeat = false } = lifecycle;
  /** Otherwise renaming the resource replaces the object. */
  const keepsObject = adopt || inPlace;

  /** Asserts one entry in state for each resource, and one object in the service. */
  const present = async (): Promise<ReadonlyMap<string, string>> => {
    const found = await ids();
    const urns = await stack.urns(type);
    assert.equal(urns.length, subjects.length, urns.join(", "));
    await each(subjects, async (subject) => {
      assert.ok(found.has(subject.name), `${subject.name} is not in state`);
      await subject.assertPresent(1);
    });
    if (lifecycle.holds !== undefined) {
      const entries = await stack.resources(type);
      await each(subjects, async ({ name, context }) => {
        const entry = entries.find(({ urn }) => urn.endsWith(`::${name}`));
        await lifecycle.holds?.(context, entry?.outputs ?? assert.fail(`${name} is not in state`));
      });
    }
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
    const outcome = await up(({ args }) => (mayAdopt ? { ...args, adopt: true } : args));
    subjects.forEach((subject) => (subject.args = withoutAdopt(subject.args)));
    if (!mayAdopt && !inPlace) {
      left(outcome);
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
      await assert.rejects(up(undefined, { continueOnError: true }), (error) => {
        assert.ok(error instanceof OperationFailed);
        assert.match(error.text, /already exists \(id /);
        assert.match(error.text, /was not deleted: the resource "\S+" of this program could not be created/);
        return true;
      });
      subjects.forEach((subject, index) => (subject.name = names[index] ?? assert.fail()));
      assert.deepEqual(await present(), before);
    });
  }

  step(`is ${keepsObject ? "kept" : "made again"} when it is renamed`, () => rename(() => undefined));

  step("is left alone when it moves to another provider of the same service", async () => {
    const before = await present();
    subjects.forEach((subject) => subject.move());
    const { steps } = await up(undefined, { refresh: true });
    await each(subjects, ({ name }) => {
      assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }]);
    });
    assert.deepEqual(await present(), before);
  });

  step(`is ${keepsObject ? "kept" : "made again"} when it is renamed and moves`, async () => {
    await rename((subject) => subject.move());
    await refreshed();
  });

  step("is there once when it is replaced by hand", async () => {
    const outcome = await up(undefined, { replace: await stack.urns(type) });
    assert.deepEqual(outcome.changes, { replace: subjects.length }, outcome.text);
    if (!inPlace) {
      left(outcome);
    }
    await present();
  });
}

function withoutAdopt({ adopt, ...args }: Values): Values {
  return args;
}
