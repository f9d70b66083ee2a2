/** What can fire a notification, in the order of the service, with the status that a run then has. */
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

/** All of them, in the order of the service. */
export const notificationTriggers: readonly string[] = [...runStatusOf.keys()];

/** Each once, in the order of the service; those that it does not know come last. */
export function inServiceOrder(triggers: readonly string[]): string[] {
  return [
    ...notificationTriggers.filter((trigger) => triggers.includes(trigger)),
    ...new Set(triggers.filter((trigger) => !notificationTriggers.includes(trigger))),
  ];
}

/** The status of the run at the moment when this trigger fires. */
export function runStatusAt(trigger: string): string {
  return runStatusOf.get(trigger) ?? "pending";
}
