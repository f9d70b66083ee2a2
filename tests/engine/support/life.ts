import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { canAdopt, type ResourceCase, type Values } from "../../cases/support/case";
import type { Need, World } from "../../cases/support/world";
import { type Adapter, typeWith } from "./adapter";
import type { Declaration, Member, Operation, Part, SharedStack, Wish } from "./shared-stack";
import { OperationFailed, type TestStack } from "./stack";
import { classOf, each, type Providers, Subject } from "./subject";
import type { Worlds } from "./worlds";

type ArgsOf = (subject: Subject) => Values;

interface Step {
  readonly title: string;
  readonly take: () => Promise<unknown>;
  /** Why it is left out. */
  readonly reason: string | undefined;
  result?: Promise<void>;
}

/** The life of a class in all dialects: steps that need each other, in a stack that lives of other classes share. */
export class Life {
  readonly name: string;
  /** As in state. */
  readonly type: string;
  /** Whether the class can adopt an existing object. */
  readonly adopt: boolean;
  readonly subjects: Subject[] = [];
  /** The step that has failed. */
  failed: string | undefined;
  private readonly steps: Step[] = [];
  private place: { readonly shared: SharedStack; readonly member: Member } | undefined;

  constructor(
    readonly lifecycle: ResourceCase,
    private readonly worlds: Worlds,
    adapter: Adapter,
    /** Declares what else belongs to a resource, whose name begins with that of the resource. */
    private readonly declareMore: (
      subject: Subject,
      resource: pulumi.CustomResource,
      options: pulumi.CustomResourceOptions,
    ) => void = () => undefined,
  ) {
    this.name = lifecycle.type.replace(/[/:]/g, ".");
    this.type = typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${lifecycle.type}`);
    this.adopt = canAdopt(classOf(lifecycle).definition, worlds.dialects);
  }

  /** Why it cannot be lived in these worlds: real servers lack something. */
  get reason(): string | undefined {
    return this.reasonAgainst(this.lifecycle.live.needs);
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

  async prepare(world: World): Promise<void> {
    const name = `${this.name}-${world.dialect}`;
    this.subjects.push(await Subject.prepare(world, this.lifecycle, name));
  }

  join(shared: SharedStack): void {
    this.place = { shared, member: shared.join(this.subjects) };
  }

  /** Takes the steps, whose results are the tests'. */
  start(): void {
    const { shared, member } = this.placed();
    let last: Promise<unknown> = Promise.resolve();
    for (const step of this.steps.filter(({ reason }) => reason === undefined)) {
      step.result = last.then(() => this.live(step));
      last = step.result.catch(() => undefined);
    }
    void last.then(() => shared.leave(member));
  }

  get stack(): TestStack {
    return this.placed().shared.stack;
  }

  /** @param argsOf of the resources in the program. Default: the present ones */
  take(operation: Operation, argsOf?: ArgsOf): Promise<Part> {
    return this.operate({ operation, declaration: this.declaration(argsOf) });
  }

  /** @param argsOf the arguments from now on. Default: the present ones */
  up(argsOf: ArgsOf = ({ args }) => args): Promise<Part> {
    this.subjects.forEach((subject) => (subject.args = argsOf(subject)));
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
    assert.ok(this.worlds.real || requests === 0, `a preview made ${requests} requests`);
  }

  /** Asserts that an operation has done the same with each resource, and nothing else. */
  did({ changes, text }: Part, operation: string): void {
    assert.deepEqual(changes, { [operation]: this.subjects.length }, text);
  }

  /** The ids of its resources by their names. */
  async ids(): Promise<ReadonlyMap<string, string>> {
    const found = await this.stack.idsByName(this.type);
    this.subjects.forEach((subject) => subject.meet(found.get(subject.name)));
    return found;
  }

  /** Asserts how many objects the service has for each resource. */
  async present(count: number): Promise<void> {
    await this.ids();
    await this.each((subject) => subject.assertPresent(count));
  }

  /** Notes the objects that a destruction or a replacement has left behind, which must have been announced. */
  left({ text }: Part): void {
    const { remains } = this.lifecycle;
    const leaving = this.subjects.filter(({ dialect }) => remains?.dialects.includes(dialect));
    leaving.forEach((subject) => (subject.abandoned += 1));
    if (remains?.announced !== undefined) {
      const announcements = text.replace(/\s+/g, " ").split(remains.announced).length - 1;
      assert.ok(announcements >= leaving.length, text);
    }
  }

  each(check: (subject: Subject) => unknown): Promise<void> {
    return each(this.subjects, check);
  }

  private operate(wish: Wish): Promise<Part> {
    const { shared, member } = this.placed();
    return shared.operate(member, wish);
  }

  private declaration(argsOf?: ArgsOf): Declaration {
    const declarations = this.subjects.map((subject) => {
      const declare = subject.declaration(argsOf?.(subject));
      return (providers: Providers): void => {
        this.declareMore(subject, declare(providers), subject.options(providers));
      };
    });
    return (providers) => {
      declarations.forEach((declare) => declare(providers));
      return undefined;
    };
  }

  private async live({ title, take }: Step): Promise<void> {
    assert.ok(this.failed === undefined, `not tried, because an earlier step failed: ${this.failed}`);
    this.failed = title;
    await take();
    this.failed = undefined;
  }

  private placed(): { readonly shared: SharedStack; readonly member: Member } {
    return this.place ?? assert.fail("it has no stack before its tests");
  }

  private reasonAgainst(needs: readonly Need[]): string | undefined {
    return needs.flatMap((need) => this.worlds.missing(need) ?? [])[0];
  }
}
