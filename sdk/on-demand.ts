/**
 * Modules that take tens of milliseconds to load, loaded when first used: a program that only declares resources
 * never needs them.
 */

/** The validation library. */
export const validation = (): typeof import("zod") => require("zod") as typeof import("zod");

/** The connections to the services. */
export const connections = (): typeof import("./connection/clients") =>
  require("./connection/clients") as typeof import("./connection/clients");

/** The reading of the scheduler's event stream. */
export const eventStream = (): typeof import("./scheduler/event-stream") =>
  require("./scheduler/event-stream") as typeof import("./scheduler/event-stream");

/** The linter of templates, with its parser. */
export const templateLinter = (): typeof import("./secrets/directory/template/find-problems") =>
  require("./secrets/directory/template/find-problems") as typeof import("./secrets/directory/template/find-problems");

/** The emulator, which also needs a package that is installed for it only. */
export const emulator = (): typeof import("./testing") => require("./testing") as typeof import("./testing");
