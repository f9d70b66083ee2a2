import { createRequire } from "node:module";
import { join } from "node:path";
import { TriviumError } from "../../base/errors";

let checked = false;

/** The modules that the engine's provider process loads, by package. */
const loaded = {
  "pulumi-trivium": "pulumi-trivium/dynamic",
  "@pulumi/pulumi": "@pulumi/pulumi/cmd/dynamic-provider",
};

/**
 * The provider process resolves the library from the working directory. A strict package manager may hide it there, or
 * the project may use another language. The process itself can only report a missing module.
 */
export function assertProviderResolves(): void {
  // Only the language host runs a program in the directory where the engine starts providers.
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
    // The SDK prints no stack trace for an error with this property.
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
