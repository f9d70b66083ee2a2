import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation";
import { shortestSecret } from "../../../sdk/base/redactor";

/** How many resources an operation made, changed, deleted and so on; resources it left alone are not counted. */
export type Changes = Readonly<Record<string, number>>;

/** What an operation of the CLI brought. */
export interface Outcome {
  readonly changes: Changes;
  /** What was done with each resource that was not left alone, by its name in the program. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Everything that the CLI printed. */
  readonly text: string;
}

/** Something that the engine did with a resource. */
export interface Step {
  /** `create`, `update`, `replace`, `delete`, `read` ... */
  readonly operation: string;
  /** The arguments that it was done for. */
  readonly changed: readonly string[];
}

/** Gathers what an operation does from what the engine tells of it. */
export class OutcomeRecorder {
  private text = "";
  private readonly steps = new Map<string, Step[]>();
  private changes: Changes = {};

  /** For the options of an operation. */
  readonly told = {
    onOutput: (text: string) => this.add(text),
    /** Warnings and errors. */
    onError: (text: string) => this.add(text),
    onEvent: ({ resOutputsEvent, resOpFailedEvent, summaryEvent }: EngineEvent) => {
      const step = resOutputsEvent ?? resOpFailedEvent;
      if (step !== undefined) {
        this.addStep(step.metadata);
      }
      if (summaryEvent !== undefined) {
        this.changes = withoutUnchanged(summaryEvent.resourceChanges);
      }
    },
  };

  /** Adds to what was printed. */
  add(text: string): void {
    this.text += text;
  }

  outcome(): Outcome {
    return { changes: this.changes, steps: this.steps, text: this.text };
  }

  private addStep({ op, urn, diffs }: StepEventMetadata): void {
    if (op === "same") {
      return;
    }
    const name = urn.slice(urn.lastIndexOf("::") + 2);
    const steps = this.steps.get(name) ?? [];
    steps.push({ operation: op, changed: diffs ?? [] });
    this.steps.set(name, steps);
  }
}

/**
 * What the CLI showed of one resource: the blocks of a plan with details, and the lines of any other display.
 *
 * @param name the resource's name in the program, which has to be a word that nothing else is called by
 */
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

/**
 * Whether a text that may be shown nowhere can be looked for: a short one, or one that is a word, such as the token
 * `root` of a server for development, stands in what is printed anyway.
 */
export function isRecognizable(secret: string): boolean {
  return secret.length >= shortestSecret && !/^\p{L}+$/u.test(secret);
}
