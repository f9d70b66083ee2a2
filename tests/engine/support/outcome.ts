import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation";
import { shortestSecret } from "../../../sdk/base/redactor";

export type Changes = Readonly<Record<string, number>>;

export interface Outcome {
  readonly changes: Changes;
  /** By the resource's name in the program, without unchanged ones. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Messages by the resource's name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Step {
  /** `create`, `update`, `replace`, `delete`, `read` ... */
  readonly operation: string;
  readonly changed: readonly string[];
}

export class OutcomeRecorder {
  private text = "";
  private readonly steps = new Map<string, Step[]>();
  private readonly errors = new Map<string, string>();
  private changes: Changes = {};

  readonly told = {
    onOutput: (text: string) => this.add(text),
    onError: (text: string) => this.add(text),
    onEvent: ({ resOutputsEvent, resOpFailedEvent, summaryEvent, diagnosticEvent }: EngineEvent) => {
      const step = resOutputsEvent ?? resOpFailedEvent;
      if (step !== undefined) {
        this.addStep(step.metadata);
      }
      if (diagnosticEvent?.urn !== undefined && diagnosticEvent.severity === "error") {
        this.errors.set(nameIn(diagnosticEvent.urn), diagnosticEvent.message);
      }
      if (summaryEvent !== undefined) {
        this.changes = withoutUnchanged(summaryEvent.resourceChanges);
      }
    },
  };

  add(text: string): void {
    this.text += text;
  }

  outcome(): Outcome {
    return { changes: this.changes, steps: this.steps, errors: this.errors, text: this.text };
  }

  private addStep({ op, urn, diffs }: StepEventMetadata): void {
    if (op === "same") {
      return;
    }
    const name = nameIn(urn);
    const steps = this.steps.get(name) ?? [];
    steps.push({ operation: op, changed: diffs ?? [] });
    this.steps.set(name, steps);
  }
}

/** @returns the resource's name in the program */
export function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** @param name the resource's name, which must not occur in other output */
export function shownOf(text: string, name: string): string {
  const heading = /^ *\S*\s?\S+: \([a-z-]+\)/;
  const blocks: string[][] = [[]];
  for (const line of text.split("\n")) {
    if (heading.test(line)) {
      blocks.push([]);
    }
    blocks.at(-1)?.push(line);
  }
  const [outside = [], ...inside] = blocks;
  const lines = outside.filter((line) => line.includes(` ${name} `));
  return [
    ...inside.filter((block) => block.some((line) => line.endsWith(`::${name}]`))).flat(),
    ...lines,
  ].join("\n");
}

function withoutUnchanged(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([kind]) => kind !== "same"));
}

/** Short secrets and plain words, such as the token `root`, also occur in normal output. */
export function isRecognizable(secret: string): boolean {
  return secret.length >= shortestSecret && !/^\p{L}+$/u.test(secret);
}
