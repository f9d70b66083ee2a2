import type { EngineEvent } from "@pulumi/pulumi/automation";

export interface Outcome {
  /** How many resources have each kind of change, without unchanged ones. */
  readonly changes: Readonly<Record<string, number>>;
  /** `create`, `update`, `replace`, `delete`, `read` ..., by the resource's name in the program, without unchanged ones. */
  readonly steps: ReadonlyMap<string, readonly string[]>;
  /** Messages by the resource's name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly text: string;
}

/** @returns an outcome that grows with what the CLI calls */
export function recordOutcome() {
  const steps = new Map<string, string[]>();
  const errors = new Map<string, string>();
  const outcome = { changes: {}, steps, errors, text: "" };
  const add = (text: string): void => void (outcome.text += text);
  const onEvent = ({ resOutputsEvent, resOpFailedEvent, summaryEvent, diagnosticEvent }: EngineEvent) => {
    const { op = "same", urn = "" } = (resOutputsEvent ?? resOpFailedEvent)?.metadata ?? {};
    if (op !== "same") {
      steps.set(nameIn(urn), [...(steps.get(nameIn(urn)) ?? []), op]);
    }
    if (diagnosticEvent?.urn !== undefined && diagnosticEvent.severity === "error") {
      errors.set(nameIn(diagnosticEvent.urn), diagnosticEvent.message);
    }
    if (summaryEvent !== undefined) {
      const { same, ...changes } = summaryEvent.resourceChanges as Record<string, number>;
      outcome.changes = changes;
    }
  };
  return { outcome: outcome as Outcome, add, told: { onOutput: add, onError: add, onEvent } };
}

/** @returns the resource's name in the program */
export function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
