/** The status that a run has when a notification about it is sent. */
const runStatusOf: ReadonlyMap<string, string> = new Map([
  ["run:created", "pending"],
  ["run:planning", "planning"],
  ["run:needs_attention", "needs_attention"],
  ["run:applying", "applying"],
  ["run:completed", "completed"],
  ["run:errored", "errored"],
  ["assessment:drifted", "completed"],
  ["assessment:failed", "completed"],
]);

/**
 * Each once, in the order of the service; those that it does not know come last.
 *
 * @param known all that the service has, in its order
 */
export function inServiceOrder(triggers: readonly string[], known: readonly string[]): string[] {
  return [
    ...known.filter((trigger) => triggers.includes(trigger)),
    ...new Set(triggers.filter((trigger) => !known.includes(trigger))),
  ];
}

/** The status of the run at the moment when this trigger fires. */
export function runStatusAt(trigger: string): string {
  return runStatusOf.get(trigger) ?? "pending";
}
