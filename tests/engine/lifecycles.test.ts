import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { shortestSecret } from "../../sdk/base/redactor";
import type { JsonObject } from "../../sdk/base/json";
import { definitionIn, refusedReplacement } from "../../sdk/resource/definition";
import { textsWithin } from "../../sdk/resource/state/entry";
import { resourceCases } from "../cases";
import {
  batchesOf,
  canAdopt,
  allFieldsOf,
  caseIn,
  isReadable,
  keepsId,
  type Dialect,
  type ResourceCase,
  together,
  type Values,
} from "../cases/support/case";
import type { Need } from "../cases/support/test-services";
import { assertIssued, issuedIn } from "../support/issued";
import type { Properties } from "../support/provider-process";
import { stepByStep } from "../support/step-by-step";
import { inClear } from "../support/values";
import { type Adapter, describeWithAdapters, typeWith } from "./support/adapter";
import { presentTarget } from "./support/lifecycle-target";
import type { Outcome } from "./support/outcome";
import { OperationFailed, type Program, useSharedStack } from "./support/shared-stack";
import { classes, optionsIn, TestedResource } from "./support/tested-resource";

/**
 * One class a trait: it has all that classes have, changes an existing object, deletes before it creates, holds a secret
 * that no response shows, issues what expires. tests/lifecycles.test.ts runs every class in this process.
 */
const oneOfEachTrait = new Map<string, Dialect>([
  ["provisioning.Project", "hashicorp"],
  ["provisioning.AdminOrganization", "documented"],
  ["secrets.mfa.TotpSecret", "hashicorp"],
  ["secrets.directory.Config", "hashicorp"],
  ["secrets.scheduler.Token", "hashicorp"],
]);

const target = presentTarget();
/** `TRIVIUM_CLASSES=secrets.mfa.PushMethod,provisioning.Project` selects classes, `TRIVIUM_CLASSES=all` every class. */
const named = process.env.TRIVIUM_CLASSES?.split(",") ?? (target.real ? ["all"] : []);

/** Each class has its own stack in each dialect. The documented dialect uses stack configuration, the other a provider. */
for (const dialect of target.dialects) {
  for (const resourceCase of resourceCases.values()) {
    const name = resourceCase.type.replace(/[/:]/g, ".");
    const isNamed = named.length === 0 ? oneOfEachTrait.get(name) === dialect : named.includes(name);
    if (!resourceCase.dialects.includes(dialect) || !(isNamed || named.includes("all"))) {
      continue;
    }
    const [reason] = resourceCase.live.needs.flatMap((need) => target.missing(need) ?? []);
    const where = target.real ? "" : ` in the ${dialect} dialect`;
    describeWithAdapters(`${name} ${target.title}${where}`, function (adapter) {
      this.timeout(target.patience);
      if (reason === undefined) {
        describeLifecycle(name, caseIn(dialect, resourceCase), dialect, adapter);
      } else {
        it.skip(`${name} is left out: ${reason}`);
      }
    });
  }
}

function describeLifecycle(
  className: string,
  resourceCase: ResourceCase,
  dialect: Dialect,
  adapter: Adapter,
): void {
  const { changes, drift, live, managesExisting, namesRepeat } = resourceCase;
  const resourceClass = classes.get(resourceCase.type) ?? assert.fail(resourceCase.type);
  const { arguments: known } = resourceClass.definition;
  const fields = allFieldsOf(resourceClass.definition);
  const type = typeWith(adapter, resourceCase.type);
  const adopts = canAdopt(resourceClass.definition, [dialect]);
  const canaries = [...resourceCase.canaries];
  const issued = issuedIn(definitionIn(resourceClass.definition, dialect).outputs);
  const announced = resourceCase.leftByDeletion?.[dialect];
  let tested: TestedResource;
  let hasFailed = false;
  stepByStep();
  before(async () => {
    tested = await TestedResource.prepare(await target.open(dialect), resourceCase, className);
  });
  const project = `lifecycle-of-${dialect}-${className.toLowerCase().replaceAll(".", "-")}`;
  const stack = useSharedStack(project, () => tested.configuration, { adapter });
  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });
  after(async () => {
    if (target.real && hasFailed) {
      await stack.destroy().catch(() => undefined);
      await tested.clearAway();
    }
    await tested.context.close();
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
  /** Default: the present arguments. */
  const program =
    (args?: Values): Program =>
    () =>
      tested.declare(optionsIn([tested]), args);
  const run = (wanted: Program, more: object = {}): Promise<Outcome> =>
    stack.up(wanted, { continueOnError: true, ...more });
  /** @param args from now on */
  const up = (args = tested.args): Promise<Outcome> => {
    tested.args = args;
    return run(program());
  };
  /** A plan, which makes no request. */
  const plan = async (args?: Values, expectNoChanges = false): Promise<Outcome> => {
    const before = tested.context.requests?.();
    const outcome = await stack.preview(program(args), { expectNoChanges });
    assert.equal(tested.context.requests?.(), before, "a preview made requests");
    return outcome;
  };
  const did = ({ steps, text }: Outcome, operation: string): void => {
    const done = steps.get(tested.name) ?? [];
    assert.equal(done.some((each) => each.includes("replace")) ? "replace" : done.at(-1), operation, text);
  };
  /** What the CLI has shown of the resource. */
  const assertShown = ({ text }: Outcome, ...patterns: readonly string[]): void => {
    const shown = shownOf(text, tested.name);
    patterns.forEach((pattern) => assert.match(shown, new RegExp(pattern)));
    assert.doesNotMatch(shown, /__/);
  };
  const present = async (): Promise<string> => {
    const id = (await stack.idsByName(type)).get(tested.name) ?? assert.fail("it is not in state");
    tested.meet(id);
    return id;
  };
  const inState = async () => (await stack.resourcesInClear(type))[0] ?? assert.fail("it is not in state");
  /** Asserts one entry in state, and one object in the service. @returns its id */
  const held = async (): Promise<string> => {
    const id = await present();
    assert.equal((await stack.urns(type)).length, 1);
    await tested.assertPresent(1);
    const outputs = inClear(((await inState()).outputs ?? {}) as Properties);
    // Shorter texts and times are also in other output.
    const isSecret = (text: string): boolean => /^\S{20,}$/.test(text) && Number.isNaN(Date.parse(text));
    issued.forEach((name) => canaries.push(...textsWithin(outputs[name]).filter(isSecret)));
    const { emulator } = tested.context;
    if (emulator !== undefined) {
      assertIssued(emulator, issued, id, outputs);
    }
    return id;
  };
  /** Notes an object that a destruction or a replacement has left behind, which must have been announced. */
  const left = ({ text }: Outcome): void => {
    tested.abandoned += announced === undefined ? 0 : 1;
    assert.match(text.replace(/\s+/g, " "), announced ?? /(?:)/);
  };

  step("is created as its first plan shows, and then a plan shows no change, without a request", async () => {
    did(await plan(), "create");
    did(await up(), "create");
    await held();
    await plan(tested.args, true);
  });

  if (target.real && live.count === undefined) {
    it.skip(`${className} is not counted, because the service's API does not show it`);
  }

  step("shows no change after a refresh, nor in other spellings of the same values", async () => {
    const { changes, text } = await stack.refresh();
    assert.deepEqual(changes, {}, text);
    await plan({ ...tested.args, ...resourceCase.spellings?.(tested.context) }, true);
  });

  // Secrets alone: beside other changes the engine's display omits them, since both values look alike to it.
  for (const batch of batchesOf(resourceCase, (argument) => known[argument]?.secret === true)) {
    const names = batch.map(({ argument }) => argument);
    const replaces = batch.some((change) => change.replaces);
    const take = async (): Promise<void> => {
      const before = await present();
      const { outputs = {} } = await inState();
      const outcome = await up({ ...tested.args, ...together(batch, tested.context) });
      did(outcome, replaces ? "replace" : "update");
      if (replaces) {
        left(outcome);
      }
      assertShown(outcome, ...names.map((name) => `[~+-] ${name}\\b`));
      const isKept = names.every((name) => keepsId(resourceCase, name, before, outputs));
      assert.equal((await held()) === before, !replaces || isKept);
    };
    const needs = batch.flatMap((change) => change.needs ?? []);
    step(`is ${replaces ? "replaced" : "updated in place"} with ${names.join(", ")}`, take, needs);
  }

  if (drift !== undefined) {
    step(`shows in a refresh that ${drift.argument} was changed in the service, and repairs it`, async () => {
      await drift.cause(tested.context, await present());
      const refreshed = await stack.refresh();
      did(refreshed, "update");
      assertShown(refreshed, `[~+-](?:\\w+,)*${drift.argument}\\b`);
      did(await up(), "update");
    });
  }

  // The engine creates and deletes in either order, in different processes; the object must exist once afterwards.
  const kept = adopts || managesExisting ? "kept" : "created again";
  let renames = 0;
  const upRenamed = async (adopt = adopts): Promise<void> => {
    const before = await held();
    tested.name = `${className}-${++renames}`;
    const outcome = await run(program(adopt ? { ...tested.args, adopt } : tested.args));
    if (!adopt && !managesExisting) {
      left(outcome);
    }
    const after = await held();
    assert.ok(!adopt || after === before, outcome.text);
  };
  if (namesRepeat) {
    step("is created again when it is renamed without adopt", () => upRenamed(false));
  } else if (adopts) {
    step("is refused when it is renamed without adopt, and nothing is lost", async () => {
      const [before, former] = [await held(), tested.name];
      tested.name = `${className}-refused`;
      // The engine then goes on to delete what the program no longer declares.
      const failure: unknown = await run(program()).catch((error: unknown) => error);
      assert.ok(failure instanceof OperationFailed, "the update succeeded");
      const { errors } = failure.outcome;
      assert.ok(errors.get(tested.name)?.includes(`already exists (id ${before})`), failure.text);
      const reason = `was not deleted: this program's resource "${tested.name}" could not be created`;
      assert.ok(errors.get(former)?.includes(reason), errors.get(former));
      tested.name = former;
      assert.equal(await held(), before);
    });
  }
  step(`is ${kept} when it is renamed`, () => upRenamed());
  step(
    `is left alone when it moves to another provider of the same service, and ${kept} when it is renamed too`,
    async () => {
      const before = await held();
      tested.provider = "other-provider";
      const { steps, text } = await run(program(), { refresh: true });
      assert.deepEqual(steps.get(tested.name), ["refresh"], text);
      assert.equal(await held(), before);
      tested.provider = "third-provider";
      await upRenamed();
      await stack.previewWithoutChanges(program(), { refresh: true });
    },
  );
  step(
    "is there once when it is replaced by hand, or left alone where that would lose a secret",
    async () => {
      const replace = await stack.urns(type);
      const { __private: privateState = {}, ...outputs } = inClear(
        ((await inState()).outputs ?? {}) as Properties,
      );
      const former = { outputs, privateState: privateState as JsonObject };
      const refused = refusedReplacement(resourceClass.definition, former, tested.args as JsonObject);
      if (refused !== undefined) {
        const failure: unknown = await stack.up(program(), { replace }).catch((error: unknown) => error);
        assert.ok(failure instanceof OperationFailed, "the replacement succeeded");
        assert.ok(failure.text.replace(/\s+/g, " ").includes(refused), failure.text);
        await held();
        return;
      }
      const outcome = await run(program(), { replace });
      did(outcome, "replace");
      if (!managesExisting) {
        left(outcome);
      }
      await held();
    },
  );

  const isMissing = (name: string): boolean =>
    changes.some(({ argument, needs }) => argument === name && needs && target.missing(needs) !== undefined);
  const cleared = resourceCase.cleared.filter((name) => !isMissing(name));
  if (cleared.length > 0) {
    step(`clears, visibly, what is removed from the program: ${cleared.join(", ")}`, async () => {
      const args = Object.entries(tested.args).filter(([name]) => !cleared.includes(name));
      const removed = cleared.filter((name) => tested.args[name] !== undefined);
      const outcome = await up(Object.fromEntries(args));
      did(outcome, "update");
      assertShown(outcome, ...removed.map((name) => `- ${name}\\b`));
    });
  }
  step("shows no change after all these, nor after a refresh", async () => {
    await plan(tested.args, true);
    await stack.previewWithoutChanges(program(), { refresh: true });
  });

  if (resourceCase.deleteByHand !== undefined) {
    step("is created again after it was deleted in the service", async () => {
      await resourceCase.deleteByHand?.(tested.context, await present());
      did(await stack.refresh(), "delete");
      did(await up(), "create");
      await held();
    });
  }

  if (adopts) {
    step("is adopted after the stack has lost it", async () => {
      const before = await present();
      await stack.forgetResources((resource) => resource.type === type);
      await run(program({ ...tested.args, adopt: true }));
      assert.equal(await held(), before);
      await plan(tested.args, true);
    });
  }

  const get = resourceClass.get?.bind(resourceClass);
  if (get !== undefined) {
    step("can be read without being managed", async () => {
      const id = await present();
      let seen: readonly Values[] = [];
      const { steps } = await run(() => {
        const options = optionsIn([tested])(tested);
        const both = [tested.declare(options), get(`${tested.name}-read`, id, options)];
        pulumi.output(both.map(outputsOf)).apply((values) => (seen = values));
      });
      const done = [steps.get(tested.name), steps.get(`${tested.name}-read`)];
      assert.deepEqual(done, [undefined, ["read"]]);
      const [managed, read] = seen;
      for (const argument of Object.keys(tested.args)) {
        if (isReadable(fields[argument] ?? {}, read?.[argument])) {
          assert.deepEqual(read?.[argument] ?? null, managed?.[argument] ?? null, argument);
        }
      }
    });
  }

  step(
    "leaves nothing behind when the stack is destroyed, and has never shown a secret in plain text",
    async () => {
      left(await stack.destroy());
      await tested.assertPresent(0);
      assert.deepEqual(await stack.urns(type), []);
      const shown = stack.output + (await stack.state());
      const settings = Object.values(tested.context.connection) as readonly { readonly token?: string }[];
      // Short secrets and plain words, such as the token `root`, also occur in normal output.
      const tokens = settings
        .map(({ token = "" }) => token)
        .filter((token) => token.length >= shortestSecret && !/^\p{L}+$/u.test(token));
      for (const secret of [...canaries, ...tokens]) {
        assert.ok(!shown.includes(secret), target.real ? "a secret was shown" : `${secret} was shown`);
      }
    },
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
