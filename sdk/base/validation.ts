import type * as Zod from "zod";

/** The validation library as passed to definitions: importing it costs every program tens of milliseconds. */
export type Validation = typeof Zod.z;

let loaded: Validation | undefined;

/** Loads the validation library, which a program that only declares resources does not need. */
export function validation(): Validation {
  // In the bundle of the provider process, each `require` would copy the module's exports.
  return (loaded ??= (require("zod") as typeof Zod).z);
}

/**
 * Caches what a function builds: to build a schema and to use it for the first time takes longer than all
 * other work on a response.
 *
 * @param build must only depend on its arguments: the validation library and, if present, one more object or
 *   string
 * @returns the same function, which builds once per argument
 */
export function builtOnce<Rest extends readonly [] | readonly [about: object | string], Shape>(
  build: (z: Validation, ...rest: Rest) => Shape,
): (z: Validation, ...rest: Rest) => Shape {
  const built = new Map<object | string, { readonly shape: Shape }>();
  return (z, ...rest) => {
    const [about = z] = rest;
    const { shape } = built.get(about) ?? { shape: build(z, ...rest) };
    built.set(about, { shape });
    return shape;
  };
}
