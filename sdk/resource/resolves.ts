import { createRequire } from "node:module";
import { join } from "node:path";
import { TriviumError } from "../base/errors";

let checked = false;

/** What the engine's provider process loads, by the package that has it. */
const loaded = {
  "pulumi-trivium": "pulumi-trivium/dynamic",
  "@pulumi/pulumi": "@pulumi/pulumi/cmd/dynamic-provider",
};

/**
 * Makes sure that the engine's provider process will find the library. It looks from the working directory of the
 * project that is deployed, where a strict package manager may not show what only a dependency depends on, and which
 * is in any language where the component is a plugin; all that process can say by itself is that a module is missing.
 *
 * @throws TriviumError saying what to install where
 */
export function assertProviderResolves(): void {
  // Only what the language host runs, a program or a plugin, has the working directory in which the engine starts providers.
  if (checked || !/[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run/.test(require.main?.filename ?? "")) {
    return;
  }
  const missing = Object.entries(loaded).flatMap(([name, path]) => (canResolve(path) ? [] : [name]));
  if (missing.length > 0) {
    const packages = missing.join(" ");
    const error = new TriviumError(
      `${missing.join(" and ")} cannot be found from ${process.cwd()}, where the engine looks for it to manage ` +
        "resources. Another package brings it, but the project that is deployed needs it too: run " +
        `\`npm install ${packages}\` (or \`pnpm add ${packages}\`) there.`,
    );
    // By this mark of its RunError the SDK shows no stack, which would say nothing here.
    throw Object.assign(error, { __pulumiRunError: true });
  }
  checked = true;
}

function canResolve(path: string): boolean {
  try {
    // This module's own `require` finds its own package wherever it is told to look.
    createRequire(join(process.cwd(), "index.js")).resolve(path);
    return true;
  } catch {
    return false;
  }
}
