import type * as Zod from "zod";

/** The validation library as definitions receive it: importing it costs every program tens of milliseconds. */
export type Validation = typeof Zod.z;

/** Loads the validation library, which a program that only declares resources never needs. */
export function validation(): Validation {
  return (require("zod") as typeof Zod).z;
}

/**
 * Keeps what a function builds: to build a schema, and to use it for the first time, takes longer than everything else
 * that is done about an answer.
 *
 * @param build may depend on nothing but its arguments: the validation library and, where it has one more, that object or text
 * @returns the same function, which builds once for each of them
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
