import type * as Zod from "zod";

/** Passed to definitions as an argument, because importing zod costs every program tens of milliseconds. */
export type Validation = typeof Zod.z;

let loaded: Validation | undefined;

export function validation(): Validation {
  // In the bundle of the provider process, each `require` copies the module's exports.
  return (loaded ??= (require("zod") as typeof Zod).z);
}

/**
 * Building a schema and using it for the first time takes longer than all other work on a response.
 *
 * @param build may depend on the validation library and one more object or string
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
