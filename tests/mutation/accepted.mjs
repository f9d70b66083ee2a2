// @ts-check
// Mutants that no test notices and none has to, with the reason why not. Spaces and line breaks do not count.

/** @typedef {{ file: string, code: string, replacement?: string, reason: string }} Accepted */

/**
 * `code` is what is replaced, `replacement` what by; without one, whatever replaces it is meant.
 * @type {readonly Accepted[]}
 */
export const accepted = [
  {
    file: "http/attempt.ts",
    code: "false",
    replacement: "true",
    reason: "A stream is never repeated, so its failures do not say that every attempt was used up.",
  },
  {
    file: "http/attempt-failure.ts",
    code: "true",
    replacement: "false",
    reason: "Nobody asks a refusal or a permanent failure whether its request was sent.",
  },
  {
    file: "http/limiter.ts",
    code: "this.spacing < shortestSpacing / 4",
    replacement: "this.spacing <= shortestSpacing / 4",
    reason: "No number of successes brings the spacing to exactly this.",
  },
  {
    file: "http/retry.ts",
    code: "number < now / 2",
    replacement: "number <= now / 2",
    reason: "Half of the present time is neither a wait nor a time that a service means.",
  },
];
