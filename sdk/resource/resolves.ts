import { createRequire } from "node:module";
import { join } from "node:path";
import { TriviumError } from "../http/errors";

let checked = false;

/**
 * Makes sure that the engine's provider process will find the library. It looks from the program's working
 * directory, where a strict package manager may not show what only a dependency depends on; all that process can
 * say by itself is that a module is missing.
 *
 * @throws TriviumError saying what to install where
 */
export function assertProviderResolves(): void {
  // Only a program that the language host runs has the working directory in which the engine starts providers.
  if (checked || require.main?.filename.includes("/@pulumi/pulumi/cmd/run") !== true) {
    return;
  }
  try {
    // This module's own `require` finds its own package wherever it is told to look.
    createRequire(join(process.cwd(), "index.js")).resolve("pulumi-trivium/dynamic");
    checked = true;
  } catch {
    const error = new TriviumError(
      `pulumi-trivium cannot be found from ${process.cwd()}, where the engine looks for it to manage resources. ` +
        "Another package brings it, but the program's own project has to: run `npm install pulumi-trivium` " +
        "(or `pnpm add pulumi-trivium`) there.",
    );
    // By this mark of its RunError the SDK shows no stack, which would say nothing here.
    throw Object.assign(error, { __pulumiRunError: true });
  }
}
