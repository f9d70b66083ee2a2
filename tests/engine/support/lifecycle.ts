import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  batchesOf,
  type Change,
  dialectsOf,
  isOnWire,
  type ResourceCase,
  together,
  type Values,
} from "../../cases/support/case";
import { type Adapter, presentAdapters } from "./adapter";
import { handOver } from "./handover";
import { ClassLifecycle } from "./class-lifecycle";
import { isRecognizable, shownOf } from "./outcome";
import { OperationQueue } from "./operation-queue";
import { useSharedStack } from "./shared-stack";
import { classOf, configurationFrom } from "./tested-resource";
import { presentTarget, type LifecycleTarget } from "./lifecycle-target";

/**
 * All classes live in one stack, whose documented dialect uses stack configuration, and each other dialect a provider.
 * On real servers each has its own. `TRIVIUM_CLASSES=secrets.mfa.TotpMethod,provisioning.Project` selects classes.
 */
export function describeLifecycles(cases: readonly ResourceCase[]): void {
  const target = presentTarget();
  const named = process.env.TRIVIUM_CLASSES?.split(",");
  for (const adapter of presentAdapters()) {
    const title = adapter === "dynamic" ? target.title : `${target.title}, with the plugin`;
    const lifecycles = cases
      .map((each) => lifecycleOf(each, target, adapter))
      .filter(({ name }) => named?.includes(name) !== false);
    for (const group of target.real ? lifecycles.map((lifecycle) => [lifecycle]) : [lifecycles]) {
      const [first, second] = group;
      const titleOf = (lifecycle: ClassLifecycle | undefined): string => `${lifecycle?.name} ${title}`;
      describe(second === undefined ? titleOf(first) : "together,", function () {
        // A step waits for the steps of others.
        this.timeout(target.patience * group.length);
        useOneStackForAll(group, target, adapter);
        for (const lifecycle of group) {
          if (second === undefined) {
            lifecycle.describeSteps();
          } else {
            describe(titleOf(lifecycle), () => lifecycle.describeSteps());
          }
        }
      });
    }
  }
}

/** The lifecycles begin before the first test of the calling suite. */
export function useOneStackForAll(
  lifecycles: readonly ClassLifecycle[],
  target: LifecycleTarget,
  adapter: Adapter,
): void {
  if (lifecycles.length === 0 || lifecycles.some(({ reason }) => reason !== undefined)) {
    return;
  }
  const resources = () => lifecycles.flatMap((lifecycle) => lifecycle.resources);
  before(async () => {
    for (const dialect of target.dialects) {
      const opened = await target.open(dialect, lifecycles.length);
      for (const [index, services] of opened.entries()) {
        const lifecycle = lifecycles[index];
        if (lifecycle !== undefined && dialectsOf(lifecycle.resourceCase).includes(dialect)) {
          await lifecycle.prepare(services);
        }
      }
    }
  });
  const project = `lifecycles-of-${lifecycles.length}-${lifecycles[0]?.name.toLowerCase().replaceAll(".", "-")}`;
  const stack = useSharedStack(project, () => configurationFrom(resources()), { adapter });
  before(() => {
    const shared = new OperationQueue(stack);
    lifecycles.forEach((lifecycle) => lifecycle.join(shared));
    lifecycles.forEach((lifecycle) => lifecycle.start());
  });
  after(async () => {
    if (target.real && lifecycles.some(({ failed }) => failed !== undefined)) {
      await stack.destroy().catch(() => undefined);
      await Promise.all(resources().map((tested) => tested.clearAway()));
    }
    await Promise.all(resources().map(({ context }) => context.close()));
  });
}

function lifecycleOf(resourceCase: ResourceCase, target: LifecycleTarget, adapter: Adapter): ClassLifecycle {
  const lifecycle = new ClassLifecycle(resourceCase, target, adapter);
  const { resources, adopt } = lifecycle;
  const { drift } = resourceCase;
  const resourceClass = classOf(resourceCase);
  const { arguments: known } = resourceClass.definition;
  const step = lifecycle.step.bind(lifecycle);
  const isRemote = ({ argument }: Change): boolean => isOnWire(known[argument]);

  step("shows in the first plan what it will make, and makes no request", async () => {
    const plan = await lifecycle.take("preview");
    lifecycle.did(plan, "create");
    lifecycle.assertSilent(plan.requests);
  });

  step("is created", async () => {
    lifecycle.did(await lifecycle.up(), "create");
    await lifecycle.present(1);
  });

  if (target.real && resourceCase.live.count === undefined) {
    lifecycle.leaveOut("is counted in the service", "the service's interface does not show it");
  }

  step("then shows no change, and a plan makes no request", () => lifecycle.unchanged());

  step("shows no change after a refresh, nor in other spellings of the same values", async () => {
    const { changes, text } = await lifecycle.take("refresh");
    assert.deepEqual(changes, {}, text);
    await lifecycle.unchanged(({ args, context }) => ({ ...args, ...resourceCase.spellings?.(context) }));
  });

  // Secrets alone: beside other changes the engine's display omits them, since both values look alike to it.
  for (const changes of batchesOf(resourceCase, (argument) => known[argument]?.secret === true)) {
    const names = changes.map(({ argument }) => argument);
    const replaces = changes.some((change) => change.replaces === true);
    const keepsId = !replaces || changes.some((change) => change.keepsId === true);
    const take = async (): Promise<void> => {
      const before = await lifecycle.ids();
      const former = resources.map((tested) => tested.objectFields());
      const outcome = await lifecycle.up(({ args, context }) => ({ ...args, ...together(changes, context) }));
      lifecycle.did(outcome, replaces ? "replace" : "update");
      if (replaces) {
        lifecycle.left(outcome);
      }
      const after = await lifecycle.ids();
      await lifecycle.each(async (tested) => {
        const shown = shownOf(outcome.text, tested.name);
        names.forEach((name) => assert.match(shown, new RegExp(`[~+-] ${name}\\b`)));
        await tested.assertPresent(1);
        assert.equal(after.get(tested.name) === before.get(tested.name), keepsId);
        if (!replaces && tested.context.objects !== undefined) {
          const now = tested.objectFields();
          const moved = [...(former[resources.indexOf(tested)] ?? [])].filter(
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
      const found = await lifecycle.ids();
      await lifecycle.each(({ context, name }) => drift.cause(context, idOf(found, name)));
      const refreshed = await lifecycle.take("refresh");
      lifecycle.did(refreshed, "update");
      await lifecycle.each(({ name }) => {
        const shown = shownOf(refreshed.text, name);
        assert.match(shown, new RegExp(`~(?:\\w+,)*${drift.argument}\\b`));
        assert.doesNotMatch(shown, /__/);
      });
      lifecycle.did(await lifecycle.up(), "update");
    });
  }
  handOver(lifecycle);

  if (resourceCase.cleared.length > 0) {
    step(
      `clears, visibly, what is removed from the program: ${resourceCase.cleared.join(", ")}`,
      async () => {
        const outcome = await lifecycle.up(({ args }) => without(args, resourceCase.cleared));
        lifecycle.did(outcome, "update");
        await lifecycle.each(({ name }) => {
          const shown = shownOf(outcome.text, name);
          resourceCase.cleared.forEach((each) => assert.match(shown, new RegExp(`- ${each}\\b`)));
        });
      },
    );
  }
  step("shows no change after all these, nor after a refresh", async () => {
    await lifecycle.unchanged();
    await lifecycle.refreshed();
  });

  if (resourceCase.vanish !== undefined) {
    step("is made again after it was deleted in the service", async () => {
      const found = await lifecycle.ids();
      await lifecycle.each(({ context, name }) => resourceCase.vanish?.(context, idOf(found, name)));
      lifecycle.did(await lifecycle.take("refresh"), "delete");
      lifecycle.did(await lifecycle.up(), "create");
      await lifecycle.present(1);
    });
  }

  if (adopt) {
    step(
      "is adopted after the stack has lost it, and refused as a duplicate where names are unique",
      async () => {
        const found = await lifecycle.ids();
        await lifecycle.take("forget");
        if (resourceCase.namesRepeat !== true) {
          const errors = await lifecycle.refusedUp();
          await lifecycle.each(({ name }) => {
            assert.match(errors.get(name) ?? "", new RegExp(`already exists \\(id ${idOf(found, name)}\\)`));
            assert.match(errors.get(name) ?? "", /set `adopt: true`/i);
          });
        }
        await lifecycle.up(({ args }) => ({ ...args, adopt: true }));
        assert.deepEqual(await lifecycle.ids(), found);
        await lifecycle.unchanged(({ args }) => without(args, ["adopt"]));
        await lifecycle.present(1);
      },
    );
  }

  const get = resourceClass.get?.bind(resourceClass);
  if (get !== undefined) {
    step("can be read without being managed", async () => {
      const found = await lifecycle.ids();
      const seen = new Map<string, { readonly managed: Values; readonly read: Values }>();
      const { steps } = await lifecycle.read((providers) => {
        const declared = resources.map((tested) => {
          const { managed, read } = tested.declareRead(get, idOf(found, tested.name), providers);
          const outputs = { managed: outputsOf(managed), read: outputsOf(read) };
          pulumi.output(outputs).apply((values) => seen.set(tested.name, values));
          return [tested.name, outputs] as const;
        });
        return Object.fromEntries(declared);
      });
      await lifecycle.each(({ name, nameRead, args, dialect }) => {
        assert.deepEqual(
          [steps.get(name), steps.get(nameRead)?.map(({ operation }) => operation)],
          [undefined, ["read"]],
        );
        const { untold = [], untoldByDocuments = [] } = resourceCase;
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
    lifecycle.left(await lifecycle.take("destroy"));
    await lifecycle.present(0);
    assert.deepEqual(await lifecycle.ids(), new Map());
  });

  step("has never shown a secret in clear", async () => {
    const { stack } = lifecycle;
    const shown = stack.output + (await stack.state());
    const tokens = resources.flatMap((tested) => tested.tokens).filter(isRecognizable);
    for (const secret of [...resourceCase.canaries, ...tokens]) {
      assert.ok(!shown.includes(secret), target.real ? "a secret was shown" : `${secret} was shown`);
    }
  });
  return lifecycle;
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
