import assert from "node:assert/strict";
import { stepByStep } from "../../support/step-by-step";
import { canAdopt, dialectsOf, type ResourceCase, type Values } from "../../cases/support/case";
import type { Need } from "../../cases/support/test-services";
import { type Adapter, typeWith } from "./adapter";
import type { LifecycleTarget } from "./lifecycle-target";
import type { Outcome } from "./outcome";
import { OperationFailed, type Program, type SharedStack, useSharedStack } from "./shared-stack";
import { classOf, configurationFrom, each, Providers, TestedResource } from "./tested-resource";

type ArgsOf = (tested: TestedResource) => Values;
type Done = Outcome & {
  /** `NaN` for real servers. */
  readonly requests: number;
};

/** The lifecycle of a class with the real CLI: a resource for each dialect, in a stack of its own, step by step. */
export class ClassLifecycle {
  readonly name: string;
  /** As in state. */
  readonly type: string;
  /** Whether the class can adopt an existing object. */
  readonly adopt: boolean;
  readonly resources: TestedResource[] = [];
  readonly stack: SharedStack;
  private hasFailed = false;

  /** Prepares the stack before the first test of the calling suite. */
  constructor(
    readonly resourceCase: ResourceCase,
    private readonly target: LifecycleTarget,
    adapter: Adapter,
  ) {
    this.name = nameOf(resourceCase);
    this.type = typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${resourceCase.type}`);
    this.adopt = canAdopt(classOf(resourceCase).definition, target.dialects);
    stepByStep();
    before(async () => {
      for (const dialect of dialectsOf(resourceCase).filter((each) => target.dialects.includes(each))) {
        const services = await target.open(dialect);
        const name = `${this.name}-${dialect}`;
        this.resources.push(await TestedResource.prepare(services, resourceCase, name));
      }
    });
    const project = `lifecycle-of-${this.name.toLowerCase().replaceAll(".", "-")}`;
    this.stack = useSharedStack(project, () => configurationFrom(this.resources), { adapter });
    const note = (test: Mocha.Test | undefined): void => {
      this.hasFailed ||= test?.state === "failed";
    };
    afterEach(function () {
      note(this.currentTest);
    });
    after(async () => {
      if (target.real && this.hasFailed) {
        await this.stack.destroy().catch(() => undefined);
        await Promise.all(this.resources.map((tested) => tested.clearAway()));
      }
      await Promise.all(this.resources.map(({ context }) => context.close()));
    });
  }

  /** Adds a test; each needs the results of the previous ones. */
  step(title: string, take: () => Promise<unknown>, needs: readonly Need[] = []): void {
    const [reason] = needs.flatMap((need) => this.target.missing(need) ?? []);
    if (reason === undefined) {
      it(`${this.name} ${title}`, take);
    } else {
      this.leaveOut(title, reason);
    }
  }

  leaveOut(title: string, reason: string): void {
    it.skip(`${this.name} ${title}; left out: ${reason}`);
  }

  /** @param argsOf of the resources in the program. Default: the present ones */
  preview(argsOf?: ArgsOf, refresh = false): Promise<Done> {
    return this.operate(() => this.stack.preview(this.program(argsOf), { refresh }));
  }

  /** @param argsOf the arguments from now on. Default: the present ones */
  up(argsOf: ArgsOf = ({ args }) => args, refresh = false, replace: readonly string[] = []): Promise<Done> {
    this.resources.forEach((tested) => (tested.args = argsOf(tested)));
    return this.run(this.program(), refresh, replace);
  }

  run(program: Program, refresh = false, replace: readonly string[] = []): Promise<Done> {
    return this.operate(() =>
      this.stack.up(program, { continueOnError: true, refresh, replace: [...replace] }),
    );
  }

  refresh(): Promise<Done> {
    return this.operate(() => this.stack.refresh());
  }

  destroy(): Promise<Done> {
    return this.operate(() => this.stack.destroy());
  }

  /** Removes its resources from state, not their objects. */
  async forget(): Promise<void> {
    const urns = await this.stack.urns(this.type);
    await this.stack.forgetResources(({ urn }) => urns.includes(urn));
  }

  /** An update that fails. @returns the errors by names of resources */
  async refusedUp(): Promise<ReadonlyMap<string, string>> {
    const failure = await this.up().then(
      () => assert.fail("the update succeeded"),
      (error: unknown) => error,
    );
    assert.ok(failure instanceof OperationFailed, String(failure));
    return failure.outcome.errors;
  }

  /** Asserts that a plan shows no change, and makes no request. */
  async unchanged(argsOf?: ArgsOf): Promise<void> {
    const { changes, requests, text } = await this.preview(argsOf);
    assert.deepEqual(changes, {}, text);
    this.assertSilent(requests);
  }

  /** Asserts that a refresh and the plan after it show no change. */
  async refreshed(): Promise<void> {
    const { steps, text } = await this.preview(undefined, true);
    await this.each(({ name }) => {
      assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }], text);
    });
  }

  assertSilent(requests: number): void {
    assert.ok(this.target.real || requests === 0, `a preview made ${requests} requests`);
  }

  /** Asserts that an operation has done the same with each resource, and nothing else. */
  did({ steps, text }: Done, operation: string): void {
    const done = this.resources.map(({ name }) => {
      const operations = (steps.get(name) ?? []).map((step) => step.operation);
      return operations.some((step) => step.includes("replace")) ? "replace" : operations.at(-1);
    });
    assert.deepEqual(
      done,
      this.resources.map(() => operation),
      text,
    );
  }

  /** The ids of its resources by their names. */
  async ids(): Promise<ReadonlyMap<string, string>> {
    const found = await this.stack.idsByName(this.type);
    this.resources.forEach((tested) => tested.meet(found.get(tested.name)));
    return found;
  }

  /** Asserts how many objects the service has for each resource. */
  async present(count: number): Promise<void> {
    await this.ids();
    await this.each((tested) => tested.assertPresent(count));
  }

  /** Notes the objects that a destruction or a replacement has left behind, which must have been announced. */
  left({ text }: Done): void {
    const { remains } = this.resourceCase;
    const leaving = this.resources.filter(({ dialect }) => remains?.dialects.includes(dialect));
    leaving.forEach((tested) => (tested.abandoned += 1));
    if (remains?.announced !== undefined) {
      const announcements = text.replace(/\s+/g, " ").split(remains.announced).length - 1;
      assert.ok(announcements >= leaving.length, text);
    }
  }

  each(check: (tested: TestedResource) => unknown): Promise<void> {
    return each(this.resources, check);
  }

  private program(argsOf: ArgsOf = ({ args }) => args): Program {
    return () => {
      const providers = new Providers(this.resources);
      this.resources.forEach((tested) => tested.declaration(argsOf(tested))(providers));
    };
  }

  private async operate(operation: () => Promise<Outcome>): Promise<Done> {
    const count = (): number =>
      this.resources.reduce((sum, { context }) => sum + (context.requests?.() ?? Number.NaN), 0);
    const before = count();
    const outcome = await operation();
    return { ...outcome, requests: count() - before };
  }
}

export function nameOf({ type }: ResourceCase): string {
  return type.replace(/[/:]/g, ".");
}
