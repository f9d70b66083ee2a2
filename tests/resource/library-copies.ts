import { resolve, sep } from "node:path";
import type * as Library from "../../sdk";

const compiled = resolve(__dirname, "..", "..", "sdk", "dist") + sep;

/**
 * Loads the compiled library once more, as happens in a program two of whose packages bring a copy each. The SDK of
 * Pulumi is the same for all.
 */
export function anotherCopy(): typeof Library {
  const loaded = Object.entries(require.cache).filter(([file]) => file.startsWith(compiled));
  loaded.forEach(([file]) => Reflect.deleteProperty(require.cache, file));
  try {
    // A module that has to be loaded anew cannot be imported.
    const copy = module.require(compiled) as typeof Library;
    // Its namespaces load when they are looked at, which must be before the first copy is back in its place.
    return { ...copy };
  } finally {
    Object.assign(require.cache, Object.fromEntries(loaded));
  }
}
