/**
 * Modules that take tens of milliseconds to load, loaded when first used: a program that only declares resources
 * never needs them.
 */

/** The validation library. */
export const validation = (): typeof import("zod") => require("zod") as typeof import("zod");

/** The connections to the services. */
export const connections = (): typeof import("./connection/clients") =>
  require("./connection/clients") as typeof import("./connection/clients");
