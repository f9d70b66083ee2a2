import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { batchesOf, type Change, type ResourceCase, together, type Values } from "../../cases/support/case";
import type { Need } from "../../cases/support/world";
import { type Adapter, presentAdapters, typeWith } from "./adapter";
import { describeHandover } from "./handover";
import { isRecognizable, shownOf } from "./outcome";
import { type Outcome, OperationFailed, type OperationOptions, useStack } from "./stack";
import { classOf, configurationFrom, each, Subject } from "./subject";
import { presentWorlds, type Worlds } from "./worlds";

/** One stack for the whole life: the documented dialect uses stack configuration, each other dialect a provider. */
export function describeLifecycle(lifecycle: ResourceCase): void {
  presentAdapters().forEach((adapter) => describeLifeWith(adapter, lifecycle));
}

function describeLifeWith(adapter: Adapter, lifecycle: ResourceCase): void {
  const worlds = presentWorlds();
  const { remains, drift, live } = lifecycle;
  const resourceClass = classOf(lifecycle);
  const { arguments: known } = resourceClass.definition;
  const className = lifecycle.type.replace(/[/:]/g, ".");
  const type = typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${lifecycle.type}`);
  const adopt = "adopt" in known;

  const title = adapter === "dynamic" ? worlds.title : `${worlds.title}, with the plugin`;
  describe(`${className} ${title}`, function () {
    this.timeout(worlds.patience);

    const [reason] = reasonsAgainst(live.needs, worlds);
    if (reason !== undefined) {
      it.skip(`is left out: ${reason}`);
      return;
    }

    const subjects: Subject[] = [];
    before(async () => {
      for (const dialect of worlds.dialects) {
        subjects.push(await Subject.prepare(await worlds.open(dialect), lifecycle));
      }
    });
    const stack = useStack(
      `engine-${className.toLowerCase().replaceAll(".", "-")}`,
      () => configurationFrom(subjects),
      { adapter },
    );
    const forEach = (check: (subject: Subject) => unknown): Promise<void> => each(subjects, check);

    const program = (argsOf: (subject: Subject) => Values) => () => {
      subjects.forEach((subject) => subject.declare(argsOf(subject)));
    };
    const presentArgs = ({ args }: Subject): Values => args;
    const up = async (
      change: (subject: Subject) => Values = presentArgs,
      options?: OperationOptions,
    ): Promise<Outcome> => {
      subjects.forEach((subject) => (subject.args = change(subject)));
      return stack.up(program(presentArgs), options);
    };
    const withoutRequest = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
      const before = subjects.map(({ context }) => context.requests?.());
      const result = await operation();
      const after = subjects.map(({ context }) => context.requests?.());
      assert.deepEqual(after, before, "a preview makes no request");
      return result;
    };
    const unchanged = async (argsOf = presentArgs): Promise<void> => {
      await withoutRequest(() => stack.previewWithoutChanges(program(argsOf)));
    };
    const refreshed = async (): Promise<void> => {
      const { steps } = await stack.previewWithoutChanges(program(presentArgs), { refresh: true });
      await forEach(({ name }) => {
        assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }]);
      });
    };
    const didEach = ({ changes, text }: Outcome, operation: string): void => {
      assert.deepEqual(changes, { [operation]: subjects.length }, text);
    };
    const isRemote = ({ argument }: Change): boolean => {
      const { role = "remote", place } = known[argument] ?? {};
      return role === "remote" && place !== "library";
    };
    const ids = async (): Promise<ReadonlyMap<string, string>> => {
      const found = await stack.idsByName(type);
      subjects.forEach((subject) => subject.meet(found.get(subject.name)));
      return found;
    };
    const present = async (count: number): Promise<void> => {
      await ids();
      await forEach((subject) => subject.assertPresent(count));
    };
    const left = ({ text }: Outcome): void => {
      const leaving = subjects.filter(({ dialect }) => remains?.dialects.includes(dialect));
      leaving.forEach((subject) => (subject.abandoned += 1));
      if (remains?.announced !== undefined) {
        const announcements = text.replace(/\s+/g, " ").split(remains.announced).length - 1;
        assert.ok(announcements >= leaving.length, text);
      }
    };

    let failed: string | undefined;

    after(async () => {
      if (worlds.real && failed !== undefined) {
        await stack.destroy().catch(() => undefined);
        await Promise.all(subjects.map((subject) => subject.clearAway()));
      }
      await Promise.all(subjects.map(({ context }) => context.close()));
    });

    /** Each step needs the results of the previous ones. */
    const step = (title: string, take: () => Promise<unknown>, needs: readonly Need[] = []): void => {
      const [reason] = reasonsAgainst(needs, worlds);
      if (reason !== undefined) {
        it.skip(`${title}; left out: ${reason}`);
        return;
      }
      it(title, async () => {
        assert.ok(failed === undefined, `not tried, because an earlier step failed: ${failed}`);
        failed = title;
        await take();
        failed = undefined;
      });
    };

    step("shows in the first plan what it will make, and makes no request", async () => {
      const { changes } = await withoutRequest(() => stack.preview(program(presentArgs)));
      assert.deepEqual(changes, { create: 1 + sum(subjects.map(({ resources }) => resources)) });
    });

    step("is created", async () => {
      const { changes } = await up();
      assert.deepEqual(changes, { create: 1 + sum(subjects.map(({ resources }) => resources)) });
      await present(1);
    });

    if (worlds.real && live.count === undefined) {
      it.skip("is counted in the service; left out: the service's interface does not show it");
    }

    step("then shows no change, and a plan makes no request", () => unchanged());

    step("shows no change after a refresh, nor in other spellings of the same values", async () => {
      const { changes, text } = await stack.refresh();
      assert.deepEqual(changes, {}, text);
      await unchanged(({ args, context }) => ({
        ...args,
        ...lifecycle.spellings?.(context),
      }));
    });

    // Secrets alone: beside other changes the engine's display omits them, since both values look alike to it.
    for (const changes of batchesOf(lifecycle, (argument) => known[argument]?.secret === true)) {
      const names = changes.map(({ argument }) => argument);
      const replaces = changes.some((change) => change.replaces === true);
      const keepsId = !replaces || changes.some((change) => change.keepsId === true);
      const take = async (): Promise<void> => {
        const before = await ids();
        const former = subjects.map((subject) => subject.objectFields());
        const outcome = await up(({ args, context }) => ({
          ...args,
          ...together(changes, context),
        }));
        didEach(outcome, replaces ? "replace" : "update");
        if (replaces) {
          left(outcome);
        }
        const after = await ids();
        await forEach(async (subject) => {
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
      step(
        `shows in a refresh that ${drift.argument} was changed in the service, and repairs it`,
        async () => {
          const found = await ids();
          await forEach(({ context, name }) => drift.cause(context, idOf(found, name)));
          const refreshed = await stack.refresh();
          didEach(refreshed, "update");
          await forEach(({ name }) => {
            const shown = shownOf(refreshed.text, name);
            assert.match(shown, new RegExp(`~(?:\\w+,)*${drift.argument}\\b`));
            assert.doesNotMatch(shown, /__/);
          });
          didEach(await up(), "update");
        },
      );
    }
    describeHandover({ lifecycle, type, adopt, subjects, stack, step, up, ids, refreshed, left });

    if (lifecycle.cleared.length > 0) {
      step(`clears, visibly, what is removed from the program: ${lifecycle.cleared.join(", ")}`, async () => {
        const outcome = await up(({ args }) => without(args, lifecycle.cleared));
        didEach(outcome, "update");
        await forEach(({ name }) => {
          const shown = shownOf(outcome.text, name);
          lifecycle.cleared.forEach((each) => assert.match(shown, new RegExp(`- ${each}\\b`)));
        });
      });
    }
    step("shows no change after all these, nor after a refresh", async () => {
      await unchanged();
      await refreshed();
    });

    if (lifecycle.vanish !== undefined) {
      step("is made again after it was deleted in the service", async () => {
        const found = await ids();
        await forEach(({ context, name }) => lifecycle.vanish?.(context, idOf(found, name)));
        didEach(await stack.refresh(), "delete");
        didEach(await up(), "create");
        await present(1);
      });
    }

    if (adopt) {
      step(
        "is adopted after the stack has lost it, and refused as a duplicate where names are unique",
        async () => {
          const found = await ids();
          await stack.forgetResources();
          if (lifecycle.namesRepeat !== true) {
            await assert.rejects(up(presentArgs, { continueOnError: true }), (error) => {
              assert.ok(error instanceof OperationFailed);
              for (const id of found.values()) {
                assert.match(error.text, new RegExp(`already exists \\(id ${id}\\)`));
              }
              assert.match(error.text, /set `adopt: true`/i);
              return true;
            });
          }
          await up(({ args }) => ({ ...args, adopt: true }));
          assert.deepEqual(await ids(), found);
          await unchanged(({ args }) => without(args, ["adopt"]));
          await present(1);
        },
      );
    }

    const get = resourceClass.get?.bind(resourceClass);
    if (get !== undefined) {
      step("can be read without being managed", async () => {
        const found = await ids();
        const seen = new Map<string, { readonly managed: Values; readonly read: Values }>();
        const { steps } = await stack.up(() => {
          const declared = subjects.map((subject) => {
            const { managed, read } = subject.declareRead(get, idOf(found, subject.name));
            const outputs = { managed: outputsOf(managed), read: outputsOf(read) };
            pulumi.output(outputs).apply((values) => seen.set(subject.name, values));
            return [subject.name, outputs] as const;
          });
          return Object.fromEntries(declared);
        });
        await forEach(({ name, nameRead, args, dialect }) => {
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
            (argument) => !unreadable.has(argument) && known[argument]?.writeOnly !== true,
          );
          const { managed, read } = seen.get(name) ?? assert.fail("the program has not seen it");
          assert.deepEqual(pick(read, readable), pick(managed, readable));
        });
      });
    }

    step("leaves nothing behind when the stack is destroyed", async () => {
      left(await stack.destroy());
      await present(0);
      assert.deepEqual(await ids(), new Map());
    });

    step("has never shown a secret in clear", async () => {
      const shown = stack.output + (await stack.state());
      const tokens = subjects.flatMap((subject) => subject.tokens).filter(isRecognizable);
      for (const secret of [...lifecycle.canaries, ...tokens]) {
        assert.ok(!shown.includes(secret), worlds.real ? "a secret was shown" : `${secret} was shown`);
      }
    });
  });
}

function reasonsAgainst(needs: readonly Need[], worlds: Worlds): readonly string[] {
  return needs.flatMap((need) => worlds.missing(need) ?? []);
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
