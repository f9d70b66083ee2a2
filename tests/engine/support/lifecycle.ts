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
import { presentAdapters } from "./adapter";
import { handOver } from "./handover";
import { ClassLifecycle, nameOf } from "./class-lifecycle";
import { isRecognizable, shownOf } from "./outcome";
import { presentTarget } from "./lifecycle-target";
import { classOf, Providers } from "./tested-resource";

/** Each class has its own stack, whose documented dialect uses stack configuration, and each other dialect a provider. */
export function describeLifecycles(cases: readonly ResourceCase[]): void {
  const target = presentTarget();
  for (const adapter of presentAdapters()) {
    const title = adapter === "dynamic" ? target.title : `${target.title}, with the plugin`;
    // With several dialects, the programs are the same in all of them.
    const [dialect, ...others] = target.dialects;
    for (const resourceCase of cases) {
      const each = dialect === undefined || others.length > 0 ? resourceCase : caseIn(dialect, resourceCase);
      const [reason] = each.live.needs.flatMap((need) => target.missing(need) ?? []);
      describe(`${nameOf(each)} ${title}`, function () {
        this.timeout(target.patience);
        if (reason === undefined) {
          describeSteps(new ClassLifecycle(each, target, adapter));
        } else {
          it.skip(`${nameOf(each)} is left out: ${reason}`);
        }
      });
    }
  }
}

function describeSteps(lifecycle: ClassLifecycle): void {
  const { resourceCase, resources, adopt } = lifecycle;
  const target = presentTarget();
  const { drift } = resourceCase;
  const resourceClass = classOf(resourceCase);
  const { arguments: known } = resourceClass.definition;
  const step = lifecycle.step.bind(lifecycle);
  const isRemote = ({ argument }: Change): boolean => isOnWire(known[argument]);

  step("shows in the first plan what it will make, and makes no request", async () => {
    const plan = await lifecycle.preview();
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
    const { changes, text } = await lifecycle.refresh();
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
      const refreshed = await lifecycle.refresh();
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

  const isGiven = (name: string): boolean =>
    resourceCase.changes.every(
      ({ argument, needs }) =>
        argument !== name || needs === undefined || target.missing(needs) === undefined,
    );
  const cleared = resourceCase.cleared.filter(isGiven);
  if (cleared.length > 0) {
    step(`clears, visibly, what is removed from the program: ${cleared.join(", ")}`, async () => {
      const outcome = await lifecycle.up(({ args }) => without(args, cleared));
      lifecycle.did(outcome, "update");
      await lifecycle.each(({ name }) => {
        const shown = shownOf(outcome.text, name);
        cleared.forEach((each) => assert.match(shown, new RegExp(`- ${each}\\b`)));
      });
    });
  }
  step("shows no change after all these, nor after a refresh", async () => {
    await lifecycle.unchanged();
    await lifecycle.refreshed();
  });

  if (resourceCase.vanish !== undefined) {
    step("is created again after it was deleted in the service", async () => {
      const found = await lifecycle.ids();
      await lifecycle.each(({ context, name }) => resourceCase.vanish?.(context, idOf(found, name)));
      lifecycle.did(await lifecycle.refresh(), "delete");
      lifecycle.did(await lifecycle.up(), "create");
      await lifecycle.present(1);
    });
  }

  if (adopt) {
    step(
      "is adopted after the stack has lost it, and refused as a duplicate where names are unique",
      async () => {
        const found = await lifecycle.ids();
        await lifecycle.forget();
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
      const { steps } = await lifecycle.run(() => {
        const providers = new Providers(resources);
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
    lifecycle.left(await lifecycle.destroy());
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
