import { createRequire } from "node:module";
import { join } from "node:path";
import { TriviumError } from "../../base/errors";

let checked = false;

/** What the engine's provider process loads, by package. */
const loaded = {
  "pulumi-trivium": "pulumi-trivium/dynamic",
  "@pulumi/pulumi": "@pulumi/pulumi/cmd/dynamic-provider",
};

/**
 * Verifies that the engine's provider process will find the library. It resolves the library from the working
 * directory of the deployed project, where a strict package manager may hide transitive dependencies, and
 * which uses another language if the component is a plugin. That process itself can only report a missing
 * module.
 *
 * @throws TriviumError naming what to install where
 */
export function assertProviderResolves(): void {
  // Only a program or plugin run by the language host has the working directory in which the engine starts
  // providers.
  if (checked || !/[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run/.test(require.main?.filename ?? "")) {
    return;
  }
  const missing = Object.entries(loaded).flatMap(([name, path]) => (canResolve(path) ? [] : [name]));
  if (missing.length > 0) {
    const packages = missing.join(" ");
    const error = new TriviumError(
      `${missing.join(" and ")} cannot be found from ${process.cwd()}, where the engine looks it up to manage ` +
        "resources. A dependency of the project includes it, but the deployed project must depend on it itself: run " +
        `\`npm install ${packages}\` (or \`pnpm add ${packages}\`) there.`,
    );
    // With this property of its RunError, the SDK shows no stack trace, which would not help here.
    throw Object.assign(error, { __pulumiRunError: true });
  }
  checked = true;
}

function canResolve(path: string): boolean {
  try {
    // This module's own `require` always finds its own package.
    createRequire(join(process.cwd(), "index.js")).resolve(path);
    return true;
  } catch {
    return false;
  }
}
