// @ts-check
// Mutants that no test notices and none has to, with the reason why not. Spaces and line breaks do not count.

/** @typedef {{ file: string, code: string, replacement?: string, reason: string }} Accepted */

/**
 * `code` is what is replaced, `replacement` what by; without one, whatever replaces it is meant.
 * @type {readonly Accepted[]}
 */
export const accepted = [];
