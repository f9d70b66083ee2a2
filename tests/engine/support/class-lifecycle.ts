import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { canAdopt, type ResourceCase, type Values } from "../../cases/support/case";
import type { Need, TestServices } from "../../cases/support/test-services";
import { type Adapter, typeWith } from "./adapter";
import type { Declaration, Member, Operation, Part, OperationQueue, Task } from "./operation-queue";
import { OperationFailed, type SharedStack } from "./shared-stack";
import { classOf, each, type Providers, TestedResource } from "./tested-resource";
import type { LifecycleTarget } from "./lifecycle-target";

type ArgsOf = (tested: TestedResource) => Values;

interface Step {
  readonly title: string;
  readonly take: () => Promise<unknown>;
  /** Why it is left out. */
  readonly reason: string | undefined;
  result?: Promise<void>;
}

/** The lifecycle of a class in all dialects: steps that need each other, in a stack that other classes share. */
export class ClassLifecycle {
  readonly name: string;
  /** As in state. */
  readonly type: string;
  /** Whether the class can adopt an existing object. */
  readonly adopt: boolean;
  readonly resources: TestedResource[] = [];
  /** The step that has failed. */
  failed: string | undefined;
  private readonly steps: Step[] = [];
  private place: { readonly shared: OperationQueue; readonly member: Member } | undefined;

  constructor(
    readonly resourceCase: ResourceCase,
    private readonly target: LifecycleTarget,
    adapter: Adapter,
    /** Declares what else belongs to a resource, whose name begins with that of the resource. */
    private readonly declareMore: (
      tested: TestedResource,
      resource: pulumi.CustomResource,
      options: pulumi.CustomResourceOptions,
    ) => void = () => undefined,
  ) {
    this.name = resourceCase.type.replace(/[/:]/g, ".");
    this.type = typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${resourceCase.type}`);
    this.adopt = canAdopt(classOf(resourceCase).definition);
  }

  /** Why it cannot run: real servers lack something. */
  get reason(): string | undefined {
    return this.reasonAgainst(this.resourceCase.live.needs);
  }

  /** Adds a step; each needs the results of the previous ones. */
  step(title: string, take: () => Promise<unknown>, needs: readonly Need[] = []): void {
    this.steps.push({ title, take, reason: this.reasonAgainst(needs) });
  }

  leaveOut(title: string, reason: string): void {
    this.steps.push({ title, take: () => Promise.resolve(), reason });
  }

  describeSteps(): void {
    if (this.reason !== undefined) {
      it.skip(`is left out: ${this.reason}`);
      return;
    }
    for (const step of this.steps) {
      if (step.reason === undefined) {
        it(step.title, () => step.result);
      } else {
        it.skip(`${step.title}; left out: ${step.reason}`);
      }
    }
  }

  async prepare(services: TestServices): Promise<void> {
    const name = `${this.name}-${services.dialect}`;
    this.resources.push(await TestedResource.prepare(services, this.resourceCase, name));
  }

  join(shared: OperationQueue): void {
    this.place = { shared, member: shared.join(this.resources) };
  }

  /** Takes the steps, whose results are the tests'. */
  start(): void {
    const { shared, member } = this.placed();
    let last: Promise<unknown> = Promise.resolve();
    for (const step of this.steps.filter(({ reason }) => reason === undefined)) {
      step.result = last.then(() => this.run(step));
      last = step.result.catch(() => undefined);
    }
    void last.then(() => shared.leave(member));
  }

  get stack(): SharedStack {
    return this.placed().shared.stack;
  }

  /** @param argsOf of the resources in the program. Default: the present ones */
  take(operation: Operation, argsOf?: ArgsOf): Promise<Part> {
    return this.operate({ operation, declaration: this.declaration(argsOf) });
  }

  /** @param argsOf the arguments from now on. Default: the present ones */
  up(argsOf: ArgsOf = ({ args }) => args): Promise<Part> {
    this.resources.forEach((tested) => (tested.args = argsOf(tested)));
    return this.take("up");
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

  /** Replaces its resources without a change. */
  async replace(): Promise<Part> {
    const replace = await this.stack.urns(this.type);
    return this.operate({ operation: "up", declaration: this.declaration(), replace });
  }

  /** @param declaration also of what is read without being managed */
  read(declaration: Declaration): Promise<Part> {
    return this.operate({ operation: "read", declaration });
  }

  /** Asserts that a plan shows no change, and makes no request. */
  async unchanged(argsOf?: ArgsOf): Promise<void> {
    const { changes, requests, text } = await this.take("preview", argsOf);
    assert.deepEqual(changes, {}, text);
    this.assertSilent(requests);
  }

  /** Asserts that a refresh and the plan after it show no change. */
  async refreshed(): Promise<void> {
    const { steps, text } = await this.take("preview after a refresh");
    await this.each(({ name }) => {
      assert.deepEqual(steps.get(name), [{ operation: "refresh", changed: [] }], text);
    });
  }

  assertSilent(requests: number): void {
    assert.ok(this.target.real || requests === 0, `a preview made ${requests} requests`);
  }

  /** Asserts that an operation has done the same with each resource, and nothing else. */
  did({ changes, text }: Part, operation: string): void {
    assert.deepEqual(changes, { [operation]: this.resources.length }, text);
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
  left({ text }: Part): void {
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

  private operate(task: Task): Promise<Part> {
    const { shared, member } = this.placed();
    return shared.operate(member, task);
  }

  private declaration(argsOf?: ArgsOf): Declaration {
    const declarations = this.resources.map((tested) => {
      const declare = tested.declaration(argsOf?.(tested));
      return (providers: Providers): void => {
        this.declareMore(tested, declare(providers), tested.options(providers));
      };
    });
    return (providers) => {
      declarations.forEach((declare) => declare(providers));
      return undefined;
    };
  }

  private async run({ title, take }: Step): Promise<void> {
    assert.ok(this.failed === undefined, `not tried, because an earlier step failed: ${this.failed}`);
    this.failed = title;
    await take();
    this.failed = undefined;
  }

  private placed(): { readonly shared: OperationQueue; readonly member: Member } {
    return this.place ?? assert.fail("it has no stack before its tests");
  }

  private reasonAgainst(needs: readonly Need[]): string | undefined {
    return needs.flatMap((need) => this.target.missing(need) ?? [])[0];
  }
}
