import assert from "node:assert/strict";
import { inClear } from "../../contract/support/values";
import type { Properties } from "../../support/provider-process";
import type { Alteration, Exchange } from "../../support/proxy";
import { definitions } from "./library";
import type { ResourceCase, Values } from "../../cases/support/case";
import { changeOf, newStage } from "./stage";
import { type Outcome, outcomeOf, type World } from "./world";

/** The steps of a life that make requests. `get` reads an object that is not managed. */
export const steps = ["create", "get", "refresh", "update", "delete"] as const;

/** One of them. */
export type StepName = (typeof steps)[number];

/** What a step ended with, and what passed between library and service meanwhile. */
export interface StepResult {
  readonly outcome: Outcome;
  readonly exchanges: readonly Exchange[];
  /** What the program said before an update, and what of it an update changes. */
  readonly given: readonly Values[];
  /** What the object was before the step. */
  readonly before: { readonly id: string; readonly outputs: Properties };
}

/** Lives a life up to a step, with a service as it should be, and takes that step with one that alters its answers. */
export async function takeStep(
  world: World,
  resourceCase: ResourceCase,
  step: StepName,
  alter?: Alteration,
  settings: Readonly<Record<string, string>> = {},
): Promise<StepResult> {
  const { type } = resourceCase;
  const definition = definitions.get(type) ?? assert.fail(`there is no ${type}`);
  const { valid, change = {} } = await newStage(world.emulator, world.receiver, resourceCase);
  // Only the step in question is impatient.
  const usual = world.hooksOf(definition);
  const hooks = world.hooksOf(definition, settings);
  const take = async (name: StepName, work: () => Promise<Outcome>): Promise<StepResult> => {
    world.front.clear();
    world.front.after = name === step ? alter : undefined;
    const outcome = await work();
    const { exchanges } = world.front;
    return { outcome, exchanges: [...exchanges], given: [valid, change], before: { id, outputs } };
  };
  let id = "";
  let outputs: Properties = {};

  const inputs = await checked(usual, {}, valid);
  const created = await take("create", () => outcomeOf((step === "create" ? hooks : usual).create(inputs)));
  if (step === "create") {
    return created;
  }
  assert.equal(created.outcome.kind, "done", errorOf(created.outcome));
  ({ id = "", outputs = {} } = created.outcome as { id?: string; outputs?: Properties });
  switch (step) {
    case "get":
      return take(step, () => outcomeOf(hooks.read(id), true));
    case "refresh":
      return take(step, () => outcomeOf(hooks.read(id, outputs), true));
    case "update": {
      const news = await checked(hooks, inputs, { ...valid, ...change });
      return take(step, () => outcomeOf(hooks.update(id, outputs, news)));
    }
    case "delete":
      return take(step, () => outcomeOf(hooks.delete(id, outputs).then(() => undefined)));
  }
}

/** Which steps a case has: not every resource can be updated or got. */
export function stepsOf(resourceCase: ResourceCase, isGot: boolean): readonly StepName[] {
  return steps.filter(
    (step) => (step !== "update" || changeOf(resourceCase) !== undefined) && (step !== "get" || isGot),
  );
}

async function checked(
  hooks: ReturnType<World["hooksOf"]>,
  olds: Properties,
  args: Readonly<Record<string, unknown>>,
): Promise<Properties> {
  const { inputs, failures } = await hooks.check(olds, args as Properties);
  assert.deepEqual(failures, []);
  return inClear(inputs);
}

/** The message of a failed step, for assertions. */
export function errorOf(outcome: Outcome): string | undefined {
  return "error" in outcome ? outcome.error.message : undefined;
}
