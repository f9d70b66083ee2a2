import { resolve, sep } from "node:path";
import type * as Library from "../../../sdk";

const compiled = resolve(__dirname, "..", "..", "..", "sdk", "dist") + sep;

/** What a module exports loads when it is looked at, which must be before the first copy is back in its place. */
function withAllLoaded(module: object): object {
  return Object.fromEntries(
    Object.entries(module).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "object" && member !== null ? withAllLoaded(member) : member,
    ]),
  );
}

/**
 * Loads the compiled library once more, as happens in a program two of whose packages bring a copy each. The SDK of
 * Pulumi is the same for all.
 */
export function anotherCopy(): typeof Library {
  const loaded = Object.entries(require.cache).filter(([file]) => file.startsWith(compiled));
  loaded.forEach(([file]) => Reflect.deleteProperty(require.cache, file));
  try {
    // A module that has to be loaded again cannot be imported.
    const copy = module.require(compiled) as typeof Library;
    return withAllLoaded(copy) as typeof Library;
  } finally {
    Object.assign(require.cache, Object.fromEntries(loaded));
  }
}
