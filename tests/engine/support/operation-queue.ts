import assert from "node:assert/strict";
import { type Changes, nameIn, type Outcome, OutcomeRecorder, type Step } from "./outcome";
import { OperationFailed, type Program, type SharedStack } from "./shared-stack";
import { Providers, type TestedResource } from "./tested-resource";

/** Declares what a member has in the program. The stack's outputs are what it returns. */
export type Declaration = (providers: Providers) => object | undefined;

/**
 * The first that somebody waits for is next. Updates come before what would show or repair what a lifecycle has changed behind
 * the program's back, and a destruction ends all lifecycles.
 */
const operations = [
  "up",
  "refresh",
  "preview",
  "preview after a refresh",
  "up after a refresh",
  "forget",
  "read",
  "destroy",
] as const;
export type Operation = (typeof operations)[number];

export interface Task {
  readonly operation: Operation;
  /** Only operations that run the program use it. */
  readonly declaration: Declaration;
  /** URNs of resources to replace without a change. */
  readonly replace?: readonly string[];
}

interface Waiting extends Task {
  readonly resolve: (part: Part) => void;
  readonly reject: (error: unknown) => void;
}

/** What an operation has done with the resources of one member. */
export interface Part {
  /** How many resources were created, updated ... */
  readonly changes: Changes;
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Of all members. */
  readonly text: string;
  /** Requests of all members, whose dialects have one service each; `NaN` for real servers. */
  readonly requests: number;
}

export interface Member {
  readonly resources: readonly TestedResource[];
  /** What state has of it. */
  present: Declaration;
}

/**
 * One stack for the lifecycles of several classes. Each lifecycle takes its own steps. An operation of the CLI serves all that
 * wait for the same one; those that wait for another are declared as they are, and must not change.
 */
export class OperationQueue {
  private readonly members: Member[] = [];
  private readonly living = new Set<Member>();
  private readonly waiting = new Map<Member, Waiting>();

  constructor(readonly stack: SharedStack) {}

  /** All members join before the first one operates. */
  join(resources: readonly TestedResource[]): Member {
    const member: Member = { resources, present: () => undefined };
    this.members.push(member);
    this.living.add(member);
    return member;
  }

  /** @throws OperationFailed when it fails for this member */
  operate(member: Member, task: Task): Promise<Part> {
    return new Promise((resolve, reject) => {
      this.waiting.set(member, { ...task, resolve, reject });
      this.serveIfAllWait();
    });
  }

  /** Its resources stay in the stack until the stack is destroyed. */
  leave(member: Member): void {
    this.living.delete(member);
    this.serveIfAllWait();
  }

  private serveIfAllWait(): void {
    if (this.living.size > 0 && this.waiting.size === this.living.size) {
      void this.serve();
    }
  }

  private async serve(): Promise<void> {
    const wanted = new Set([...this.waiting.values()].map(({ operation }) => operation));
    const operation = operations.find((each) => wanted.has(each)) ?? assert.fail("nobody waits");
    const served = new Map([...this.waiting].filter(([, task]) => task.operation === operation));
    served.forEach((_wish, member) => this.waiting.delete(member));
    const before = this.requests();
    let outcome: Outcome;
    let failure: OperationFailed | undefined;
    try {
      outcome = await this.take(operation, served);
    } catch (error) {
      if (!(error instanceof OperationFailed)) {
        served.forEach(({ reject }) => reject(error));
        return;
      }
      failure = error;
      outcome = error.outcome;
    }
    const requests = this.requests() - before;
    const blamed = this.members.filter(({ resources }) =>
      resources.some((tested) => [...outcome.errors.keys()].some((name) => tested.owns(name))),
    );
    for (const [member, { declaration, resolve, reject }] of served) {
      if (failure === undefined || (blamed.length > 0 && !blamed.includes(member))) {
        member.present = operation.startsWith("up") ? declaration : member.present;
        resolve({ ...partOf(outcome, member), requests });
      } else {
        reject(failure);
      }
    }
    for (const [member, { reject }] of this.waiting) {
      const steps = [...partOf(outcome, member).steps.values()].flat();
      if (steps.some(({ operation }) => operation !== "refresh")) {
        this.waiting.delete(member);
        reject(new Error(`It changed in an operation of others (${operation}): ${outcome.text}`));
      }
    }
  }

  private async take(operation: Operation, tasks: ReadonlyMap<Member, Task>): Promise<Outcome> {
    const { stack } = this;
    const declarations = this.members.map((member) => tasks.get(member)?.declaration ?? member.present);
    const program: Program = () => {
      const providers = new Providers(this.members.flatMap(({ resources }) => resources));
      return Object.assign({}, ...declarations.map((declare) => declare(providers))) as object;
    };
    const refresh = operation.endsWith(" after a refresh");
    const replace = [...tasks.values()].flatMap((task) => task.replace ?? []);
    switch (operation) {
      case "preview":
      case "preview after a refresh":
        return stack.preview(program, { refresh });
      case "up":
      case "read":
      case "up after a refresh":
        return stack.up(program, { continueOnError: true, refresh, replace });
      case "refresh":
        return stack.refresh();
      case "destroy":
        return stack.destroy();
      case "forget": {
        const leaving = [...tasks.keys()].flatMap(({ resources }) => resources);
        await stack.forgetResources(({ urn }) => leaving.some((tested) => tested.owns(nameIn(urn))));
        return new OutcomeRecorder().outcome();
      }
    }
  }

  private requests(): number {
    const resources = this.members.flatMap(({ resources }) => resources);
    const counts = new Map(
      resources.map(({ dialect, context }) => [dialect, context.requests?.() ?? Number.NaN]),
    );
    return [...counts.values()].reduce((sum, each) => sum + each, 0);
  }
}

function partOf({ steps, text }: Outcome, { resources }: Member): Omit<Part, "requests"> {
  const own = [...steps].filter(([name]) => resources.some((tested) => tested.owns(name)));
  const changes: Record<string, number> = {};
  for (const [, taken] of own) {
    const operations = taken.map(({ operation }) => operation);
    const change = operations.some((each) => each.includes("replace")) ? "replace" : operations.at(-1);
    changes[change ?? ""] = (changes[change ?? ""] ?? 0) + 1;
  }
  return { changes, steps: new Map(own), text };
}
