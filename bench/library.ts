import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where the compiled library lies: what users run, and what is measured. */
export const compiled = dirname(require.resolve("pulumi-trivium"));
const load = createRequire(__filename) as (path: string) => unknown;

/** The parts of the library that are measured without what surrounds them, which users cannot import. */
export const internals = {
  decoder: () => load(join(compiled, "scheduler", "decoder")) as typeof import("../sdk/scheduler/decoder"),
  frame: () => load(join(compiled, "scheduler", "frame")) as typeof import("../sdk/scheduler/frame"),
  registry: () => load(join(compiled, "resource", "registry")) as typeof import("../sdk/resource/registry"),
  stub: () => load(join(compiled, "resource", "stub")) as typeof import("../sdk/resource/stub"),
};
