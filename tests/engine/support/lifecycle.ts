import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  batchesOf,
  caseIn,
  type Change,
  isOnWire,
  type ResourceCase,
  together,
  type Values,
} from "../../cases/support/case";
import { type Adapter, presentAdapters } from "./adapter";
import { handOver } from "./handover";
import { Life } from "./life";
import { isRecognizable, shownOf } from "./outcome";
import { SharedStack } from "./shared-stack";
import { useStack } from "./stack";
import { classOf, configurationFrom } from "./subject";
import { presentWorlds, type Worlds } from "./worlds";

/**
 * All classes live in one stack, whose documented dialect uses stack configuration, and each other dialect a provider.
 * On real servers each has its own. `TRIVIUM_CLASSES=secrets.mfa.TotpMethod,provisioning.Project` selects classes.
 */
export function describeLifecycles(cases: readonly ResourceCase[]): void {
  const worlds = presentWorlds();
  const named = process.env.TRIVIUM_CLASSES?.split(",");
  for (const adapter of presentAdapters()) {
    const title = adapter === "dynamic" ? worlds.title : `${worlds.title}, with the plugin`;
    const [dialect, ...others] = worlds.dialects;
    const lives = cases
      .map((each) => (dialect === undefined || others.length > 0 ? each : caseIn(dialect, each)))
      .map((each) => lifeOf(each, worlds, adapter))
      .filter(({ name }) => named?.includes(name) !== false);
    for (const group of worlds.real ? lives.map((life) => [life]) : [lives]) {
      const [first, second] = group;
      const titleOf = (life: Life | undefined): string => `${life?.name} ${title}`;
      describe(second === undefined ? titleOf(first) : "together,", function () {
        // A step waits for the steps of others.
        this.timeout(worlds.patience * group.length);
        useSharedStack(group, worlds, adapter);
        for (const life of group) {
          if (second === undefined) {
            life.describeSteps();
          } else {
            describe(titleOf(life), () => life.describeSteps());
          }
        }
      });
    }
  }
}

/** The lives begin before the first test of the calling suite. */
export function useSharedStack(lives: readonly Life[], worlds: Worlds, adapter: Adapter): void {
  if (lives.length === 0 || lives.some(({ reason }) => reason !== undefined)) {
    return;
  }
  const subjects = () => lives.flatMap((life) => life.subjects);
  before(async () => {
    for (const dialect of worlds.dialects) {
      const opened = await worlds.open(dialect, lives.length);
      for (const [index, world] of opened.entries()) {
        await lives[index]?.prepare(world);
      }
    }
  });
  const project = `lives-of-${lives.length}-${lives[0]?.name.toLowerCase().replaceAll(".", "-")}`;
  const stack = useStack(project, () => configurationFrom(subjects()), { adapter });
  before(() => {
    const shared = new SharedStack(stack);
    lives.forEach((life) => life.join(shared));
    lives.forEach((life) => life.start());
  });
  after(async () => {
    if (worlds.real && lives.some(({ failed }) => failed !== undefined)) {
      await stack.destroy().catch(() => undefined);
      await Promise.all(subjects().map((subject) => subject.clearAway()));
    }
    await Promise.all(subjects().map(({ context }) => context.close()));
  });
}

function lifeOf(lifecycle: ResourceCase, worlds: Worlds, adapter: Adapter): Life {
  const life = new Life(lifecycle, worlds, adapter);
  const { subjects, adopt } = life;
  const { drift } = lifecycle;
  const resourceClass = classOf(lifecycle);
  const { arguments: known } = resourceClass.definition;
  const step = life.step.bind(life);
  const isRemote = ({ argument }: Change): boolean => isOnWire(known[argument]);

  step("shows in the first plan what it will make, and makes no request", async () => {
    const plan = await life.take("preview");
    life.did(plan, "create");
    life.assertSilent(plan.requests);
  });

  step("is created", async () => {
    life.did(await life.up(), "create");
    await life.present(1);
  });

  if (worlds.real && lifecycle.live.count === undefined) {
    life.leaveOut("is counted in the service", "the service's interface does not show it");
  }

  step("then shows no change, and a plan makes no request", () => life.unchanged());

  step("shows no change after a refresh, nor in other spellings of the same values", async () => {
    const { changes, text } = await life.take("refresh");
    assert.deepEqual(changes, {}, text);
    await life.unchanged(({ args, context }) => ({ ...args, ...lifecycle.spellings?.(context) }));
  });

  // Secrets alone: beside other changes the engine's display omits them, since both values look alike to it.
  for (const changes of batchesOf(lifecycle, (argument) => known[argument]?.secret === true)) {
    const names = changes.map(({ argument }) => argument);
    const replaces = changes.some((change) => change.replaces === true);
    const keepsId = !replaces || changes.some((change) => change.keepsId === true);
    const take = async (): Promise<void> => {
      const before = await life.ids();
      const former = subjects.map((subject) => subject.objectFields());
      const outcome = await life.up(({ args, context }) => ({ ...args, ...together(changes, context) }));
      life.did(outcome, replaces ? "replace" : "update");
      if (replaces) {
        life.left(outcome);
      }
      const after = await life.ids();
      await life.each(async (subject) => {
        const shown = shownOf(outcome.text, subject.name);
        names.forEach((name) => assert.match(shown, new RegExp(`[~+-] ${name}\\b`)));
        await subject.assertPresent(1);
        assert.equal(after.get(subject.name) === before.get(subject.name), keepsId);
        if (!replaces && subject.context.objects !== undefined) {
          const now = subject.objectFields();
          const moved = [...(former[subjects.indexOf(subject)] ?? [])].filter(
            ([field, value]) => now.get(field) !== value,
          );
          const sent = changes.filter(isRemote).length;
          assert.ok(moved.length >= sent, `${moved.length} fields of the object have changed, not ${sent}`);
        }
      });
    };
    step(
      `is ${replaces ? "replaced" : "updated in place"} with ${names.join(", ")}`,
      take,
      changes.flatMap(({ needs = [] }) => needs),
    );
  }

  if (drift !== undefined) {
    step(`shows in a refresh that ${drift.argument} was changed in the service, and repairs it`, async () => {
      const found = await life.ids();
      await life.each(({ context, name }) => drift.cause(context, idOf(found, name)));
      const refreshed = await life.take("refresh");
      life.did(refreshed, "update");
      await life.each(({ name }) => {
        const shown = shownOf(refreshed.text, name);
        assert.match(shown, new RegExp(`~(?:\\w+,)*${drift.argument}\\b`));
        assert.doesNotMatch(shown, /__/);
      });
      life.did(await life.up(), "update");
    });
  }
  handOver(life);

  const isGiven = (name: string): boolean =>
    lifecycle.changes.every(
      ({ argument, needs }) =>
        argument !== name || needs === undefined || worlds.missing(needs) === undefined,
    );
  const cleared = lifecycle.cleared.filter(isGiven);
  if (cleared.length > 0) {
    step(`clears, visibly, what is removed from the program: ${cleared.join(", ")}`, async () => {
      const outcome = await life.up(({ args }) => without(args, cleared));
      life.did(outcome, "update");
      await life.each(({ name }) => {
        const shown = shownOf(outcome.text, name);
        cleared.forEach((each) => assert.match(shown, new RegExp(`- ${each}\\b`)));
      });
    });
  }
  step("shows no change after all these, nor after a refresh", async () => {
    await life.unchanged();
    await life.refreshed();
  });

  if (lifecycle.vanish !== undefined) {
    step("is made again after it was deleted in the service", async () => {
      const found = await life.ids();
      await life.each(({ context, name }) => lifecycle.vanish?.(context, idOf(found, name)));
      life.did(await life.take("refresh"), "delete");
      life.did(await life.up(), "create");
      await life.present(1);
    });
  }

  if (adopt) {
    step(
      "is adopted after the stack has lost it, and refused as a duplicate where names are unique",
      async () => {
        const found = await life.ids();
        await life.take("forget");
        if (lifecycle.namesRepeat !== true) {
          const errors = await life.refusedUp();
          await life.each(({ name }) => {
            assert.match(errors.get(name) ?? "", new RegExp(`already exists \\(id ${idOf(found, name)}\\)`));
            assert.match(errors.get(name) ?? "", /set `adopt: true`/i);
          });
        }
        await life.up(({ args }) => ({ ...args, adopt: true }));
        assert.deepEqual(await life.ids(), found);
        await life.unchanged(({ args }) => without(args, ["adopt"]));
        await life.present(1);
      },
    );
  }

  const get = resourceClass.get?.bind(resourceClass);
  if (get !== undefined) {
    step("can be read without being managed", async () => {
      const found = await life.ids();
      const seen = new Map<string, { readonly managed: Values; readonly read: Values }>();
      const { steps } = await life.read((providers) => {
        const declared = subjects.map((subject) => {
          const { managed, read } = subject.declareRead(get, idOf(found, subject.name), providers);
          const outputs = { managed: outputsOf(managed), read: outputsOf(read) };
          pulumi.output(outputs).apply((values) => seen.set(subject.name, values));
          return [subject.name, outputs] as const;
        });
        return Object.fromEntries(declared);
      });
      await life.each(({ name, nameRead, args, dialect }) => {
        assert.deepEqual(
          [steps.get(name), steps.get(nameRead)?.map(({ operation }) => operation)],
          [undefined, ["read"]],
        );
        const { untold = [], untoldByDocuments = [] } = lifecycle;
        const unreadable = new Set([
          "adopt",
          ...untold,
          ...(dialect === "documented" ? untoldByDocuments : []),
        ]);
        const readable = Object.keys(args).filter(
          (argument) => !unreadable.has(argument) && known[argument]?.unreported !== "always",
        );
        const { managed, read } = seen.get(name) ?? assert.fail("the program has not seen it");
        assert.deepEqual(pick(read, readable), pick(managed, readable));
      });
    });
  }

  step("leaves nothing behind when the stack is destroyed", async () => {
    life.left(await life.take("destroy"));
    await life.present(0);
    assert.deepEqual(await life.ids(), new Map());
  });

  step("has never shown a secret in clear", async () => {
    const { stack } = life;
    const shown = stack.output + (await stack.state());
    const tokens = subjects.flatMap((subject) => subject.tokens).filter(isRecognizable);
    for (const secret of [...lifecycle.canaries, ...tokens]) {
      assert.ok(!shown.includes(secret), worlds.real ? "a secret was shown" : `${secret} was shown`);
    }
  });
  return life;
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  return ids.get(name) ?? assert.fail("there is no such resource in state");
}

function outputsOf(resource: pulumi.CustomResource): Values {
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => !name.startsWith("__") && name !== "urn"),
  );
}

function without(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([each]) => !names.includes(each)));
}

function pick(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
