import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator } from "pulumi-trivium/testing";
import { shortestSecret } from "../../../sdk/base/redactor";
import {
  allDialects,
  batchesOf,
  canAdopt,
  caseIn,
  type Change,
  type Dialect,
  dialectsOf,
  isOnWire,
  type ResourceCase,
  together,
  type Values,
} from "../../cases/support/case";
import { emulatedServices, emulatedTokens } from "../../cases/support/emulated-services";
import type { Need, TestServices } from "../../cases/support/test-services";
import { stepByStep } from "../../support/step-by-step";
import { type Adapter, describeWithAdapters, typeWith } from "./adapter";
import { nameIn, type Outcome } from "./outcome";
import { OperationFailed, type Program, useSharedStack } from "./shared-stack";
import { classes, optionsIn, TestedResource } from "./tested-resource";

export interface LifecycleTarget {
  readonly title: string;
  /** Whether they are real servers, where everything that was created must be deleted. */
  readonly real: boolean;
  readonly dialects: readonly Dialect[];
  readonly patience: number;
  /** @returns the reason why it is not available */
  missing(need: Need): string | undefined;
  open(dialect: Dialect): Promise<TestServices>;
}

let target: LifecycleTarget = {
  title: "over its lifecycle",
  real: false,
  dialects: allDialects,
  patience: 120_000,
  missing: () => undefined,
  open: async (dialect) =>
    emulatedServices(await startEmulator({ dialect, tokens: emulatedTokens }), { dialect, closes: true }),
};

/** Applies to cases that are described from now on. */
export function presentTarget(): LifecycleTarget {
  return target;
}

/** Must be called before the cases are loaded. */
export function useTarget(others: LifecycleTarget): void {
  target = others;
}

export function nameOf({ type }: ResourceCase): string {
  return type.replace(/[/:]/g, ".");
}

/** Each class has its own stack, whose documented dialect uses stack configuration, and each other dialect a provider. */
export function describeLifecycles(cases: readonly ResourceCase[]): void {
  // With several dialects, the programs are the same in all of them.
  const [dialect, ...others] = target.dialects;
  for (const resourceCase of cases) {
    const each = dialect === undefined || others.length > 0 ? resourceCase : caseIn(dialect, resourceCase);
    const [reason] = each.live.needs.flatMap((need) => target.missing(need) ?? []);
    describeWithAdapters(`${nameOf(each)} ${target.title}`, function (adapter) {
      this.timeout(target.patience);
      if (reason === undefined) {
        describeLifecycle(each, adapter);
      } else {
        it.skip(`${nameOf(each)} is left out: ${reason}`);
      }
    });
  }
}

type ArgsOf = (tested: TestedResource) => Values;

function describeLifecycle(resourceCase: ResourceCase, adapter: Adapter): void {
  const { canaries, drift, inPlace = false, namesRepeat = false, remains, vanish } = resourceCase;
  const resourceClass = classes.get(resourceCase.type) ?? assert.fail(resourceCase.type);
  const { arguments: known } = resourceClass.definition;
  const className = nameOf(resourceCase);
  const type = typeWith(adapter, resourceCase.type);
  const adopts = canAdopt(resourceClass.definition, target.dialects);
  const resources: TestedResource[] = [];
  let hasFailed = false;
  stepByStep();
  before(async () => {
    for (const dialect of dialectsOf(resourceCase).filter((each) => target.dialects.includes(each))) {
      const services = await target.open(dialect);
      resources.push(await TestedResource.prepare(services, resourceCase, `${className}-${dialect}`));
    }
  });
  const project = `lifecycle-of-${className.toLowerCase().replaceAll(".", "-")}`;
  const configuration = () => Object.assign({}, ...resources.map((each) => each.configuration)) as object;
  const stack = useSharedStack(project, configuration as Parameters<typeof useSharedStack>[1], { adapter });
  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });
  after(async () => {
    if (target.real && hasFailed) {
      await stack.destroy().catch(() => undefined);
      await Promise.all(resources.map((tested) => tested.clearAway()));
    }
    await Promise.all(resources.map(({ context }) => context.close()));
  });

  /** Adds a test; each needs the results of the previous ones. */
  const step = (title: string, take: () => Promise<unknown>, needs: readonly Need[] = []): void => {
    const [reason] = needs.flatMap((need) => target.missing(need) ?? []);
    if (reason === undefined) {
      it(`${className} ${title}`, take);
    } else {
      it.skip(`${className} ${title}; left out: ${reason}`);
    }
  };
  const program =
    (argsOf: ArgsOf = ({ args }) => args): Program =>
    () => {
      const optionsOf = optionsIn(resources);
      resources.forEach((tested) => tested.declare(optionsOf, argsOf(tested)));
    };
  const run = (wanted: Program, more: object = {}): Promise<Outcome> =>
    stack.up(wanted, { continueOnError: true, ...more });
  /** @param argsOf the arguments from now on. Default: the present ones */
  const up = (argsOf: ArgsOf = ({ args }) => args): Promise<Outcome> => {
    resources.forEach((tested) => (tested.args = argsOf(tested)));
    return run(program());
  };
  /** An update that fails. @returns the errors by names of resources */
  const refusedUp = async (): Promise<ReadonlyMap<string, string>> => {
    const failure = await run(program()).catch((error: unknown) => error);
    assert.ok(failure instanceof OperationFailed, "the update succeeded");
    return failure.outcome.errors;
  };
  /** A plan, which makes no request. */
  const plan = async (argsOf?: ArgsOf): Promise<Outcome> => {
    const requests = () => resources.map(({ context }) => context.requests?.());
    const before = requests();
    const outcome = await stack.preview(program(argsOf));
    assert.deepEqual(requests(), before, "a preview made requests");
    return outcome;
  };
  const assertUnchanged = async (argsOf?: ArgsOf): Promise<void> => {
    const { changes, text } = await plan(argsOf);
    assert.deepEqual(changes, {}, text);
  };
  /** Asserts that an operation has done the same with each resource. */
  const did = ({ steps, text }: Outcome, operation: string): void => {
    for (const { name } of resources) {
      const done = steps.get(name) ?? [];
      const last = done.some((each) => each.includes("replace")) ? "replace" : done.at(-1);
      assert.equal(last, operation, `${name}: ${text}`);
    }
  };
  const ids = async (): Promise<ReadonlyMap<string, string>> => {
    const found = await stack.idsByName(type);
    resources.forEach((tested) => tested.meet(found.get(tested.name)));
    return found;
  };
  const idsOfEach = async (): Promise<readonly string[]> => {
    const found = await ids();
    return resources.map(({ name }) => found.get(name) ?? assert.fail(`${name} is not in state`));
  };
  /** Asserts how many objects the service has for each resource. */
  const assertPresent = async (count: number): Promise<void> => {
    await ids();
    for (const tested of resources) {
      await tested.assertPresent(count);
    }
  };
  /** Asserts one entry in state for each resource, and one object in the service. @returns their ids */
  const assertHeld = async (): Promise<readonly string[]> => {
    assert.equal((await stack.urns(type)).length, resources.length);
    await assertPresent(1);
    const entries = resourceCase.holds && (await stack.resourcesInClear(type));
    for (const { context, name } of entries === undefined ? [] : resources) {
      const entry = entries?.find(({ urn }) => nameIn(urn) === name);
      await resourceCase.holds?.(context, entry?.outputs ?? {});
    }
    return idsOfEach();
  };
  /** Notes the objects that a destruction or a replacement has left behind, which must have been announced. */
  const left = ({ text }: Outcome): void => {
    const leaving = resources.filter(({ dialect }) => remains?.dialects.includes(dialect));
    leaving.forEach((tested) => (tested.abandoned += 1));
    if (remains?.announced !== undefined) {
      const announcements = text.replace(/\s+/g, " ").split(remains.announced).length - 1;
      assert.ok(announcements >= leaving.length, text);
    }
  };
  const eachWithId = async (act: (tested: TestedResource, id: string) => unknown): Promise<void> => {
    const found = await idsOfEach();
    for (const [index, tested] of resources.entries()) {
      await act(tested, found[index] ?? "");
    }
  };
  const assertShown = ({ text }: Outcome, pattern: (name: string) => RegExp, names: readonly string[]) =>
    resources.forEach(({ name }) =>
      names.forEach((argument) => assert.match(shownOf(text, name), pattern(argument))),
    );

  step("is created as its first plan shows, and then a plan shows no change, without a request", async () => {
    did(await plan(), "create");
    did(await up(), "create");
    await assertPresent(1);
    await assertUnchanged();
  });

  if (target.real && resourceCase.live.count === undefined) {
    it.skip(`${className} is not counted: the service's interface does not show it`);
  }

  step("shows no change after a refresh, nor in other spellings of the same values", async () => {
    const { changes, text } = await stack.refresh();
    assert.deepEqual(changes, {}, text);
    await assertUnchanged(({ args, context }) => ({ ...args, ...resourceCase.spellings?.(context) }));
  });

  // Secrets alone: beside other changes the engine's display omits them, since both values look alike to it.
  for (const changes of batchesOf(resourceCase, (argument) => known[argument]?.secret === true)) {
    const names = changes.map(({ argument }) => argument);
    const replaces = changes.some((change) => change.replaces === true);
    const keepsId = !replaces || changes.some((change) => change.keepsId === true);
    const isRemote = ({ argument }: Change): boolean => isOnWire(known[argument]);
    const take = async (): Promise<void> => {
      const before = await idsOfEach();
      const former = resources.map(fieldsOf);
      const outcome = await up(({ args, context }) => ({ ...args, ...together(changes, context) }));
      did(outcome, replaces ? "replace" : "update");
      if (replaces) {
        left(outcome);
      }
      assertShown(outcome, (name) => new RegExp(`[~+-] ${name}\\b`), names);
      await assertPresent(1);
      await eachWithId((tested, id) => {
        const index = resources.indexOf(tested);
        assert.equal(id === before[index], keepsId);
        const moved = fieldsOf(tested).filter((field) => former[index]?.includes(field) !== true);
        const sent = replaces || target.real ? 0 : changes.filter(isRemote).length;
        assert.ok(moved.length >= sent, `${moved.length} fields of the object have changed, not ${sent}`);
      });
    };
    const needs = changes.flatMap((change) => change.needs ?? []);
    step(`is ${replaces ? "replaced" : "updated in place"} with ${names.join(", ")}`, take, needs);
  }

  if (drift !== undefined) {
    step(`shows in a refresh that ${drift.argument} was changed in the service, and repairs it`, async () => {
      await eachWithId(({ context }, id) => drift.cause(context, id));
      const refreshed = await stack.refresh();
      did(refreshed, "update");
      assertShown(refreshed, (name) => new RegExp(`~(?:\\w+,)*${name}\\b`), [drift.argument]);
      resources.forEach(({ name }) => assert.doesNotMatch(shownOf(refreshed.text, name), /__/));
      did(await up(), "update");
    });
  }

  // The engine creates and deletes in either order, in different processes; the object must exist once afterwards.
  const kept = adopts || inPlace ? "kept" : "created again";
  let renames = 0;
  const rename = (): number => {
    renames += 1;
    resources.forEach((tested) => (tested.name = `${className}-${tested.dialect}-${renames}`));
    return renames;
  };
  const move = (): void =>
    resources.forEach((tested) => (tested.provider = `${tested.dialect}-provider-${renames}`));
  const upRenamed = async (adopt = adopts): Promise<void> => {
    const before = await assertHeld();
    rename();
    const outcome = await run(program(({ args }) => (adopt ? { ...args, adopt } : args)));
    if (!adopt && !inPlace) {
      left(outcome);
    }
    const after = await assertHeld();
    if (adopt) {
      assert.deepEqual(after, before, outcome.text);
    }
  };
  if (namesRepeat) {
    step("is created again when it is renamed without adopt", () => upRenamed(false));
  } else if (adopts) {
    step("is refused when it is renamed without adopt, and nothing is lost", async () => {
      const before = await assertHeld();
      const names = resources.map(({ name }) => name);
      rename();
      // The engine then goes on to delete what the program no longer declares.
      const errors = await refusedUp();
      resources.forEach((tested, index) => {
        const former = names[index] ?? "";
        assert.match(errors.get(tested.name) ?? "", /already exists \(id /);
        const reason = `was not deleted: the resource "${tested.name}" of this program could not be created`;
        assert.ok(errors.get(former)?.includes(reason), errors.get(former));
        tested.name = former;
      });
      assert.deepEqual(await assertHeld(), before);
    });
  }
  step(`is ${kept} when it is renamed`, () => upRenamed());
  step("is left alone when it moves to another provider of the same service", async () => {
    const before = await assertHeld();
    move();
    const { changes, text } = await run(program(), { refresh: true });
    assert.deepEqual(changes, {}, text);
    assert.deepEqual(await assertHeld(), before);
  });
  step(`is ${kept} when it is renamed and moves`, async () => {
    renames += 1;
    move();
    await upRenamed();
    await stack.previewWithoutChanges(program(), { refresh: true });
  });
  step("is there once when it is replaced by hand", async () => {
    const outcome = await run(program(), { replace: await stack.urns(type) });
    did(outcome, "replace");
    if (!inPlace) {
      left(outcome);
    }
    await assertHeld();
  });

  const cleared = resourceCase.cleared.filter((name) =>
    resourceCase.changes.every(
      ({ argument, needs }) =>
        argument !== name || needs === undefined || target.missing(needs) === undefined,
    ),
  );
  if (cleared.length > 0) {
    step(`clears, visibly, what is removed from the program: ${cleared.join(", ")}`, async () => {
      const outcome = await up(({ args }) => without(args, cleared));
      did(outcome, "update");
      assertShown(outcome, (name) => new RegExp(`- ${name}\\b`), cleared);
    });
  }
  step("shows no change after all these, nor after a refresh", async () => {
    await assertUnchanged();
    await stack.previewWithoutChanges(program(), { refresh: true });
  });

  if (vanish !== undefined) {
    step("is created again after it was deleted in the service", async () => {
      await eachWithId(({ context }, id) => vanish(context, id));
      did(await stack.refresh(), "delete");
      did(await up(), "create");
      await assertPresent(1);
    });
  }

  if (adopts) {
    const title = "is adopted after the stack has lost it, and refused as a duplicate where names are unique";
    step(title, async () => {
      const found = await idsOfEach();
      await stack.forgetResources((resource) => resource.type === type);
      if (!namesRepeat) {
        const errors = await refusedUp();
        resources.forEach(({ name }, index) => {
          const shown = errors.get(name) ?? "";
          assert.ok(shown.includes(`already exists (id ${found[index]})`), shown);
          assert.match(shown, /set `adopt: true`/i);
        });
      }
      await run(program(({ args }) => ({ ...args, adopt: true })));
      assert.deepEqual(await idsOfEach(), found);
      await assertUnchanged();
      await assertPresent(1);
    });
  }

  const get = resourceClass.get?.bind(resourceClass);
  if (get !== undefined) {
    step("can be read without being managed", async () => {
      const found = await idsOfEach();
      const seen: (readonly Values[])[] = [];
      const { steps } = await run(() => {
        const optionsOf = optionsIn(resources);
        resources.forEach((tested, index) => {
          const read = get(`${tested.name}-read`, found[index] ?? "", optionsOf(tested));
          const outputs = [tested.declare(optionsOf), read].map(outputsOf);
          pulumi.output(outputs).apply((values) => (seen[index] = values));
        });
      });
      for (const [index, { name, args, dialect }] of resources.entries()) {
        assert.deepEqual([steps.get(name), steps.get(`${name}-read`)], [undefined, ["read"]]);
        const { untold = [], untoldByDocuments = [] } = resourceCase;
        const unreadable = [...untold, ...(dialect === "documented" ? untoldByDocuments : [])];
        const readable = Object.keys(args).filter(
          (argument) => !unreadable.includes(argument) && known[argument]?.unreported !== "always",
        );
        const [managed = {}, read = {}] = seen[index] ?? [];
        readable.forEach((argument) => assert.deepEqual(read[argument], managed[argument], argument));
      }
    });
  }

  step(
    "leaves nothing behind when the stack is destroyed, and has never shown a secret in clear",
    async () => {
      left(await stack.destroy());
      await assertPresent(0);
      assert.deepEqual(await ids(), new Map());
      const shown = stack.output + (await stack.state());
      const tokens = resources.flatMap(({ context }) => Object.values(context.connection)).map(tokenOf);
      for (const secret of [...canaries, ...tokens.filter(isRecognizable)]) {
        assert.ok(!shown.includes(secret), target.real ? "a secret was shown" : `${secret} was shown`);
      }
    },
  );
}

/** The fields of the objects that an emulator has for a resource, with their values. */
function fieldsOf({ context }: TestedResource): readonly string[] {
  return (context.objects?.() ?? []).flatMap((object, index) =>
    Object.entries(object).map(([name, value]) => `${index} ${name} ${JSON.stringify(value)}`),
  );
}

/** What the CLI shows of a resource. @param name its name, which must not occur in other output */
function shownOf(text: string, name: string): string {
  const [outside = "", ...blocks] = text.split(/^(?= *\S*\s?\S+: \([a-z-]+\))/m);
  const about = blocks.filter((block) => block.split("\n").some((line) => line.endsWith(`::${name}]`)));
  return [...about, ...outside.split("\n").filter((line) => line.includes(` ${name} `))].join("\n");
}

function outputsOf(resource: pulumi.CustomResource): Values {
  const outputs = Object.entries(resource).filter(([name]) => !name.startsWith("__") && name !== "urn");
  return Object.fromEntries(outputs);
}

function without(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

function tokenOf(settings: object): string {
  return "token" in settings && typeof settings.token === "string" ? settings.token : "";
}

/** Short secrets and plain words, such as the token `root`, also occur in normal output. */
function isRecognizable(secret: string): boolean {
  return secret.length >= shortestSecret && !/^\p{L}+$/u.test(secret);
}
